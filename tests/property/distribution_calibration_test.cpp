// Distributions fitted to data of the planted problems are calibrated on rows they have not seen, and draws
// of a fitted distribution follow its own distribution function.
//
// The probability-integral transform F(y | x) of observations is uniform where F is their distribution. With
// n held-out rows and a distribution fitted to m rows, F errs by an amount of order sqrt(k/m) (k parameters),
// so the empirical distribution of the transform has a bias of that order beside its own 1/sqrt(n):
// Kolmogorov and Smirnov's statistic keeps its level only where n is small against m/k. With m = 4000 and n =
// 400 the bias, a fraction of sqrt(k/m) = 0.04 because errors of different rows cancel in part, is well below
// the critical distance at 1%, 1.63/sqrt(400) = 0.08. A distribution that is wrong by more is found: the last
// test shows that a temperature wrong by the factor 2 fails it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gibbs/utility.hpp"
#include "predict/row_sampler.hpp"
#include "support/planted/problems.hpp"
#include "support/planted/recovery.hpp"

namespace bl::simulation {
namespace {

constexpr Index kHeldOut = 400;

// Distance of the empirical distribution from the uniform one, times sqrt(n) (+ Stephens' small-sample
// terms).
double kolmogorov_smirnov(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double at = static_cast<double>(i);
    distance = std::max({distance, (at + 1) / n - u[i], u[i] - at / n});
  }
  return distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
}
constexpr double kCritical = 1.6276;  // the 1% point of Kolmogorov's distribution

gibbs::Utility utility_of(const PlantedProblem& problem, const std::vector<double>& parameters) {
  return gibbs::Utility(problem.architecture, parameters, problem.temperature, problem.support);
}

// F(y_i | x_i); in two dimensions Rosenblatt's transform: F(y_0 | x), then F(y_1 | x, y_0), each uniform.
std::vector<std::vector<double>> transforms(const gibbs::Utility& utility, const SimulatedData<double>& data,
                                            const Context& job) {
  const auto rows = static_cast<std::size_t>(data.rows);
  std::vector<std::vector<double>> out(static_cast<std::size_t>(utility.values()), std::vector<double>(rows));
  job.run(rows, [&](std::size_t i) {
    const auto row = static_cast<Index>(i);
    if (utility.values() == 1) {
      out[0][i] = utility.distribution_1d(data.context.row(row), gibbs::kAllClasses).cdf(data.values(row, 0));
    } else {
      const gibbs::Distribution2d distribution =
          utility.distribution_2d(data.context.row(row), gibbs::kAllClasses);
      out[0][i] = distribution.marginal(0).cdf(data.values(row, 0));
      out[1][i] = distribution.conditional(1, data.values(row, 0)).cdf(data.values(row, 1));
    }
  });
  return out;
}

struct Case {
  const char* problem;
  Index rows;
  int tries;
  Index try_rows;
  Index held_out;
};

class Calibration : public testing::TestWithParam<Case> {
 protected:
  static RecoverySpec spec() {
    RecoverySpec out;
    out.training_rows = GetParam().rows;
    out.held_out_rows = 10;
    out.tries = GetParam().tries;
    out.try_rows = GetParam().try_rows;
    out.starts = 1;
    return out;
  }
};

TEST_P(Calibration, HeldOutRowsAndDraws) {
  const Context job(2);
  const PlantedProblem& problem = planted_problem(GetParam().problem);
  const gibbs::Utility utility = utility_of(problem, recover(problem, spec(), job).parameters);
  const SimulatedData<double> held_out = simulate(problem, GetParam().held_out, 777, job);
  for (const auto& transform : transforms(utility, held_out, job))
    EXPECT_LT(kolmogorov_smirnov(transform), kCritical) << "observations";

  // One draw per row, the last of a chain: independent, and exactly uniform under the distribution they are
  // drawn from.
  RowSamplerOptions options;
  options.chains = 1;
  options.draws = 25;
  options.seed = 5;
  const RowSamples samples = sample_rows(utility, held_out.context, options, job);
  SimulatedData<double> drawn = held_out;
  for (Index i = 0; i < held_out.rows; ++i)
    for (Index k = 0; k < utility.values(); ++k)
      drawn.values(i, k) = samples.values(i * options.draws + options.draws - 1, k);
  for (const auto& transform : transforms(utility, drawn, job))
    EXPECT_LT(kolmogorov_smirnov(transform), kCritical) << "draws";
}

INSTANTIATE_TEST_SUITE_P(Planted, Calibration,
                         testing::Values(Case{"producer", 4000, 6, 200, 400},
                                         Case{"consumption", 4000, 8, 150, 400},
                                         Case{"allocation", 1000, 2, 60, 100},
                                         Case{"workplace", 4000, 1, 500, 400}),
                         [](const auto& one) { return std::string(one.param.problem); });

// All draws of all rows, through quantiles as well: shares below the quantiles of the distribution of each
// row.
TEST(Calibration, DrawsFallBelowTheQuantilesOfTheirDistribution) {
  const Context job(2);
  for (const char* name : {"producer", "consumption"}) {
    const PlantedProblem& problem = planted_problem(name);
    const gibbs::Utility utility = utility_of(problem, problem.parameters);
    const SimulatedData<double> rows = simulate(problem, 50, 778, job);
    RowSamplerOptions options;
    options.chains = 8;
    options.draws = 8 * 50;
    const RowSamples samples = sample_rows(utility, rows.context, options, job);
    for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95}) {
      // The 8 chains of each of the 50 rows give 400 independent shares: their spread is the error.
      double sum = 0, square = 0;
      for (Index i = 0; i < rows.rows; ++i) {
        const double q = utility.distribution_1d(rows.context.row(i), gibbs::kAllClasses).quantile(p);
        for (Index chain = 0; chain < options.chains; ++chain) {
          double share = 0;
          for (Index d = chain; d < options.draws; d += options.chains)
            share += samples.values(i * options.draws + d, 0) <= q ? 0.02 : 0;
          sum += share / 400;
          square += share * share / 400;
        }
      }
      EXPECT_NEAR(sum, p, 4.5 * std::sqrt((square - sum * sum) / 399)) << name << " " << p;
    }
  }
}

// The test has power: a distribution twice as hot, or moved by a third of a standard deviation, is refused.
TEST(Calibration, RefusesAWrongDistribution) {
  const Context job(2);
  const PlantedProblem& problem = planted_problem("producer");
  const gibbs::Utility truth = utility_of(problem, problem.parameters);
  SimulatedData<double> data = simulate(problem, kHeldOut, 777, job);
  EXPECT_LT(kolmogorov_smirnov(transforms(truth, data, job)[0]), kCritical);
  EXPECT_GT(kolmogorov_smirnov(transforms(truth.at_temperature(2 * problem.temperature), data, job)[0]),
            kCritical);
  for (double& y : data.values.flat()) y += 0.2;
  EXPECT_GT(kolmogorov_smirnov(transforms(truth, data, job)[0]), kCritical);
}

}  // namespace
}  // namespace bl::simulation
