#include "gibbs/distribution_1d.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bl/errors.hpp"

namespace bl::gibbs {
namespace {

template <class F>
LogDensity1d each(F f) {
  return [f](std::span<const double> y, std::span<double> out) {
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = f(y[i]);
  };
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

LogDensity1d normal(double mean, double sd, double constant = 0) {
  return each([=](double y) { return constant - 0.5 * (y - mean) * (y - mean) / (sd * sd); });
}

void expect_quantiles_invert(const Distribution1d& distribution) {
  for (const double p : {1e-6, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1 - 1e-6})
    EXPECT_NEAR(distribution.cdf(distribution.quantile(p)), p, 1e-11);
}

TEST(GaussKronrod, IsExactForPolynomialsOfItsDegree) {
  for (int degree = 0; degree <= 22; ++degree) {
    RuleValues values{};
    for (std::size_t i = 0; i < kRulePoints; ++i) values[i] = std::pow(rule_nodes()[i], degree);
    const double truth = degree % 2 == 0 ? 2.0 / (degree + 1) : 0.0;
    EXPECT_NEAR(weighted_sum(kronrod_weights(), values), truth, 1e-15) << degree;
    if (degree <= 13) {
      EXPECT_NEAR(weighted_sum(gauss_weights(), values), truth, 1e-15) << degree;
    }
    if (degree > 14) continue;
    const RulePolynomial polynomial(values);
    for (const double t : {-1.0, -0.3, 0.8, 1.0}) {
      EXPECT_NEAR(polynomial.value(t), std::pow(t, degree), 1e-13);
      EXPECT_NEAR(polynomial.integral_to(t),
                  (std::pow(t, degree + 1) - std::pow(-1.0, degree + 1)) / (degree + 1), 1e-13);
    }
  }
}

// Also with a log-density near 5000 or -5000, whose exponential is no number.
TEST(Distribution1d, Normal) {
  for (const double constant : {0.0, 5000.0, -5000.0}) {
    const Distribution1d distribution(normal(1.5, 0.3, constant), -4, 6);
    const double log_z = constant + std::log(0.3 * std::sqrt(2 * std::numbers::pi));
    EXPECT_NEAR(distribution.log_normalizer().value, log_z, 1e-9 + 1e-15 * std::abs(constant));
    EXPECT_LT(distribution.log_normalizer().error, 1e-8);
    EXPECT_NEAR(distribution.mean().value, 1.5, 1e-9);
    EXPECT_NEAR(distribution.variance().value, 0.09, 1e-9);
    EXPECT_NEAR(distribution.density(1.7), std::exp(-0.5 * 4 / 9.0) / (0.3 * std::sqrt(2 * std::numbers::pi)),
                1e-8);
    EXPECT_EQ(distribution.density(7), 0);
    for (double z = -5; z <= 5; z += 0.37) EXPECT_NEAR(distribution.cdf(1.5 + 0.3 * z), normal_cdf(z), 1e-9);
    EXPECT_NEAR(distribution.quantile(0.975), 1.5 + 0.3 * 1.959963984540054, 1e-7);
    ASSERT_EQ(distribution.modes().size(), 1U);
    // Rounding hides the top where the log-density has fallen by less than a few units of its last place.
    EXPECT_NEAR(distribution.modes()[0].y, 1.5,
                0.3 * std::sqrt(8 * 2.2e-16 * std::max(1.0, std::abs(constant))));
    const auto region = distribution.highest_density_region(0.9);
    ASSERT_EQ(region.size(), 1U);
    EXPECT_NEAR(region[0].lower, 1.5 - 0.3 * 1.6448536269514722, 1e-7);
    EXPECT_NEAR(region[0].upper, 1.5 + 0.3 * 1.6448536269514722, 1e-7);
    expect_quantiles_invert(distribution);
  }
}

// CRPS of N(m, s) at x (Gneiting and Raftery 2007): s (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)), z = (x -
// m)/s.
TEST(Distribution1d, ContinuousRankedProbabilityScore) {
  const Distribution1d distribution(normal(1, 0.5), -9, 11);
  for (const double x : {-2.0, 0.8, 1.0, 3.1}) {
    const double z = (x - 1) / 0.5;
    const double phi = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double truth = 0.5 * (z * (2 * normal_cdf(z) - 1) + 2 * phi - 1 / std::sqrt(std::numbers::pi));
    EXPECT_NEAR(distribution.crps(x), truth, 1e-8);
  }
  const Distribution1d uniform(each([](double) { return 3.0; }), 0, 1);
  EXPECT_NEAR(uniform.crps(-0.5), 0.5 + 1.0 / 3, 1e-12);
}

TEST(Distribution1d, LaplaceWithItsKinkOffTheGrid) {
  const double m = 0.123456789, b = 0.2;
  const Distribution1d distribution(each([=](double y) { return -std::abs(y - m) / b; }), -8, 8);
  EXPECT_NEAR(distribution.log_normalizer().value, std::log(2 * b), 1e-9);
  EXPECT_NEAR(distribution.mean().value, m, 1e-9);
  EXPECT_NEAR(distribution.variance().value, 2 * b * b, 1e-9);
  EXPECT_NEAR(distribution.quantile(0.9), m - b * std::log(0.2), 1e-8);
  EXPECT_NEAR(distribution.modes()[0].y, m, 1e-10);
  expect_quantiles_invert(distribution);
  // A kink that is no peak: exp(-relu(y)) on [-1, 1] has the integral 1 + 1 - 1/e.
  const Distribution1d relu(each([](double y) { return -std::max(0.0, y - 0.1); }), -0.9, 1.1);
  EXPECT_NEAR(std::exp(relu.log_normalizer().value), 2 - std::exp(-1.0), 1e-8);
  expect_quantiles_invert(relu);
}

TEST(Distribution1d, UniformAndTruncated) {
  const Distribution1d uniform(each([](double) { return -700.0; }), 2, 5);
  EXPECT_NEAR(uniform.log_normalizer().value, -700 + std::log(3.0), 1e-12);
  EXPECT_NEAR(uniform.quantile(0.25), 2.75, 1e-12);
  EXPECT_NEAR(uniform.variance().value, 0.75, 1e-12);
  ASSERT_EQ(uniform.modes().size(), 1U);
  EXPECT_NEAR(uniform.modes()[0].value, -std::log(3.0), 1e-12);
  const auto whole = uniform.highest_density_region(0.5);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].lower, 2);
  EXPECT_EQ(whole[0].upper, 5);

