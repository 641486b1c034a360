#include "simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "bl/errors.hpp"
#include "closed_forms.hpp"
#include "simulation/continuous_draw.hpp"
#include "support/planted/problems.hpp"

namespace bl::simulation {
namespace {

constexpr std::uint64_t kSeed = 20;

std::vector<double> softmax(const std::vector<double>& utilities) {
  std::vector<double> out;
  double sum = 0;
  for (const double u : utilities) sum += std::exp(u);
  for (const double u : utilities) out.push_back(std::exp(u) / sum);
  return out;
}

// Probabilities of a row by hand; for alternatives, zero where unavailable.
std::vector<double> probabilities_by_hand(const std::string& name, const SimulatedData<double>& data,
                                          Index row) {
  const double* x = data.context.row(row);
  if (name == "binary_logit") {
    const double yes = closed_form::logit(x[0], x[1]);
    return {1 - yes, yes};
  }
  if (name == "workplace") return {1 - closed_form::office(x[0]), closed_form::office(x[0])};
  std::vector<double> utilities;
  if (name == "basket")
    for (int units = 1; units <= 3; ++units) utilities.push_back(closed_form::basket(x[0], x[1], units));
  if (name == "commuter")
    for (int mode = 0; mode < 3; ++mode) utilities.push_back(closed_form::commuter(x[0], x[1], mode));
  if (data.begin.empty()) return softmax(utilities);
  const auto at = static_cast<std::size_t>(row);
  for (auto j = data.begin[at]; j < data.begin[at + 1]; ++j) {
    const double* z = data.values.row(j);
    const double u = name == "shopper" ? closed_form::shopper(x[0], z[0], z[1])
                                       : closed_form::product_choice(x[0], z[0], z[1]);
    utilities.push_back(data.available[static_cast<std::size_t>(j)] ? u : -1e9);
  }
  return softmax(utilities);
}

std::size_t observed(const SimulatedData<double>& data, Index row) {
  const auto at = static_cast<std::size_t>(row);
  return static_cast<std::size_t>(data.begin.empty() ? data.classes[at] : data.chosen[at]);
}

class FiniteResponses : public testing::TestWithParam<std::string> {};

TEST_P(FiniteResponses, TrueProbabilitiesAreThoseOfTheFormula) {
  const Context job(1);
  const PlantedProblem& problem = planted_problem(GetParam());
  const SimulatedData<double> data = simulate(problem, 200, kSeed, job);
  // Sums of a few products each, and for the hybrid problem Gauss-Legendre panels of a quarter: round-off.
  const double tolerance = 1e-12;
  for (Index row = 0; row < data.rows; ++row) {
    const std::vector<double> p = probabilities_by_hand(GetParam(), data, row);
    const auto first = data.begin.empty() ? row * static_cast<Index>(p.size())
                                          : static_cast<Index>(data.begin[static_cast<std::size_t>(row)]);
    for (std::size_t k = 0; k < p.size(); ++k)
      EXPECT_NEAR(data.true_probabilities[static_cast<std::size_t>(first) + k], p[k], tolerance);
    if (problem.kind() != ResponseKind::hybrid) {
      EXPECT_NEAR(data.true_log_likelihood[static_cast<std::size_t>(row)], std::log(p[observed(data, row)]),
                  1e-10);
    }
  }
}

// Over all (row, candidate) pairs sorted into bins of probability: observed against expected numbers, each as
// a sum of independent rows with known variance; and the same sums weighted by the first context column.
TEST_P(FiniteResponses, FrequenciesAgreeWithProbabilities) {
  const Context job(2);
  const PlantedProblem& problem = planted_problem(GetParam());
  const SimulatedData<double> data =
      simulate(problem, problem.kind() == ResponseKind::hybrid ? 5000 : 40000, kSeed + 1, job);
  constexpr std::size_t kBins = 10;
  // [bin][plain, weighted]: sum of (observed - p) and of its variance.
  std::array<std::array<double, 2>, kBins> sums{}, variances{};
  std::map<std::size_t, std::array<double, 2>> by_candidate;
  for (Index row = 0; row < data.rows; ++row) {
    const std::vector<double> p = probabilities_by_hand(GetParam(), data, row);
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double surprise = (observed(data, row) == k ? 1.0 : 0.0) - p[k];
      by_candidate[k][0] += surprise;
      by_candidate[k][1] += p[k] * (1 - p[k]);
      const std::size_t bin = std::min(kBins - 1, static_cast<std::size_t>(p[k] * kBins));
      const std::array<double, 2> weights = {1, data.context(row, 0)};
      for (std::size_t w = 0; w < 2; ++w) {
        sums[bin][w] += weights[w] * surprise;
        // Candidates of one row that share a bin are negatively correlated: this is an upper bound.
        variances[bin][w] += weights[w] * weights[w] * p[k] * (1 - p[k]);
      }
    }
  }
  constexpr double kSigmas = 4.5;
  for (const auto& [k, sum] : by_candidate)
    EXPECT_LE(std::abs(sum[0]), kSigmas * std::sqrt(sum[1])) << "candidate " << k;
  for (std::size_t bin = 0; bin < kBins; ++bin)
    for (std::size_t w = 0; w < 2; ++w)
      EXPECT_LE(std::abs(sums[bin][w]), kSigmas * std::sqrt(variances[bin][w]) + 1e-9)
          << "bin " << bin << (w == 0 ? "" : " weighted");
}

INSTANTIATE_TEST_SUITE_P(Planted, FiniteResponses,
                         testing::Values("binary_logit", "shopper", "basket", "product_choice", "workplace",
                                         "commuter"),
                         [](const auto& name) { return name.param; });

TEST(Simulate, ChoiceSetsAreRaggedAndRespectAvailability) {
  const Context job(1);
  const PlantedProblem& problem = planted_problem("product_choice");
  const SimulatedData<double> data = simulate(problem, 2000, kSeed, job);
  std::array<int, 6> sizes{};
  std::size_t unavailable = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const auto size = static_cast<std::size_t>(data.begin[i + 1] - data.begin[i]);
    ASSERT_GE(size, 2u);
    ASSERT_LE(size, 5u);
    ++sizes[size];
    EXPECT_TRUE(data.available[static_cast<std::size_t>(data.begin[i] + data.chosen[i])]);
  }
  for (std::size_t size = 2; size <= 5; ++size) EXPECT_NEAR(sizes[size], 500, 4.5 * std::sqrt(500 * 0.75));
  for (const auto available : data.available) unavailable += available ? 0 : 1;
  const double exposed = static_cast<double>(data.available.size() - 2000);
  EXPECT_NEAR(static_cast<double>(unavailable), 0.2 * exposed, 4.5 * std::sqrt(0.16 * exposed));
}

