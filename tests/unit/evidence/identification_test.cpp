#include "evidence/identification.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "check/recovery_round.hpp"
#include "evidence/known_models.hpp"
#include "support/planted/planted_block.hpp"

namespace bl::simulation {
namespace {

TEST(KnownModels, AreCanonicalAndNamed) {
  EXPECT_EQ(known_models().size(), 9U);
  for (const PlantedProblem& problem : known_models()) {
    const auto again = inference::canonical_form(problem.architecture, problem.parameters).parameters;
    for (std::size_t i = 0; i < again.size(); ++i)
      EXPECT_NEAR(again[i], problem.parameters[i], 1e-12 * (1 + std::abs(again[i]))) << problem.name;
    const Replicator replicator(problem, {.objective = likelihood_objective(problem)});
    const auto names = parameter_names(problem);
    for (const Index position : replicator.positions())
      EXPECT_FALSE(names[static_cast<std::size_t>(position)].empty()) << problem.name;
  }
  EXPECT_THROW(known_model("double_class"), UsageError);
}

TEST(KnownModels, TermsHaveReadableNames) {
  const PlantedProblem& ways = known_model("single_class");
  EXPECT_EQ(term_name(ways, {0, 3}), "distance*[bus]");
  EXPECT_EQ(term_name(ways, {1, 1}), "rain^2");
  EXPECT_EQ(term_name(shopper(), {2}), "price");
}

// The design: at 500 rows the information bound gives no weight of a single or shallow model a
// standard deviation above a fifth of its size, and no coefficient one above a fifth of the largest of its head.
// Weaker models are not in the range where errors fall with the root of the rows.
TEST(KnownModels, FiveHundredRowsDetermineSingleAndShallowOnes) {
  const Context job(2);
  for (const PlantedProblem& problem : known_models()) {
    if (problem.name.starts_with("deep")) continue;
    const ObjectiveSpec objective = likelihood_objective(problem);
    const Replicator replicator(problem, {.objective = objective});
    const auto names = parameter_names(problem);
    const auto bound = replicator.information_bound(simulate(problem, 4000, 3, job), objective, job);
    const auto name_of = [&](std::size_t k) {
      return names[static_cast<std::size_t>(replicator.positions()[k])];
    };
    const auto group_of = [&](std::size_t k) {
      const std::string name = name_of(k);
      const bool weight = name.ends_with("lambda") || name.starts_with("readout");
      return weight ? name : name.substr(0, name.rfind('.'));
    };
    for (std::size_t k = 0; k < bound.size(); ++k) {
      double scale = 0;
      for (std::size_t j = 0; j < bound.size(); ++j)
        if (group_of(j) == group_of(k)) scale = std::max(scale, std::abs(replicator.truth()[j]));
      EXPECT_LT(bound[k] / std::sqrt(500.0), 0.2 * scale) << problem.name << ' ' << name_of(k);
    }
  }
}

// A lone weight of a scaled block is 1 by rule and takes no part.
TEST(Replicator, LeavesOutWhatARuleSets) {
  const PlantedProblem& problem = known_model("shallow_class");
  const Replicator replicator(problem, {.objective = likelihood_objective(problem)});
  const auto names = parameter_names(problem);
  for (const Index position : replicator.positions())
    EXPECT_EQ(names[static_cast<std::size_t>(position)].find("lambda"), std::string::npos);
  EXPECT_EQ(replicator.positions().size(), 10U);
}

// 60 data sets: estimates around the truth, intervals that hold it about as often as they say, errors as
// large as the standard deviation of the estimates. Limits: four standard deviations of the statistics
// themselves.
TEST(Replicator, FindsTheTruthWithHonestErrors) {
  constexpr std::size_t kReplications = 60;
  const PlantedProblem& problem = known_model("single_choice");
  const Replicator replicator(problem, {.objective = likelihood_objective(problem)});
  std::vector<Replication> replications(kReplications);
  const Context job(2);
  job.run(kReplications, [&](std::size_t r) {
    const Context own = job.alone();
    replications[r] = replicator.run(simulate(problem, 1000, 700 + r, own), r, *make_engine<double>(own));
  });
  const std::vector<double> bound =
      replicator.information_bound(simulate(problem, 10000, 5, job), likelihood_objective(problem), job);
  const auto names = parameter_names(problem);
  Target target = {{}, replicator.truth(), bound};
  for (const Index position : replicator.positions())
    target.names.push_back(names[static_cast<std::size_t>(position)]);
  const RecoveryRound e = recovery_round(1000, replications, target);
  EXPECT_EQ(e.failed(), 0U);
  const double n = kReplications;
  for (const RecoveredParameter& p : e.parameters) {
    EXPECT_NEAR(p.mean, p.truth, 4 * p.standard_deviation / std::sqrt(n) + 0.05 * p.standard_deviation)
        << p.name;
    EXPECT_NEAR(p.standard_error / p.standard_deviation, 1, 4 / std::sqrt(2 * n)) << p.name;
    EXPECT_NEAR(std::pow(p.standard_deviation / p.bound, 2), 1, 4 * std::sqrt(2 / n) + 0.2) << p.name;
    EXPECT_GE(p.coverage, 0.95 - 4 * std::sqrt(0.95 * 0.05 / n)) << p.name;
  }
  EXPECT_NEAR(e.mean_coverage, 0.95, 4 * std::sqrt(0.95 * 0.05 / n));
}

// p(v) proportional to exp(-(c v)^2) has score -2 c^2 v: the loss 2 c^4 (mean v^2 + sigma^2) - 2 c^2 of
// balanced noise is least at c^2 = 1 / (2 (mean v^2 + sigma^2)).
TEST(Replicator, BalancedNoiseMinimisesTheScoreMatchingLossItself) {
  PlantedProblem problem = known_model("single_number");
  Architecture a;
  a.input = {.context = 1, .values = 1, .classes = 0};
  a.basis.kind = BasisKind::listed;
  a.basis.extra = {{1}};
  a.readout.present = false;
  a.layers = {{.blocks = 1, .degrees = {{{}, {}, {1}}}}};
  problem.architecture = identifiable(a);
  Block block;
  block[2] = Head{.lambda = 1, .bias = 0, .coefficients = {0.9}};
  problem.parameters = raw_parameters(problem.architecture, block);
  const Context job(1);
  const SimulatedData<double> data = simulate(problem, 300, 11, job);
  double squares = 0;
  for (Index row = 0; row < data.rows; ++row) squares += data.values(row, 0) * data.values(row, 0) / 300;
  ObjectiveSpec objective;
  objective.kind = ObjectiveKind::score_matching;
  objective.sigma = 0.3;
  objective.draws = 2;
  const Replicator replicator(problem, {.objective = objective, .balanced_noise = true});
  const Replication one = replicator.run(data, 1, *make_engine<double>(job));
  ASSERT_EQ(one.end, ReplicationEnd::found);
  EXPECT_NEAR(one.values.front(), std::sqrt(0.5 / (squares + 0.09)), 1e-6);
}

// From the truth and from random starts: the lower one is kept, and it is said which it was.
TEST(Replicator, SaysWhereRandomStartsEnd) {
  const PlantedProblem& problem = known_model("single_choice");
  const Context job(1);
  const SimulatedData<double> data = simulate(problem, 1000, 21, job);
  const auto engine = make_engine<double>(job);
  const Replication near =
      Replicator(problem, {.objective = likelihood_objective(problem)}).run(data, 1, *engine);
  const Replication both =
      Replicator(problem, {.objective = likelihood_objective(problem), .starts = 4}).run(data, 1, *engine);
  EXPECT_EQ(near.random_starts, StartsEnd::none);
  EXPECT_EQ(both.random_starts, StartsEnd::same);
  for (std::size_t k = 0; k < near.values.size(); ++k) EXPECT_NEAR(both.values[k], near.values[k], 1e-6);
}

TEST(Identification, AnyNumberOfThreadsGivesTheSameBits) {
  IdentificationOptions options = {
      .models = {"single_number"}, .replications = 3, .sizes = {200}, .coverage_rows = 300, .threads = 1};
  std::string last;
  const auto a = reproduce_identification(options, [&](double, const std::string& text) { last = text; });
  options.threads = 3;
  const auto b = reproduce_identification(options);
  EXPECT_EQ(last, "100% of the replications, about 0 s left");
  ASSERT_EQ(a.size(), 2U);  // likelihood and score matching
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a[m].objective, m == 1 ? "score matching" : "likelihood");
    ASSERT_EQ(a[m].sizes.size(), 2U);
    EXPECT_EQ(a[m].at_coverage_rows().rows, 300U);
    EXPECT_EQ(a[m].slope, b[m].slope);
    for (std::size_t s = 0; s < a[m].sizes.size(); ++s) EXPECT_EQ(a[m].sizes[s].error, b[m].sizes[s].error);
  }
}

TEST(Identification, RefusesWhatCannotBe) {
  EXPECT_THROW(reproduce_identification({.models = {"nobody"}}), UsageError);
  EXPECT_THROW(reproduce_identification({.replications = 1}), UsageError);
  EXPECT_THROW(reproduce_identification({.sizes = {5}}), UsageError);
}

TEST(Identification, GivesLargeSizesFewerReplications) {
  const IdentificationOptions full = {.replications = 500};
  EXPECT_EQ(replications_at(full, 2000), 500U);
  EXPECT_EQ(replications_at(full, 500), 500U);
  EXPECT_EQ(replications_at(full, 8000), 125U);
  EXPECT_EQ(replications_at(full, 32000), 100U);
  EXPECT_EQ(replications_at({.replications = 5}, 32000), 2U);
}

}  // namespace
}  // namespace bl::simulation
