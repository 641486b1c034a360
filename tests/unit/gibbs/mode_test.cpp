#include "gibbs/mode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "gibbs/ascent.hpp"
#include "unit/gibbs/test_distributions.hpp"

namespace bl::gibbs {
namespace {

TEST(FindMode, OfAnIllConditionedNormalDistribution) {
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(6, -1, 1);
  const GaussianDistribution<double> distribution(mean, rotated_covariance(6, 1e4));
  const auto result = find_mode(distribution, Box::unbounded(6), mode_starts(Box::unbounded(6), 8, 1).view());
  for (Index j = 0; j < 6; ++j) EXPECT_NEAR(result.point[static_cast<std::size_t>(j)], mean(j), 1e-7 * 1e4);
  EXPECT_LT(result.subgradient, 1e-5);
  EXPECT_EQ(result.agreeing, 8);
}

// Rosenbrock's valley: the maximum 0 at (1, 1).
TEST(FindMode, FollowsACurvedValley) {
  const auto valley = [](const double* y, double* g) {
    const double off = y[1] - y[0] * y[0];
    g[0] = 2 * (1 - y[0]) + 400 * y[0] * off;
    g[1] = -200 * off;
    return -std::pow(1 - y[0], 2) - 100 * off * off;
  };
  const auto result = find_mode(FunctionDistribution(2, valley), Box::cube(2, -2, 2),
                                mode_starts(Box::cube(2, -2, 2), 6, 1).view());
  EXPECT_NEAR(result.point[0], 1, 1e-5);
  EXPECT_NEAR(result.point[1], 1, 1e-5);
  EXPECT_EQ(result.agreeing, 6);
}

// The free maximum (3, 0.2) lies outside: at the wall y0 = 1 the best is y1 = 0.2 + 0.5 * (1 - 3) = -0.8.
TEST(FindMode, StopsAtTheWalls) {
  const auto distribution = [](const double* y, double* g) {
    const double a = y[0] - 3, b = y[1] - 0.2;
    g[0] = -2 * a + b;
    g[1] = -2 * b + a;
    return -a * a - b * b + a * b;
  };
  const auto result = find_mode(FunctionDistribution(2, distribution), Box::cube(2, -1, 1),
                                mode_starts(Box::cube(2, -1, 1), 5, 2).view());
  EXPECT_EQ(result.point[0], 1);
  EXPECT_NEAR(result.point[1], -0.8, 1e-7);
  EXPECT_LT(result.subgradient, 1e-4);
}

double sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

// -4 |y0 - y1| - |y1 + y2 - 1| - |y|^2 / 2: on y0 = y1 = a, y2 = c the best is a = c / 2 up to the kink 2
// sides away: minimise a^2 + c^2/2 + |a + c - 1|: with a + c = s < 1, a^2 + c^2/2 = s^2/3 and d/ds (s^2/3 -
// s) < 0, so s = 1: a = 1/3, c = 2/3, value -1/3.
TEST(FindMode, SettlesOnKinksThatAreNoAxes) {
  const auto distribution = [](const double* y, double* g) {
    const double a = sign(y[0] - y[1]), b = sign(y[1] + y[2] - 1);
    g[0] = -4 * a - y[0];
    g[1] = 4 * a - b - y[1];
    g[2] = -b - y[2];
    return -4 * std::abs(y[0] - y[1]) - std::abs(y[1] + y[2] - 1) -
           0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  };
  const auto result = find_mode(FunctionDistribution(3, distribution), Box::cube(3, -3, 3),
                                mode_starts(Box::cube(3, -3, 3), 6, 3).view());
  EXPECT_NEAR(result.value, -1.0 / 3, 1e-5);
  EXPECT_NEAR(result.point[0], 1.0 / 3, 1e-3);
  EXPECT_NEAR(result.point[1], 1.0 / 3, 1e-3);
  EXPECT_NEAR(result.point[2], 2.0 / 3, 1e-3);
  EXPECT_LT(result.subgradient, 1e-2);  // stationary, though no smooth mode
}

// Two hills, the higher at 2: some starts end on the lower, and the certificate says how many agree.
TEST(FindMode, TakesTheHigherOfTwoHillsAndCountsTheStarts) {
  const auto distribution = [](const double* y, double* g) {
    const double a = std::exp(-2 * (y[0] + 2) * (y[0] + 2)), b = 1.5 * std::exp(-2 * (y[0] - 2) * (y[0] - 2));
    g[0] = -4 * (y[0] + 2) * a - 4 * (y[0] - 2) * b;
    return a + b;
  };
  Matrix<double> starts(4, 1);
  starts(0, 0) = -2.5;
  starts(1, 0) = -1.8;
  starts(2, 0) = 1.7;
  starts(3, 0) = 2.4;
  const auto result = find_mode(FunctionDistribution(1, distribution), Box::cube(1, -5, 5), starts.view());
  EXPECT_NEAR(result.point[0], 2, 1e-6);
  EXPECT_EQ(result.agreeing, 2);
  EXPECT_NEAR(result.values[0], 1, 1e-6);
}

TEST(FindMode, RefusesStartsWithoutAFiniteValue) {
  const auto distribution = [](const double*, double* g) {
    g[0] = 0;
    return std::nan("");
  };
  EXPECT_THROW(find_mode(FunctionDistribution(1, distribution), Box::cube(1, 0, 1),
                         mode_starts(Box::cube(1, 0, 1), 2, 1).view()),
               NumericError);
  EXPECT_THROW(
      find_mode(FunctionDistribution(1, distribution), Box::cube(1, 0, 1), Matrix<double>(1, 2).view()),
      UsageError);
}

// Of (1, 0), (0, 2) and (3, 3): the foot of the perpendicular on the segment, (0.8, 0.4).
TEST(ShortestCombination, IsTheNearestPointOfTheHull) {
  Matrix<double> rows(3, 2);
  const double values[6] = {3, 3, 1, 0, 0, 2};
  std::copy(values, values + 6, rows.data());
  const auto shortest = shortest_combination(rows.view());
  EXPECT_NEAR(shortest[0], 0.8, 1e-6);
  EXPECT_NEAR(shortest[1], 0.4, 1e-6);
}

}  // namespace
}  // namespace bl::gibbs