// Largest distance between the empirical distribution of values that should be uniform and the uniform one,
// times sqrt(n); beyond 1.95 with probability 1e-3 (Kolmogorov's limit 2 exp(-2 t^2)).
double kolmogorov(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    distance = std::max(distance, std::abs(values[i] - static_cast<double>(i) / n));
    distance = std::max(distance, std::abs(values[i] - static_cast<double>(i + 1) / n));
  }
  return distance * std::sqrt(n);
}
constexpr double kKolmogorovLimit = 1.95;

// Integral of exp(log_density) from a to b by the midpoint rule: kinks cost it O(h^2) only.
double integral(const std::function<double(double)>& log_density, double a, double b, int cells) {
  const double h = (b - a) / cells;
  double sum = 0;
  for (int i = 0; i < cells; ++i) sum += std::exp(log_density(a + (i + 0.5) * h));
  return sum * h;
}

TEST(Simulate, ProducerIsTheClosedNormal) {
  const Context job(2);
  const SimulatedData<double> data = simulate(planted_problem("producer"), 10000, kSeed, job);
  std::vector<double> transformed;
  for (Index row = 0; row < data.rows; ++row) {
    const double* x = data.context.row(row);
    const auto [mean, standard_deviation] = closed_form::producer(x[0], x[1], x[2]);
    const double z = (data.values(row, 0) - mean) / standard_deviation;
    transformed.push_back(closed_form::normal_cdf(z));
    // Beyond ten standard deviations the support cuts off nothing that a double could see.
    EXPECT_NEAR(data.true_means(row, 0), mean, 1e-10);
    EXPECT_NEAR(data.true_log_likelihood[static_cast<std::size_t>(row)],
                -0.5 * z * z - std::log(standard_deviation * std::sqrt(2 * std::numbers::pi)), 1e-10);
  }
  EXPECT_LT(kolmogorov(transformed), kKolmogorovLimit);
}