  const Distribution1d tail(normal(0, 1), 3, 9);
  const double mass = normal_cdf(-3) - normal_cdf(-9);
  EXPECT_NEAR(tail.cdf(3.5), (normal_cdf(-3) - normal_cdf(-3.5)) / mass, 1e-8);
  EXPECT_EQ(tail.modes()[0].y, 3);
  EXPECT_EQ(tail.quantile(0), 3);
  EXPECT_EQ(tail.cdf(2.9), 0);
  EXPECT_EQ(tail.cdf(9), 1);
  const auto region = tail.highest_density_region(0.8);
  EXPECT_NEAR(region[0].lower, 3, 1e-12);
  EXPECT_NEAR(tail.cdf(region[0].upper), 0.8, 1e-7);
}

// 0.25 N(-2, 0.1) + 0.75 N(1, 0.5).
TEST(Distribution1d, MixtureHasTwoModesAndARegionInTwoPieces) {
  const auto density = [](double y) {
    return 0.25 / 0.1 * std::exp(-0.5 * std::pow((y + 2) / 0.1, 2)) +
           0.75 / 0.5 * std::exp(-0.5 * std::pow((y - 1) / 0.5, 2));
  };
  const Distribution1d distribution(each([=](double y) { return std::log(density(y) + 1e-300); }), -6, 6);
  EXPECT_NEAR(std::exp(distribution.log_normalizer().value), std::sqrt(2 * std::numbers::pi), 1e-8);
  EXPECT_NEAR(distribution.mean().value, 0.25 * -2 + 0.75, 1e-8);
  EXPECT_NEAR(distribution.cdf(-2), 0.125, 1e-8);
  const auto modes = distribution.modes();
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_NEAR(modes[0].y, -2, 1e-6);
  EXPECT_NEAR(modes[1].y, 1, 1e-6);
  const auto region = distribution.highest_density_region(0.9);
  ASSERT_EQ(region.size(), 2U);
  double inside = 0;
  for (const Interval& piece : region)
    inside += distribution.cdf(piece.upper) - distribution.cdf(piece.lower);
  EXPECT_NEAR(inside, 0.9, 1e-8);
  EXPECT_NEAR(distribution.density(region[0].upper), distribution.density(region[1].lower), 1e-7);
  expect_quantiles_invert(distribution);
}

// Widths down to 1e-8 of the interval, two spikes at a time, of equal height.
TEST(Distribution1d, FindsNarrowSpikes) {
  for (const double width : {1e-3, 1e-5, 1e-8}) {
    const double a = 0.1234567, b = 0.7654321;
    const Distribution1d distribution(
        each(
            [=](double y) { return -0.5 * std::pow(std::min(std::abs(y - a), std::abs(y - b)) / width, 2); }),
        0, 1);
    EXPECT_NEAR(distribution.log_normalizer().value, std::log(2 * width * std::sqrt(2 * std::numbers::pi)),
                1e-7)
        << width;
    EXPECT_NEAR(distribution.cdf(0.5), 0.5, 1e-7) << width;
    EXPECT_EQ(distribution.modes().size(), 2U) << width;
    EXPECT_NEAR(distribution.quantile(0.25), a, 1e-6 * width + 1e-15);
  }
}

TEST(Distribution1d, ExpectationOfAFunctionWithAKink) {
  const Distribution1d distribution(normal(0, 1), -10, 10);
  const auto absolute = distribution.expectation(each([](double y) { return std::abs(y - 0.3); }));
  const double phi = std::exp(-0.045) / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(absolute.value, 2 * phi + 0.3 * (2 * normal_cdf(0.3) - 1), 1e-8);
  EXPECT_LT(absolute.error, 1e-7);
}

TEST(Distribution1d, NamesThePointThatIsNotFinite) {
  const auto broken = each([](double y) { return y > 0.5 ? std::nan("") : 0.0; });
  try {
    Distribution1d(broken, 0, 1);
    FAIL();
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("y = 0.50"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Distribution1d(each([](double y) { return 1 / (y * 0); }), 0, 1), NumericError);
  EXPECT_THROW(Distribution1d(normal(0, 1), 1, 1), UsageError);
  EXPECT_THROW(Distribution1d(normal(0, 1), 0, std::numeric_limits<double>::infinity()), UsageError);
  EXPECT_THROW(Distribution1d(normal(0, 1), 0, 1).quantile(1.5), UsageError);
}

// The integral of exp(sin(900 y)) over [0, 1], by the mean over whole periods (Bessel's I_0(1)) and the rest.
TEST(Distribution1d, SettlesForWhatItReachesAndSaysHowFarThatIs) {
  QuadratureOptions scarce;
  scarce.max_points = 300;
  const Distribution1d rough(each([](double y) { return std::sin(900 * y); }), 0, 1, scarce);
  double truth = 0;
  constexpr int kPoints = 2'000'000;
  for (int i = 0; i < kPoints; ++i) truth += std::exp(std::sin(900 * (i + 0.5) / kPoints)) / kPoints;
  EXPECT_GT(rough.error(), scarce.tolerance);
  EXPECT_LE(std::abs(std::exp(rough.log_normalizer().value) / truth - 1), rough.error());
  EXPECT_DOUBLE_EQ(rough.cdf(1), 1);
}

}  // namespace
}  // namespace bl::gibbs
