// Problems with known solutions are learned back from rows.
#include "support/planted/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/planted/problems.hpp"
#include "support/planted/standard_errors.hpp"
#include "unit/simulation/closed_forms.hpp"

namespace bl::simulation {
namespace {

// Score matching learns the distribution blurred by sigma = 0.1: precision 2 becomes 1 / (1/2 + sigma^2), 2%
// less, and linear terms shrink likewise.
constexpr double kBlur = 0.02;

struct Case {
  const char* problem;
  Index rows;
  int tries;
  Index try_rows;
};

void expect_recovered(const PlantedProblem& problem, const RecoverySpec& spec, const RecoveryResult& result) {
  constexpr double kErrors = 4.5;  // two-sided 7e-6 each
  double free = 0;
  for (const ProblemLine& line : result.lines) {
    std::vector<Coefficient> all = line.terms;
    all.push_back(line.lambda);
    for (const Coefficient& c : all) {
      if (c.standard_error == 0) {
        EXPECT_NEAR(c.learned, c.truth, 1e-12) << c.term;
        continue;
      }
      ++free;
      const double blur = problem.kind() == ResponseKind::hybrid ? kBlur * std::abs(c.truth) : 0;
      EXPECT_NEAR(c.learned, c.truth, kErrors * c.standard_error + blur)
          << letter(line.kind) << " " << c.term << ", standard error " << c.standard_error;
    }
  }
  // Twice n times the divergence is about chi-square with `free` degrees of freedom: mean free, variance
  // 2 free. Hybrid: score matching is less efficient than the likelihood (and blurred), by less than tenfold.
  const DistributionComparison& c = result.comparison;
  const double rows = static_cast<double>(spec.training_rows);
  const double slack = problem.kind() == ResponseKind::hybrid ? 10 : 1;
  EXPECT_GE(c.divergence, -1e-9);
  EXPECT_LE(c.divergence, slack * (free + 5 * std::sqrt(2 * free) + 10) / (2 * rows));
  EXPECT_LE(c.divergence, 0.05 * (c.true_log_likelihood - c.null_log_likelihood));
  // The held-out difference estimates the divergence with variance about 2 divergence / rows.
  EXPECT_NEAR(
      c.true_log_likelihood - c.learned_log_likelihood, c.divergence,
      5 * std::sqrt(2 * c.divergence / static_cast<double>(spec.held_out_rows)) + 1e-3 * c.divergence);
  // Nine tenths of the way from the null model to the truth.
  EXPECT_GT(c.learned_log_likelihood - c.null_log_likelihood,
            0.9 * (c.true_log_likelihood - c.null_log_likelihood));
}

class Recovery : public testing::TestWithParam<Case> {};

TEST_P(Recovery, FindsTheProblemAgain) {
  const Context job(2);
  const PlantedProblem& problem = planted_problem(GetParam().problem);
  RecoverySpec spec;
  spec.training_rows = GetParam().rows;
  spec.held_out_rows = 500;
  spec.tries = GetParam().tries;
  spec.try_rows = GetParam().try_rows;
  spec.starts = 1;
  const RecoveryResult result = recover(problem, spec, job);
  // At a kink there is no small gradient to converge to: the fit ends where no lower point is found.
  EXPECT_TRUE(result.fit.reason == StopReason::converged || result.fit.reason == StopReason::no_descent)
      << result.fit.cause;
  expect_recovered(problem, spec, result);
}

// Several tries where an inequality can fall asleep or optima are several; continuous ones cost most.
INSTANTIATE_TEST_SUITE_P(Planted, Recovery,
                         testing::Values(Case{"binary_logit", 20000, 1, 1000},
                                         Case{"shopper", 10000, 16, 1000}, Case{"basket", 10000, 16, 1000},
                                         Case{"product_choice", 10000, 1, 1000},
                                         Case{"producer", 2000, 6, 200}, Case{"consumption", 1200, 8, 150},
                                         Case{"allocation", 500, 2, 60}, Case{"workplace", 4000, 1, 500},
                                         Case{"commuter", 20000, 8, 1000}),
                         [](const auto& one) { return std::string(one.param.problem); });

TEST(Recovery, EveryProblemHasACase) {
  EXPECT_EQ(planted_problems().size(), 9u) << "add new problems to the list above";
}

// The information of a logit is mean p (1 - p) f f'. The outer product of gradients estimates it from rows:
// its relative error is a few / sqrt(n).
TEST(StandardErrors, AreThoseOfTheLogit) {
  const Context job(2);
  const PlantedProblem& problem = planted_problem("binary_logit");
  const SimulatedData<double> data = simulate(problem, 40000, 11, job);
  const Network<double> network(problem.architecture);
  const Objective<double> objective(network, fitting_objective(problem), data.view());
  const std::vector<double> errors = standard_errors(problem, objective, 1, job);
  double information[3][3] = {};
  for (Index row = 0; row < data.rows; ++row) {
    const double f[3] = {1, data.context(row, 0), data.context(row, 1)};
    const double p = closed_form::logit(f[1], f[2]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) information[i][j] += p * (1 - p) * f[i] * f[j];
  }
  const auto minor = [&](int r, int s, int t, int u) {
    return information[r][s] * information[t][u] - information[r][u] * information[t][s];
  };
  const double determinant = information[0][0] * minor(1, 1, 2, 2) - information[0][1] * minor(1, 0, 2, 2) +
                             information[0][2] * minor(1, 0, 2, 1);
  const double expected[3] = {minor(1, 1, 2, 2) / determinant, minor(0, 0, 2, 2) / determinant,
                              minor(0, 0, 1, 1) / determinant};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(errors[i] / std::sqrt(expected[i]), 1, 0.02);
  EXPECT_EQ(errors[3], 0) << "lambda is set, not learned";
}

TEST(Comparison, TheTruthIsAtNoDistanceFromItself) {
  const Context job(1);
  for (const PlantedProblem& problem : planted_problems()) {
    const SimulatedData<double> data = simulate(problem, 30, 12, job);
    const DistributionComparison same = compare_with_truth(problem, problem.parameters, data, job);
    EXPECT_EQ(same.divergence, 0) << problem.name;
    EXPECT_EQ(same.total_variation, 0) << problem.name;
    EXPECT_NEAR(same.learned_log_likelihood, same.true_log_likelihood, 1e-12) << problem.name;
  }
}

// Two normal distributions of equal variance v and means m apart: divergence m^2 / (2 v).
TEST(Comparison, DivergenceOfNormalsIsTheClosedForm) {
  const Context job(1);
  const PlantedProblem& problem = planted_problem("producer");
  const SimulatedData<double> data = simulate(problem, 40, 13, job);
  std::vector<double> shifted = problem.parameters;
  shifted[0] += 0.3;  // the coefficient of output in U: moves the mean by 0.3 / (2 t^2)
  double expected = 0;
  for (Index row = 0; row < data.rows; ++row) {
    const double t = 1 + 0.3 * data.context(row, 2), move = 0.3 / (2 * t * t);
    expected += move * move / (2 * 0.8 / (2 * t * t)) / static_cast<double>(data.rows);
  }
  EXPECT_NEAR(compare_with_truth(problem, shifted, data, job).divergence, expected, 1e-10);
}

TEST(Recovery, TheSameBitsOnAnyNumberOfThreads) {
  RecoverySpec spec;
  spec.training_rows = 500;
  spec.held_out_rows = 100;
  spec.tries = 3;
  spec.try_rows = 200;
  const PlantedProblem& problem = planted_problem("shopper");
  const Context one(1), three(3);
  const RecoveryResult a = recover(problem, spec, one), b = recover(problem, spec, three);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.comparison.divergence, b.comparison.divergence);
  EXPECT_EQ(a.lines[0].terms[0].standard_error, b.lines[0].terms[0].standard_error);
}

}  // namespace
}  // namespace bl::simulation
