#include "gibbs/distribution_2d.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bl/errors.hpp"

namespace bl::gibbs {
namespace {

constexpr double kPi = std::numbers::pi;

template <class F>
LogDensity2d each(F f) {
  return [f](MatrixView<const double> points, std::span<double> out) {
    for (Index i = 0; i < points.rows; ++i) out[static_cast<std::size_t>(i)] = f(points(i, 0), points(i, 1));
  };
}

// Standard deviations 0.5 and 1.5, correlation 0.8, mean (1, -2).
double correlated(double a, double b) {
  const double u = (a - 1) / 0.5, v = (b + 2) / 1.5;
  return -0.5 * (u * u - 1.6 * u * v + v * v) / 0.36;
}

TEST(Distribution2d, CorrelatedNormal) {
  const Distribution2d distribution(each(correlated), {{-4, -14}, {6, 10}});
  EXPECT_NEAR(distribution.log_normalizer().value, std::log(2 * kPi * 0.5 * 1.5 * 0.6), 1e-6);
  EXPECT_LE(distribution.error(), 1e-6);
  const Moments2d moments = distribution.moments();
  EXPECT_NEAR(moments.mean[0], 1, 1e-6);
  EXPECT_NEAR(moments.mean[1], -2, 1e-6);
  EXPECT_NEAR(moments.covariance[0][0], 0.25, 1e-5);
  EXPECT_NEAR(moments.covariance[0][1], 0.6, 1e-5);
  EXPECT_NEAR(moments.covariance[1][1], 2.25, 1e-5);
  const auto modes = distribution.modes();
  ASSERT_EQ(modes.size(), 1U);
  EXPECT_NEAR(modes[0].y[0], 1, 1e-6);
  EXPECT_NEAR(modes[0].y[1], -2, 1e-6);
  const Distribution1d marginal = distribution.marginal(1);
  EXPECT_NEAR(marginal.quantile(0.975), -2 + 1.5 * 1.959963984540054, 1e-5);
  const Distribution1d conditional = distribution.conditional(0, 1);
  EXPECT_NEAR(conditional.mean().value, 1 + 0.8 * 0.5 * 2, 1e-6);
  EXPECT_NEAR(conditional.variance().value, 0.25 * 0.36, 1e-6);
  Matrix<double> points(2, 2);
  points(0, 0) = 1;
  points(0, 1) = -2;
  points(1, 0) = 7;
  points(1, 1) = 0;
  std::vector<double> values(2);
  distribution.log_density(points.view(), values);
  EXPECT_NEAR(values[0], -std::log(2 * kPi * 0.5 * 1.5 * 0.6), 1e-6);
  EXPECT_EQ(values[1], -std::numeric_limits<double>::infinity());
}

// Half the mass within 1e-3 of a point, with a skirt of sd 0.1 and mass 0.001 that the first grid can see.
TEST(Distribution2d, MixtureWithANarrowPeak) {
  const auto mixture = [](double a, double b) {
    const auto part = [&](double mass, double sd, double m0, double m1) {
      return std::log(mass / (sd * sd)) - 0.5 * (std::pow((a - m0) / sd, 2) + std::pow((b - m1) / sd, 2));
    };
    const double logs[3] = {part(0.5, 0.5, -1, -1), part(0.5, 1e-3, 1.2345, 0.777),
                            part(0.001, 0.1, 1.2345, 0.777)};
    const double top = *std::max_element(logs, logs + 3);
    return top + std::log(std::exp(logs[0] - top) + std::exp(logs[1] - top) + std::exp(logs[2] - top));
  };
  const Distribution2d distribution(each(mixture), {{-5, -5}, {5, 5}});
  EXPECT_NEAR(distribution.log_normalizer().value, std::log(1.001 * 2 * kPi), 1e-6);
  ASSERT_EQ(distribution.modes().size(), 2U);
  EXPECT_NEAR(distribution.modes()[0].y[0], 1.2345, 1e-6);
  EXPECT_NEAR(distribution.modes()[1].y[1], -1, 1e-6);
  EXPECT_NEAR(distribution.moments().mean[0], (0.501 * 1.2345 - 0.5) / 1.001, 1e-5);
}

// exp(-|a| - |b - 0.3|) truncated to [-1, 2] x [-1, 2], and a kink along a line that is no axis.
TEST(Distribution2d, KinksAndUniform) {
  const Distribution2d distribution(each([](double a, double b) { return -std::abs(a) - std::abs(b - 0.3); }),
                                    {{-1, -1}, {2, 2}});
  const double along_a = 2 - std::exp(-1.0) - std::exp(-2.0), along_b = 2 - std::exp(-1.3) - std::exp(-1.7);
  EXPECT_NEAR(distribution.log_normalizer().value, std::log(along_a * along_b), 1e-6);
  QuadratureOptions rough = kDistribution2dOptions;
  rough.tolerance = 1e-4;
  const Distribution2d diagonal(each([](double a, double b) { return -3 * std::max(0.0, a - b); }),
                                {{0, 0}, {1, 1}}, rough);
  // Half of the square is 1; on the other the integral of (1 - s) exp(-3 s) over s in [0, 1].
  EXPECT_NEAR(std::exp(diagonal.log_normalizer().value), 0.5 + (2 + std::exp(-3.0)) / 9, 1e-4);
  const Distribution2d uniform(each([](double, double) { return 4.0; }), {{0, 0}, {2, 3}});
  EXPECT_NEAR(uniform.log_normalizer().value, 4 + std::log(6.0), 1e-12);
  EXPECT_EQ(uniform.modes().size(), 1U);
  EXPECT_NEAR(uniform.moments().covariance[1][1], 0.75, 1e-9);
}

TEST(Distribution2d, SettlesForWhatItReachesAndSaysHowFarThatIs) {
  const auto waves = each([](double a, double b) { return std::sin(90 * a) + std::cos(70 * b); });
  QuadratureOptions scarce = kDistribution2dOptions;
  scarce.max_points = 30'000;
  const Distribution2d rough(waves, {{0, 0}, {1, 1}}, scarce);
  double first = 0, second = 0;
  constexpr int kPoints = 1'000'000;
  for (int i = 0; i < kPoints; ++i) {
    const double y = (i + 0.5) / kPoints;
    first += std::exp(std::sin(90 * y)) / kPoints;
    second += std::exp(std::cos(70 * y)) / kPoints;
  }
  EXPECT_GT(rough.error(), scarce.tolerance);
  EXPECT_LE(std::abs(std::exp(rough.log_normalizer().value) / (first * second) - 1), rough.error());
  const Moments2d moments = rough.moments();
  EXPECT_NEAR(moments.mean[0], 0.5, 0.1);
}

TEST(Distribution2d, NamesThePointThatIsNotFinite) {
  try {
    Distribution2d(each([](double a, double) { return 1 / std::max(0.0, a - 0.5); }), {{0, 0}, {1, 1}});
    FAIL();
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("y = (0, 0)"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Distribution2d(each(correlated), {{0, 0}, {0, 1}}), UsageError);
}

}  // namespace
}  // namespace bl::gibbs