TEST(Simulate, HoursAreNormalGivenThePlace) {
  const Context job(2);
  const SimulatedData<double> data = simulate(planted_problem("workplace"), 10000, kSeed, job);
  std::array<std::vector<double>, 2> transformed;
  for (Index row = 0; row < data.rows; ++row) {
    const auto place = static_cast<std::size_t>(data.classes[static_cast<std::size_t>(row)]);
    const auto [mean, standard_deviation] = closed_form::extra_hours(data.context(row, 0), place == 1);
    const double z = (data.values(row, 0) - mean) / standard_deviation;
    transformed[place].push_back(closed_form::normal_cdf(z));
    const double office = closed_form::office(data.context(row, 0));
    EXPECT_NEAR(data.true_log_likelihood[static_cast<std::size_t>(row)],
                std::log(place == 1 ? office : 1 - office) - 0.5 * z * z -
                    std::log(standard_deviation * std::sqrt(2 * std::numbers::pi)),
                1e-10);
  }
  EXPECT_LT(kolmogorov(transformed[0]), kKolmogorovLimit);
  EXPECT_LT(kolmogorov(transformed[1]), kKolmogorovLimit);
}

TEST(Simulate, ConsumptionFollowsItsKinkedDensity) {
  const Context job(2);
  const SimulatedData<double> data = simulate(planted_problem("consumption"), 4000, kSeed, job);
  std::vector<double> transformed;
  for (Index row = 0; row < data.rows; ++row) {
    const double need = data.context(row, 0), income = data.context(row, 1), y = data.values(row, 0);
    const auto log_density = [&](double at) { return closed_form::consumption(need, income, at); };
    const double below = integral(log_density, 0, y, 1000), above = integral(log_density, y, 6, 1000);
    transformed.push_back(below / (below + above));
    EXPECT_NEAR(data.true_log_likelihood[static_cast<std::size_t>(row)],
                log_density(y) - std::log(below + above), 2e-4);
  }
  EXPECT_LT(kolmogorov(transformed), kKolmogorovLimit);
}

// Rosenblatt's transform: the first response by its marginal, the second given the first.
TEST(Simulate, AllocationFollowsItsJointDensity) {
  const Context job(2);
  const SimulatedData<double> data = simulate(planted_problem("allocation"), 2000, kSeed, job);
  std::vector<double> first, second;
  for (Index row = 0; row < data.rows; ++row) {
    const double courage = data.context(row, 0), income = data.context(row, 1);
    const double* y = data.values.row(row);
    const auto given_stocks = [&](double stocks) {
      return [=](double bonds) { return closed_form::allocation(courage, income, stocks, bonds); };
    };
    const auto log_marginal = [&](double stocks) {
      return std::log(integral(given_stocks(stocks), 0, 4, 60));
    };
    const double below = integral(log_marginal, 0, y[0], 60), above = integral(log_marginal, y[0], 4, 60);
    first.push_back(below / (below + above));
    const double lower = integral(given_stocks(y[0]), 0, y[1], 200);
    const double upper = integral(given_stocks(y[0]), y[1], 4, 200);
    second.push_back(lower / (lower + upper));
    EXPECT_NEAR(data.true_log_likelihood[static_cast<std::size_t>(row)],
                given_stocks(y[0])(y[1]) - std::log(below + above), 5e-3);
  }
  EXPECT_LT(kolmogorov(first), kKolmogorovLimit);
  EXPECT_LT(kolmogorov(second), kKolmogorovLimit);
}

