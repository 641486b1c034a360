#include "piecewise/density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bl/errors.hpp"
#include "piecewise/segment.hpp"

namespace bl::piecewise {
namespace {

// By brute force in long double: every segment cut until it rises by little, five Gauss nodes in each part.
struct BruteForce {
  std::vector<double> places, values;
  long double top;

  BruteForce(std::vector<double> y, std::vector<double> u) : places(std::move(y)), values(std::move(u)) {
    top = *std::max_element(values.begin(), values.end());
  }
  template <class F>
  long double integral(F&& f, double from, double to) const {
    long double sum = 0;
    for (std::size_t k = 0; k + 1 < places.size(); ++k) {
      const long double a = std::max(places[k], from), b = std::min(places[k + 1], to);
      if (!(a < b)) continue;
      const long double h = places[k + 1] - static_cast<long double>(places[k]);
      const long double slope = (values[k + 1] - static_cast<long double>(values[k])) / h;
      const auto parts = static_cast<int>(std::min(20000.0L, 4 + std::ceil(8 * std::abs(slope) * (b - a))));
      for (int p = 0; p < parts; ++p)
        for (const GaussNode& node : kGauss) {
          const long double y = a + (b - a) * (p + node.place) / parts;
          const long double u = values[k] + slope * (y - places[k]);
          sum += node.weight * (b - a) / parts * std::exp(u - top) * f(y);
        }
    }
    return sum;
  }
  long double mass(double from, double to) const {
    return integral([](long double) { return 1.0L; }, from, to);
  }
  long double all() const { return mass(places.front(), places.back()); }
};

struct Shape {
  const char* name;
  double slope;  // typical
  double offset;
  double gap;  // smallest distance of breakpoints, relative
};

BruteForce random_function(const Shape& shape, unsigned seed, int pieces) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<double> y = {-2 + uniform(random)}, u = {shape.offset + normal(random)};
  for (int k = 0; k < pieces; ++k) {
    const double h = (k % 4 == 3 ? shape.gap : 1) * uniform(random);
    y.push_back(y.back() + h);
    u.push_back(u.back() + shape.slope * normal(random) * h);
  }
  return {y, u};
}

constexpr Shape kShapes[] = {{"ordinary", 3, 0, 1},       {"flat", 1e-9, 0, 1},
                             {"steep", 1e4, 0, 1},        {"huge utility", 5, 1e6, 1},
                             {"tiny steps", 5, 0, 1e-12}, {"low utility", 2, -1e6, 1}};

TEST(PiecewiseDensity, AgreesWithBruteForceOnRandomFunctions) {
  for (const Shape& shape : kShapes)
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(shape.name);
      const BruteForce truth = random_function(shape, seed, 3 + 3 * static_cast<int>(seed));
      const Density density(truth.places, truth.values);
      // The rise of a segment is a difference of utilities: that is what their size costs.
      const double tolerance = 1e-12 + 1e-15 * std::abs(shape.offset) + 3e-16 * shape.slope * 100;
      const long double all = truth.all();
      EXPECT_NEAR(density.log_normalizer(), static_cast<double>(truth.top + std::log(all)),
                  tolerance + 1e-15 * std::abs(shape.offset));
      const double range = density.upper() - density.lower();
      for (const double share : {0.03, 0.2, 0.5, 0.77, 0.999}) {
        const double y = density.lower() + share * range;
        const auto below = static_cast<double>(truth.mass(density.lower(), y) / all);
        EXPECT_NEAR(density.cdf(y), below, tolerance * 10);
      }
      const long double mean =
          truth.integral([](long double y) { return y; }, density.lower(), density.upper()) / all;
      EXPECT_NEAR(density.mean(), static_cast<double>(mean), tolerance * 10 * range);
      const long double variance = truth.integral([&](long double y) { return (y - mean) * (y - mean); },
                                                  density.lower(), density.upper()) /
                                   all;
      EXPECT_NEAR(density.variance(), static_cast<double>(variance),
                  1e-9 * static_cast<double>(variance) + 1e-18);
      for (const double tilt : {-2.0, 0.7}) {
        const long double tilted = truth.integral([&](long double y) { return std::exp(tilt * y); },
                                                  density.lower(), density.upper()) /
                                   all;
        EXPECT_NEAR(density.log_mean_exponential(tilt), static_cast<double>(std::log(tilted)),
                    tolerance * 10 + 1e-15 * std::abs(shape.offset));
      }
      double sum = 0, mean_by_rule = 0;
      for (const auto& [y, weight] : density.rule()) {
        sum += weight;
        mean_by_rule += weight * y;
      }
      EXPECT_NEAR(sum, 1, 1e-13);
      EXPECT_NEAR(mean_by_rule, density.mean(), 1e-10 * range);
    }
}

TEST(PiecewiseDensity, QuantilesInvertTheDistributionFunction) {
  for (const Shape& shape : kShapes)
    for (unsigned seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(shape.name);
      const BruteForce truth = random_function(shape, seed, 8);
      const Density density(truth.places, truth.values);
      for (const double p : {1e-12, 1e-6, 0.01, 0.3, 0.5, 0.500001, 0.9, 0.999999}) {
        const double y = density.quantile(p);
        // A place has the precision of a double: so much mass lies between neighbours.
        const double step = 4e-16 * std::max(1.0, std::abs(y)) * density.density(y);
        EXPECT_NEAR(density.cdf(y), p,
                    1e-13 * std::min(p, 1 - p) + 4e-16 + step + 1e-15 * std::abs(shape.offset) * p);
      }
      EXPECT_EQ(density.quantile(0), density.lower());
      EXPECT_EQ(density.quantile(1), density.upper());
    }
}

