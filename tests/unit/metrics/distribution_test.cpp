#include "metrics/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/random.hpp"
#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kOutcomes{-2.5, -0.3, 0.0, 1.1, 4.0};

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// Gneiting and Raftery (2007), equation 21, for the standard normal distribution.
double normal_crps(double y) {
  const double density = std::exp(-0.5 * y * y) / std::sqrt(2.0 * std::numbers::pi);
  return y * (2.0 * normal_cdf(y) - 1.0) + 2.0 * density - 1.0 / std::sqrt(std::numbers::pi);
}

double normal_quantile(double p) {
  double low = -10.0;
  double high = 10.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

TEST(Crps, FromTheNormalDistributionFunction) {
  constexpr int kPoints = 2001;
  constexpr double kStep = 20.0 / (kPoints - 1);
  std::vector<double> grid;
  std::vector<double> cdf;
  for (int i = 0; i < kPoints; ++i) {
    grid.push_back(-10.0 + kStep * i);
    cdf.push_back(normal_cdf(grid.back()));
  }
  // Linear interpolation is off by at most step^2 / 8 * max |F''|, F'' <= 0.242; the score by at most twice
  // that times the integral of |F - step function|, which is mean |x - y| < 5 here.
  const double tolerance = kStep * kStep / 8.0 * 0.242 * 2.0 * 5.0;
  for (const double y : kOutcomes) EXPECT_NEAR(crps_from_cdf(y, grid, cdf), normal_crps(y), tolerance) << y;
}

TEST(Crps, FromTheUniformDistributionFunctionIsExact) {
  const std::vector<double> grid{0.0, 0.3, 1.0};
  const std::vector<double> cdf{0.0, 0.3, 1.0};
  for (const double y : {0.0, 0.2, 0.3, 0.9, 1.0})
    EXPECT_NEAR(crps_from_cdf(y, grid, cdf), y * y - y + 1.0 / 3.0, 1e-15) << y;
  EXPECT_NEAR(crps_from_cdf(3.0, grid, cdf), 2.0 + 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(crps_from_cdf(-2.0, grid, cdf), 2.0 + 1.0 / 3.0, 1e-15);
  const std::vector<double> point{2.0};
  const std::vector<double> one{1.0};
  EXPECT_EQ(crps_from_cdf(5.0, point, one), 3.0);
}

TEST(Crps, FromDrawsIsTheMeanOverAllPairs) {
  std::vector<double> draws(50);
  RandomStream(3, Purpose::test).fill_normal(0, draws);
  draws[7] = draws[3];
  for (const double y : {-1.0, 0.2, 9.0, draws[3]}) {
    double distance = 0.0;
    double spread = 0.0;
    for (const double a : draws) {
      distance += std::abs(a - y) / 50.0;
      for (const double b : draws) spread += std::abs(a - b) / 2500.0;
    }
    EXPECT_NEAR(crps_from_draws(y, draws), distance - 0.5 * spread, 1e-13) << y;
  }
  std::vector<double> single{1.5};
  EXPECT_EQ(crps_from_draws(4.0, single), 2.5);
}

TEST(Crps, FromDrawsOfTheNormalDistribution) {
  // The quantiles at (i - 1/2) / m: their distribution function is within 1 / (2 m) of F over a range of 8
  // and equal to it to 1e-4 beyond; the score moves by at most twice the area between the two.
  constexpr int kDraws = 20'000;
  std::vector<double> draws;
  for (int i = 0; i < kDraws; ++i) draws.push_back(normal_quantile((i + 0.5) / kDraws));
  for (const double y : kOutcomes)
    EXPECT_NEAR(crps_from_draws(y, draws), normal_crps(y), 2.0 * (8.0 / (2.0 * kDraws) + 1e-4)) << y;
}

TEST(Crps, BadInputIsNamed) {
  const std::vector<double> none;
  const std::vector<double> two{0.0, 1.0};
  const std::vector<double> falling{1.0, 1.0};
  const std::vector<double> nan{0.0, kNan};
  EXPECT_THROW(crps_from_cdf(0.0, none, none), UsageError);
  EXPECT_THROW(crps_from_cdf(0.0, two, none), UsageError);
  EXPECT_THROW(crps_from_cdf(0.0, falling, two), UsageError);
  EXPECT_THROW(crps_from_cdf(0.0, two, nan), NumericError);
  EXPECT_THROW(crps_from_cdf(kNan, two, two), NumericError);
  std::vector<double> draws{0.0, kInfinity};
  EXPECT_THROW(crps_from_draws(0.0, draws), NumericError);
  EXPECT_THROW(crps_from_draws(0.0, {}), UsageError);
}

TEST(Likelihood, IsTheWeightedMean) {
  const std::vector<double> logs{-1.0, -2.0, 0.5};
  const std::vector<double> weights{1.0, 2.0, 1.0};
  EXPECT_DOUBLE_EQ(mean_log_likelihood(logs), -2.5 / 3.0);
  EXPECT_DOUBLE_EQ(mean_log_likelihood(logs, weights), -4.5 / 4.0);
  const std::vector<double> impossible{-1.0, -kInfinity};
  const std::vector<double> first_only{1.0, 0.0};
  EXPECT_EQ(mean_log_likelihood(impossible), -kInfinity);
  EXPECT_EQ(mean_log_likelihood(impossible, first_only), -1.0);
  const std::vector<double> nan{-1.0, kNan};
  EXPECT_THROW(mean_log_likelihood(nan), NumericError);
  EXPECT_THROW(mean_log_likelihood({}), DataError);
}

TEST(Likelihood, RhoSquare) {
  EXPECT_DOUBLE_EQ(rho_square(-1000.0, -750.0), 0.25);
  EXPECT_DOUBLE_EQ(rho_square(-1000.0, -750.0, 10), 0.24);
  EXPECT_EQ(rho_square(-10.0, -10.0), 0.0);
  EXPECT_THROW(rho_square(0.0, 0.0), NumericError);
  EXPECT_THROW(rho_square(-kInfinity, -1.0), NumericError);
  EXPECT_THROW(rho_square(-1.0, kNan), NumericError);
}

TEST(Intervals, CoverageAndWidth) {
  const std::vector<double> truth{0.0, 1.0, 2.0, 3.0};
  const std::vector<double> lower{0.0, 1.5, 0.0, 2.0};
  const std::vector<double> upper{1.0, 2.5, 2.0, 2.5};
  const std::vector<double> weights{1.0, 1.0, 2.0, 4.0};
  const IntervalSummary plain = interval_summary(truth, lower, upper);
  EXPECT_DOUBLE_EQ(plain.coverage, 0.5);  // both ends belong to the interval
  EXPECT_DOUBLE_EQ(plain.mean_width, 4.5 / 4.0);
  const IntervalSummary weighted = interval_summary(truth, lower, upper, weights);
  EXPECT_DOUBLE_EQ(weighted.coverage, 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(weighted.mean_width, 8.0 / 8.0);
  EXPECT_THROW(interval_summary(truth, upper, lower), NumericError);
  EXPECT_THROW(interval_summary(truth, lower, {}), UsageError);
}

}  // namespace
}  // namespace bl::metrics
