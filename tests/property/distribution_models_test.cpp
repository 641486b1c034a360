// Distributions of random networks, all activations and skips: densities integrate to 1, quantiles invert the
// distribution function, modes are at least as high as the best of a fine grid, sampled class shares are
// those of quadrature, and low temperatures lead to the mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/reference/utility.hpp"
#include "gibbs/mode.hpp"
#include "gibbs/network_density.hpp"
#include "gibbs/utility.hpp"
#include "predict/row_sampler.hpp"
#include "support/random_problem.hpp"

namespace bl::gibbs {
namespace {

struct ActivationCase {
  std::array<Activation, 3> activations;
  Skip skip;
};

// Every activation of each kind and every skip, each pair of kinds of head in several company.
std::vector<ActivationCase> activation_cases() {
  std::vector<ActivationCase> out;
  const Skip skips[] = {Skip::none, Skip::input, Skip::dense, Skip::residual};
  std::size_t number = 0;
  for (const Activation u : activations_of(HeadKind::utility))
    for (const Activation c : activations_of(HeadKind::inequality))
      for (const Activation t : activations_of(HeadKind::equality))
        for (const Skip skip : skips) {
          // A third of the combinations is enough for two and covers all pairs over the seeds below.
          if (number++ % 3 == 0) out.push_back({{u, c, t}, skip});
        }
  return out;
}

Architecture architecture_of(const ActivationCase& c, Index context, Index values) {
  Architecture a = stacked({.context = context, .values = values, .classes = 0}, {4, 3});
  a.activations = c.activations;
  a.skip = c.skip;
  return a;
}

Support cube(Index dimension, double lower, double upper) {
  const auto d = static_cast<std::size_t>(dimension);
  return {std::vector<double>(d, lower), std::vector<double>(d, upper)};
}

class NaiveDistribution {
 public:
  NaiveDistribution(const Architecture& architecture, const std::vector<double>& parameters,
                    std::vector<double> context, double temperature)
      : layout_(architecture),
        model_(architecture, layout_, parameters),
        z_(std::move(context)),
        temperature_(temperature) {}
  double operator()(std::initializer_list<double> y) const {
    std::vector<double> z = z_;
    z.insert(z.end(), y);
    return model_.outputs(z)[0] / temperature_;
  }