TEST(PiecewiseDensity, CrpsAgreesWithNumericalIntegration) {
  for (unsigned seed = 0; seed < 8; ++seed)
    for (const double slope : {0.0, 2.0, 60.0}) {
      const BruteForce truth = random_function({"", slope, 0, 1}, seed, 6);
      const Density density(truth.places, truth.values);
      const double range = density.upper() - density.lower();
      for (const double share : {-0.2, 0.0, 0.31, 0.6, 1.0, 1.4}) {
        const double observed = density.lower() + share * range;
        const double from = std::min(density.lower(), observed), to = std::max(density.upper(), observed);
        double sum = 0, transformed = 0;
        constexpr int kSteps = 200000;
        for (int i = 0; i < kSteps; ++i) {
          const double y = from + (to - from) * (i + 0.5) / kSteps;
          const double away = density.cdf(y) - (y >= observed ? 1 : 0);
          sum += away * away * (to - from) / kSteps;
          transformed += away * away * std::exp(0.5 * y) * (to - from) / kSteps;
        }
        EXPECT_NEAR(density.crps(observed), sum, 2e-5 * range);
        const double by_slope = density.crps(
            observed, [](double y) { return 2 * std::exp(0.5 * y); },
            [](double y) { return std::exp(0.5 * y); }, 0.5);
        EXPECT_NEAR(by_slope, transformed, 2e-5 * range * std::exp(0.5 * to));
        const double plain = density.crps(
            observed, [](double y) { return y; }, [](double) { return 1.0; }, 0);
        EXPECT_NEAR(plain, density.crps(observed), 1e-11 * range);
      }
    }
}

TEST(PiecewiseDensity, UniformExponentialAndLaplaceHaveTheirClosedForms) {
  const Density uniform({1, 2.5, 4}, {7, 7, 7});
  EXPECT_NEAR(uniform.log_normalizer(), 7 + std::log(3), 1e-14);
  EXPECT_NEAR(uniform.mean(), 2.5, 1e-14);
  EXPECT_NEAR(uniform.variance(), 0.75, 1e-14);
  EXPECT_NEAR(uniform.crps(4), 1.0, 1e-14);
  EXPECT_NEAR(uniform.density(3), 1.0 / 3, 1e-15);
  EXPECT_EQ(uniform.log_density(0.5), -std::numeric_limits<double>::infinity());

  const double rate = 3, end = 0.8;  // exponential, truncated
  const Density exponential({0, end}, {0, -rate * end});
  const double all = 1 - std::exp(-rate * end);
  EXPECT_NEAR(exponential.cdf(0.3), (1 - std::exp(-0.9)) / all, 1e-15);
  EXPECT_NEAR(exponential.mean(), 1 / rate - end * std::exp(-rate * end) / all, 1e-15);
  EXPECT_NEAR(exponential.quantile(0.4), -std::log1p(-0.4 * all) / rate, 1e-15);

  const Density laplace({-40, 0, 40}, {-40, 0, -40});  // what the ends cut off is beneath rounding
  EXPECT_NEAR(laplace.log_normalizer(), std::log(2), 1e-15);
  EXPECT_NEAR(laplace.variance(), 2, 1e-12);
  EXPECT_NEAR(laplace.quantile(0.95), -std::log(0.1), 1e-14);
  EXPECT_NEAR(laplace.crps(0), 0.25, 1e-14);
  EXPECT_NEAR(laplace.log_mean_exponential(0.5), std::log(4.0 / 3), 1e-8);
  EXPECT_EQ(laplace.mode(), 0);
  const auto region = laplace.highest_density_region(0.9);
  ASSERT_EQ(region.size(), 1U);
  EXPECT_NEAR(region[0].upper, std::log(10), 1e-10);
  EXPECT_NEAR(region[0].lower, -std::log(10), 1e-10);
}

TEST(PiecewiseDensity, RegionOfTwoPeaksHasTwoPartsOfTheMassAsked) {
  const Density density({-3, -2, 0, 2, 3}, {-4, 0, -6, -0.5, -9});
  const auto region = density.highest_density_region(0.8);
  ASSERT_EQ(region.size(), 2U);
  double mass = 0;
  for (const Interval& part : region) mass += density.cdf(part.upper) - density.cdf(part.lower);
  EXPECT_NEAR(mass, 0.8, 1e-12);
  EXPECT_NEAR(density.log_density(region[0].lower), density.log_density(region[1].upper), 1e-11);
}

TEST(PiecewiseDensity, RefusesWhatIsNotFinite) {
  EXPECT_THROW(Density({0, 1}, {0, std::nan("")}), NumericError);
}

TEST(Segment, SeriesMeetTheirClosedForms) {
  for (const double d : {0.0999999999, 0.1000000001, -0.0999999999, -0.1000000001, 0.2499999, 0.2500001}) {
    const double e = std::exp(d);
    EXPECT_NEAR(centre(d), e / (e - 1) - 1 / d, 2e-14);
    EXPECT_NEAR(spread(d), 1 / (d * d) - e / ((e - 1) * (e - 1)), 4e-13);
    EXPECT_NEAR(integral_of_squared_share(d),
                ((e * e - 1) / (2 * d) - 2 * (e - 1) / d + 1) / ((e - 1) * (e - 1)), 2e-12);
  }
}

}  // namespace
}  // namespace bl::piecewise
