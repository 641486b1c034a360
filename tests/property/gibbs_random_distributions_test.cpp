// Distributions of random utilities in one and two dimensions: they integrate to 1, quantiles invert the
// distribution function, and no point of a fine grid is higher than the mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "gibbs/distribution_1d.hpp"
#include "gibbs/distribution_2d.hpp"
#include "gibbs/mode.hpp"

namespace bl::gibbs {
namespace {

// A sum of terms of the kinds a utility is made of: tanh of a line, minus its positive part, minus its
// absolute value or square; over a temperature.
class RandomUtility : public LogDensity<double> {
 public:
  RandomUtility(std::uint64_t number, Index dimension, bool smooth) : dimension_(dimension), smooth_(smooth) {
    const RandomStream stream(number, Purpose::test);
    const std::size_t terms = 4 + stream.below(5, 0, 0);
    for (std::size_t k = 0; k < terms; ++k) {
      std::vector<double> term(static_cast<std::size_t>(dimension) + 2);
      stream.fill_normal(k + 1, term);
      for (double& v : term) v *= 1.5;
      terms_.push_back(term);
    }
    tau_ = 0.05 + stream.uniform(0, 1);
  }
  Index dimension() const override { return dimension_; }
  double value(const double* y, double* gradient) const {
    double sum = 0;
    if (gradient) std::fill_n(gradient, dimension_, 0.0);
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const auto& term = terms_[k];
      double line = term[0], slope = 0;
      for (Index j = 0; j < dimension_; ++j) line += term[static_cast<std::size_t>(j) + 2] * y[j];
      const double weight = std::abs(term[1]);
      switch (k % 4) {
        case 0:
          sum += term[1] * std::tanh(line), slope = term[1] * (1 - std::tanh(line) * std::tanh(line));
          break;
        case 1:
          sum -= weight * line * line / 2, slope = -weight * line;
          break;
        case 2:
          if (smooth_) break;
          sum -= weight * std::max(0.0, line), slope = line > 0 ? -weight : 0;
          break;
        default:
          if (smooth_) break;
          sum -= weight * std::abs(line), slope = line > 0 ? -weight : weight;
      }
      if (gradient)
        for (Index j = 0; j < dimension_; ++j)
          gradient[j] += slope * term[static_cast<std::size_t>(j) + 2] / tau_;
    }
    return sum / tau_;
  }
  void evaluate(Index, MatrixView<const double> points, std::span<double> values,
                MatrixView<double> gradient) const override {
    for (Index i = 0; i < points.rows; ++i)
      values[static_cast<std::size_t>(i)] = value(points.row(i), gradient.data ? gradient.row(i) : nullptr);
  }

 private:
  Index dimension_;
  bool smooth_;
  double tau_ = 1;
  std::vector<std::vector<double>> terms_;
};

TEST(RandomDistributions, OneDimension) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    const RandomUtility utility(number, 1, false);
    const double lower = -3, upper = 4;
    const Distribution1d distribution(
        [&](std::span<const double> y, std::span<double> out) {
          for (std::size_t i = 0; i < y.size(); ++i) out[i] = utility.value(&y[i], nullptr);
        },
        lower, upper);
    // The midpoint rule on n cells; kinks leave it an error of the order of (slope * cell)^2.
    const int n = 100000;
    const double cell = (upper - lower) / n;
    double sum = 0, below = 0, best = -1e300;
    const double middle = lower + cell * (n / 2);
    for (int i = 0; i < n; ++i) {
      const double y = lower + cell * (i + 0.5), value = utility.value(&y, nullptr);
      const double mass = cell * std::exp(value - distribution.log_normalizer().value);
      sum += mass;
      if (y < middle) below += mass;
      best = std::max(best, value);
    }
    EXPECT_NEAR(sum, 1, 1e-5) << number;
    EXPECT_NEAR(distribution.cdf(middle), below, 1e-5) << number;
    EXPECT_GE(distribution.modes()[0].value + distribution.log_normalizer().value,
              best - 1e-12 * std::abs(best))
        << number;
    for (const double p : {0.001, 0.05, 0.3, 0.5, 0.8, 0.99})
      EXPECT_NEAR(distribution.cdf(distribution.quantile(p)), p, 1e-9) << number;
    const Interval central = distribution.central_interval(0.9);
    double shortest = 0, mass = 0;
    for (const Interval& piece : distribution.highest_density_region(0.9)) {
      shortest += piece.upper - piece.lower;
      mass += distribution.cdf(piece.upper) - distribution.cdf(piece.lower);
    }
    EXPECT_LE(shortest, central.upper - central.lower + 1e-6) << number;
    EXPECT_GE(mass, 0.9 - 1e-6) << number;
    const auto found =
        find_mode(utility, Box::cube(1, lower, upper), mode_starts(Box::cube(1, lower, upper), 32, 1).view());
    EXPECT_GE(found.value, best - 1e-6 * std::max(1.0, std::abs(best))) << number;
  }
}

TEST(RandomDistributions, TwoDimensions) {
  for (std::uint64_t number = 0; number < 30; ++number) {
    const RandomUtility utility(1000 + number, 2, number % 2 == 0);
    QuadratureOptions options = kDistribution2dOptions;
    options.tolerance = 1e-4;
    const Distribution2d distribution(
        [&](MatrixView<const double> points, std::span<double> out) { utility.evaluate(0, points, out, {}); },
        {{-3, -2}, {3, 4}}, options);
    const int n = 600;
    const double cell = 6.0 / n;
    double sum = 0, best = -1e300;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const double y[2] = {-3 + cell * (i + 0.5), -2 + cell * (j + 0.5)};
        const double value = utility.value(y, nullptr);
        sum += cell * cell * std::exp(value - distribution.log_normalizer().value);
        best = std::max(best, value);
      }
    EXPECT_NEAR(sum, 1, 2e-3) << number;
    EXPECT_GE(distribution.modes()[0].value + distribution.log_normalizer().value,
              best - 1e-12 * std::abs(best))
        << number;
    const Box box{{-3, -2}, {3, 4}};
    const auto found = find_mode(utility, box, mode_starts(box, 32, 1).view());
    EXPECT_GE(found.value, best - 1e-6 * std::max(1.0, std::abs(best))) << number;
  }
}

}  // namespace
}  // namespace bl::gibbs