 private:
  ParameterLayout layout_;
  reference::Utility model_;
  std::vector<double> z_;
  double temperature_;
};

TEST(ModelDistributions, OneDimension) {
  std::uint64_t seed = 0;
  for (const ActivationCase& c : activation_cases()) {
    const Architecture a = architecture_of(c, 2, 1);
    const auto parameters = test::random_parameters(ParameterLayout(a), ++seed);
    const double temperature = seed % 2 ? 1.0 : 0.3;
    const Utility utility(a, parameters, temperature, cube(1, -4, 4));
    const std::vector<double> context = {0.3, -0.8};
    const NaiveDistribution naive(a, parameters, context, temperature);
    const Distribution1d distribution = utility.distribution_1d(context.data(), kAllClasses);
    // The midpoint rule: a kink costs the square of a cell, (8e-4)^2 times slopes up to a hundred.
    const int cells = 10000;
    const double cell = 8.0 / cells, middle = -4 + cell * (cells / 3);
    double sum = 0, below = 0, best = -1e300;
    for (int i = 0; i < cells; ++i) {
      const double y = -4 + cell * (i + 0.5), value = naive({y});
      const double mass = cell * std::exp(value - distribution.log_normalizer().value);
      sum += mass;
      if (y < middle) below += mass;
      best = std::max(best, value);
    }
    EXPECT_NEAR(sum, 1, 1e-4) << seed;
    EXPECT_NEAR(distribution.cdf(middle), below, 1e-4) << seed;
    for (const double p : {0.01, 0.25, 0.5, 0.9, 0.999})
      EXPECT_NEAR(distribution.cdf(distribution.quantile(p)), p, 1e-9) << seed;
    const double slack = 1e-12 * (1 + std::abs(best));
    EXPECT_GE(distribution.modes().front().value + distribution.log_normalizer().value, best - slack) << seed;
  }
}

TEST(ModelDistributions, TwoDimensions) {
  std::uint64_t seed = 100;
  for (const ActivationCase& c : activation_cases()) {
    const Architecture a = architecture_of(c, 1, 2);
    const auto parameters = test::random_parameters(ParameterLayout(a), ++seed);
    const Utility utility(a, parameters, 1, cube(2, -3, 3));
    const std::vector<double> context = {0.5};
    const NaiveDistribution naive(a, parameters, context, 1);
    const Distribution2d distribution = utility.distribution_2d(context.data(), kAllClasses);
    const int cells = 100;
    const double cell = 6.0 / cells;
    double sum = 0, best = -1e300;
    std::array<double, 2> mean{};
    for (int i = 0; i < cells; ++i)
      for (int j = 0; j < cells; ++j) {
        const double y0 = -3 + cell * (i + 0.5), y1 = -3 + cell * (j + 0.5), value = naive({y0, y1});
        const double mass = cell * cell * std::exp(value - distribution.log_normalizer().value);
        sum += mass;
        mean[0] += mass * y0;
        mean[1] += mass * y1;
        best = std::max(best, value);
      }
    // The midpoint rule errs by about cell^2/24 times the curvature of the density, here some tens.
    EXPECT_NEAR(sum, 1, 5e-3) << seed;
    const Moments2d moments = distribution.moments();
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(moments.mean[k], mean[k], 1.5e-2) << seed;
    EXPECT_GE(distribution.modes().front().value + distribution.log_normalizer().value,
              best - 1e-12 * (1 + std::abs(best)))
        << seed;
    Matrix<double> row(1, 1);
    row(0, 0) = context[0];
    const NetworkDensity<double> density(utility.network(), utility.prepared(), 1, row, 1, kChainsPerChunk);
    const Box box{utility.support().lower, utility.support().upper};
    const ModeResult mode = find_mode(density, box, mode_starts(box, 32, 1).view());
    EXPECT_GE(mode.value, best - 1e-6 * (1 + std::abs(best))) << seed;
    EXPECT_NEAR(naive({mode.point[0], mode.point[1]}), mode.value, 1e-9 * (1 + std::abs(best))) << seed;
  }
}

// The class shares of alternating draws are the ratios of the classes' normalisers, and the draws of the
// continuous part follow the mixture, in scalar and in vector form.
TEST(ModelDistributions, HybridSamplingAgreesWithQuadrature) {
  const Context job(2);
  for (const bool vector : {false, true}) {
    const Architecture a = vector ? stacked_vector({.context = 1, .values = 1, .classes = 0}, {4, 3}, 3)
                                  : stacked({.context = 1, .values = 1, .classes = 3}, {4, 2});
    const Utility utility(a, test::random_parameters(ParameterLayout(a), 17), 1, cube(1, -3, 3));
    const Index rows = 3;
    Matrix<double> context(rows, 1);
    for (Index i = 0; i < rows; ++i) context(i, 0) = static_cast<double>(i) - 1;
    RowSamplerOptions options;
    options.chains = 64;
    options.draws = 64 * 400;
    options.seed = 3;
    const RowSamples samples = sample_rows(utility, context, options, job);
    for (Index i = 0; i < rows; ++i) {
      const Distribution1d marginal = utility.distribution_1d(context.row(i), kAllClasses);
      const double normalizer = marginal.log_normalizer().value;
      // Draws of a chain depend on each other: errors from the 64 chain means, 5 of them on either side. What
      // is rarer than five draws may not be seen at all.
      const double rarest = 5 / static_cast<double>(options.draws);
      const auto mean_and_error = [&](const auto& statistic) {
        double sum = 0, square = 0;
        for (Index chain = 0; chain < options.chains; ++chain) {
          double mean = 0;
          for (Index d = chain; d < options.draws; d += options.chains)
            mean += statistic(i * options.draws + d) / 400;
          sum += mean / 64;
          square += mean * mean / 64;
        }
        return std::pair(sum, 5 * std::sqrt(std::max(0.0, square - sum * sum) / 63) + rarest);
      };
      for (std::int32_t c = 0; c < 3; ++c) {
        const double truth =
            std::exp(utility.distribution_1d(context.row(i), c).log_normalizer().value - normalizer);
        const auto [share, error] = mean_and_error(
            [&](Index d) { return samples.classes[static_cast<std::size_t>(d)] == c ? 1.0 : 0.0; });
        EXPECT_NEAR(share, truth, error) << "row " << i << " class " << c << " vector " << vector;
      }
      for (const double p : {0.1, 0.5, 0.9}) {
        const double q = marginal.quantile(p);
        const auto [share, error] =
            mean_and_error([&](Index d) { return samples.values(d, 0) <= q ? 1.0 : 0.0; });
        EXPECT_NEAR(share, p, error) << "row " << i << " quantile " << p << " vector " << vector;
      }
    }
  }
}

// Some responses held, the others and the class drawn: shares are those of the distribution on the line that
// is left.
TEST(ModelDistributions, HeldResponsesWithClasses) {
  const Context job(2);
  const Architecture a = stacked({.context = 1, .values = 2, .classes = 3}, {4, 2});
  const Utility utility(a, test::random_parameters(ParameterLayout(a), 19), 1, cube(2, -3, 3));
  Matrix<double> context(2, 1);
  context(0, 0) = -0.5;
  context(1, 0) = 0.8;
  RowSamplerOptions options;
  options.chains = 64;
  options.draws = 64 * 200;
  options.free = {1};
  options.held.resize(2, 2);
  for (Index i = 0; i < 2; ++i) options.held(i, 0) = i == 0 ? 0.4 : -1.1, options.held(i, 1) = std::nan("");
  const RowSamples samples = sample_rows(utility, context, options, job);
  for (Index i = 0; i < 2; ++i) {
    const auto line = [&](std::int32_t c) {
      return Distribution1d(
          [&, c](std::span<const double> y, std::span<double> out) {
            Matrix<double> points(static_cast<Index>(y.size()), 2);
            for (std::size_t k = 0; k < y.size(); ++k) {
              points(static_cast<Index>(k), 0) = options.held(i, 0);
              points(static_cast<Index>(k), 1) = y[k];
            }
            utility.log_density(context.row(i), c, points.view(), out);
          },
          -3, 3);
    };
    const Distribution1d all = line(kAllClasses);
    const auto expect_share = [&](double truth, const auto& holds) {
      double sum = 0, square = 0;
      for (Index chain = 0; chain < 64; ++chain) {
        double share = 0;
        for (Index d = chain; d < options.draws; d += 64)
          share += holds(i * options.draws + d) ? 1.0 / 200 : 0;
        sum += share / 64;
        square += share * share / 64;
      }
      EXPECT_NEAR(sum, truth, 5 * std::sqrt(std::max(0.0, square - sum * sum) / 63) + 5.0 / (64 * 200))
          << "row " << i;
    };
    for (std::int32_t c = 0; c < 3; ++c)
      expect_share(std::exp(line(c).log_normalizer().value - all.log_normalizer().value),
                   [&](Index d) { return samples.classes[static_cast<std::size_t>(d)] == c; });
    for (const double p : {0.2, 0.5, 0.8}) {
      const double q = all.quantile(p);
      expect_share(p, [&](Index d) { return samples.values(d, 1) <= q; });
    }
    for (Index d = 0; d < options.draws; ++d)
      ASSERT_EQ(samples.values(i * options.draws + d, 0), options.held(i, 0));
  }
}

// Exact draws of any model gather at its mode as tau -> 0: a draw lies below the maximum by an amount of the
// size of tau.
TEST(ModelDistributions, QuantilesOfLowTemperaturesAreTheMode) {
  std::uint64_t seed = 200;
  for (const ActivationCase& c : activation_cases()) {
    const Architecture a = architecture_of(c, 1, 1);
    const Utility utility(a, test::random_parameters(ParameterLayout(a), ++seed), 1, cube(1, -3, 3));
    const double context = -0.3;
    const Distribution1d trained = utility.distribution_1d(&context, kAllClasses);
    const double mode = trained.modes().front().y, top = trained.modes().front().value;
    double previous = 1e300;
    for (const double tau : {1e-1, 1e-2, 1e-4}) {
      const Distribution1d cold = utility.at_temperature(tau).distribution_1d(&context, kAllClasses);
      EXPECT_NEAR(cold.modes().front().y, mode, 1e-5) << seed;
      double gap = 0;
      for (const double p : {0.1, 0.3, 0.5, 0.7, 0.9}) {
        const double y = cold.quantile(p);
        double log_density = 0;
        trained.log_density(std::span<const double>(&y, 1), std::span<double>(&log_density, 1));
        gap = std::max(gap, top - log_density);
      }
      EXPECT_LT(gap, previous) << seed << " at " << tau;
      previous = gap;
    }
    EXPECT_LT(previous, 20e-4) << seed;
  }
}

// The same by sampling in two dimensions. A single layer with an identity is concave: no second mode can hold
// a chain. In d dimensions the utility lies about d tau/2 (smooth) to d tau (kinks) below its maximum, with
// an exponential tail.
TEST(ModelDistributions, DrawsOfLowTemperaturesAreTheMode) {
  const Context job(2);
  for (const bool smooth : {true, false}) {
    Architecture a = stacked({.context = 1, .values = 2, .classes = 0}, {6});
    a.activations = smooth ? std::array{Activation::identity, Activation::softplus, Activation::square}
                           : std::array{Activation::identity, Activation::relu, Activation::abs};
    const Utility utility(a, test::random_parameters(ParameterLayout(a), 23), 1, cube(2, -3, 3));
    Matrix<double> context(1, 1);
    context(0, 0) = 0.4;
    const NetworkDensity<double> density(utility.network(), utility.prepared(), 1, context, 1,
                                         kChainsPerChunk);
    const Box box{utility.support().lower, utility.support().upper};
    const ModeResult mode = find_mode(density, box, mode_starts(box, 16, 1).view());
    RowSamplerOptions options;
    options.chains = 16;
    options.draws = 16 * 60;
    options.warmup = 600;
    double distance = 0;
    for (const double tau : {0.1, 0.01, 1e-4}) {
      const RowSamples samples = sample_rows(utility.at_temperature(tau), context, options, job);
      std::vector<double> u(static_cast<std::size_t>(options.draws));
      utility.log_density(context.row(0), kAllClasses, samples.values.view(), u);
      double mean_gap = 0;
      distance = 0;
      for (Index d = 0; d < options.draws; ++d) {
        const double gap = mode.value - u[static_cast<std::size_t>(d)];
        EXPECT_GE(gap, -1e-9) << tau;
        EXPECT_LE(gap, 25 * tau) << tau;
        mean_gap += gap / static_cast<double>(options.draws);
        for (Index k = 0; k < 2; ++k)
          distance =
              std::max(distance, std::abs(samples.values(d, k) - mode.point[static_cast<std::size_t>(k)]));
      }
      EXPECT_LT(mean_gap, 3 * tau) << smooth << " " << tau;
      EXPECT_GT(mean_gap, 0.2 * tau) << smooth << " " << tau;
    }
    EXPECT_LT(distance, 0.1) << "at the lowest temperature, smooth " << smooth;
  }
}

}  // namespace
}  // namespace bl::gibbs