TEST(Simulate, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  const Context one(1), three(3);
  for (const PlantedProblem& problem : planted_problems()) {
    SCOPED_TRACE(problem.name);
    const SimulatedData<double> a = simulate(problem, 150, 7, one), b = simulate(problem, 150, 7, three);
    const SimulatedData<double> prefix = simulate(problem, 70, 7, one),
                                other = simulate(problem, 150, 8, one);
    EXPECT_TRUE(std::ranges::equal(a.context.flat(), b.context.flat()));
    EXPECT_TRUE(std::ranges::equal(a.values.flat(), b.values.flat()));
    EXPECT_EQ(a.classes, b.classes);
    EXPECT_EQ(a.chosen, b.chosen);
    EXPECT_EQ(a.true_log_likelihood, b.true_log_likelihood);
    EXPECT_NE(a.true_log_likelihood, other.true_log_likelihood);
    EXPECT_TRUE(std::equal(prefix.true_log_likelihood.begin(), prefix.true_log_likelihood.end(),
                           a.true_log_likelihood.begin()))
        << "the first rows of a longer data set";
  }
}

TEST(Simulate, NoRowsAreRefused) {
  const Context job(1);
  EXPECT_THROW(simulate(planted_problem("shopper"), 0, 3, job), UsageError);
}

// A density 1 + x on [0, 1] has the distribution function (x + x^2/2) / 1.5.
TEST(InvertPiecewiseLinear, IsExactForALinearDensity) {
  const std::vector<double> density = {1, 1.25, 1.5, 1.75, 2};
  for (const double x : {0.0, 0.1, 0.25, 0.4, 0.77, 1.0})
    EXPECT_NEAR(invert_piecewise_linear(density, (x + x * x / 2) / 1.5), x, 1e-14);
  const std::vector<double> rises_from_zero = {0, 1};
  EXPECT_NEAR(invert_piecewise_linear(rises_from_zero, 0.25), 0.5, 1e-15);
}

// A cell of 64 linear pieces, each h wide: the distribution function is off by about h^2 / 12 times the
// change of the density's slope, at most 3e-4 here.
TEST(DrawInCell, InvertsTheDistributionInsideTheCell) {
  const PlantedProblem& problem = planted_problem("producer");
  const GibbsDistribution distribution(problem.architecture, problem.parameters, problem.temperature);
  const std::vector<double> context = {0.4, -0.2, 0.5};
  const auto [mean, standard_deviation] = closed_form::producer(context[0], context[1], context[2]);
  const Cell cell{.lower = {-1}, .upper = {2}};
  const auto cdf = [&](double y) { return closed_form::normal_cdf((y - mean) / standard_deviation); };
  for (const double u : {0.001, 0.1, 0.5, 0.9, 0.999}) {
    std::array<double, 1> y{};
    draw_in_cell(distribution, context, cell, std::array{u}, y);
    EXPECT_NEAR((cdf(y[0]) - cdf(-1)) / (cdf(2) - cdf(-1)), u, 3e-4);
  }
}

// The kink stocks + bonds = income crosses the cell, so that the dimensions depend on each other. It costs
// the inner integral over bonds up to 0.01 s h^2 = 6e-3 of its value (slope jump s = 4, half width h = 0.4).
TEST(DrawInCell, TakesOneDimensionAfterTheOther) {
  const PlantedProblem& problem = planted_problem("allocation");
  const GibbsDistribution distribution(problem.architecture, problem.parameters, problem.temperature);
  const std::vector<double> context = {0.5, 2.5};
  const Cell cell{.lower = {0.8, 0.8}, .upper = {1.8, 1.6}};
  const auto given_stocks = [&](double stocks) {
    return [=](double bonds) { return closed_form::allocation(0.5, 2.5, stocks, bonds); };
  };
  const auto log_marginal = [&](double stocks) {
    return std::log(integral(given_stocks(stocks), 0.8, 1.6, 200));
  };
  for (const double u : {0.05, 0.4, 0.8}) {
    std::array<double, 2> y{};
    draw_in_cell(distribution, context, cell, std::array{u, 1 - u}, y);
    const double first = integral(log_marginal, 0.8, y[0], 200) / integral(log_marginal, 0.8, 1.8, 200);
    const double second =
        integral(given_stocks(y[0]), 0.8, y[1], 200) / integral(given_stocks(y[0]), 0.8, 1.6, 200);
    EXPECT_NEAR(first, u, 6e-3);
    EXPECT_NEAR(second, 1 - u, 3e-4);
  }
}

}  // namespace
}  // namespace bl::simulation
