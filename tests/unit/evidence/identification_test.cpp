#include "check/size_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "evidence/identification.hpp"
#include "evidence/planted_block.hpp"

namespace bl::simulation {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Coverage, CountsIntervalsThatHoldTheTruth) {
  const std::vector<double> values = {1, 2, 3, 4}, errors = {1, 0.5, 0.5, kNaN};
  // Intervals at quantile 2: [-1, 3], [1, 3], [2, 4] and none; the ends belong to them.
  const Coverage at_1 = coverage(values, errors, 1, 2), at_3 = coverage(values, errors, 3, 2);
  EXPECT_EQ(at_1.intervals, 3U);
  EXPECT_EQ(at_1.covered, 2U);
  EXPECT_EQ(at_3.covered, 3U);
  EXPECT_DOUBLE_EQ(at_1.share(), 2.0 / 3);
  EXPECT_TRUE(std::isnan(Coverage{}.share()));
}

// Normal estimates with their true standard deviation: 95% of 20,000 intervals, within four binomial ones.
TEST(Coverage, OfTrueDeviationsIsNominalAndOfWrongOnesIsNot) {
  constexpr std::size_t kDraws = 20000;
  const RandomStream random(3, Purpose::test);
  std::vector<double> values, errors(kDraws, 2.0), halved(kDraws, 1.0);
  for (std::size_t r = 0; r < kDraws; ++r) values.push_back(5 + 2 * random.normal(r, 0));
  const double binomial = std::sqrt(0.95 * 0.05 / kDraws);
  EXPECT_NEAR(coverage(values, errors, 5).share(), 0.95, 4 * binomial);
  // P(|z| <= 1.96 / 2) = 0.6729.
  EXPECT_NEAR(coverage(values, halved, 5).share(), 0.6729, 4 * std::sqrt(0.67 * 0.33 / kDraws));
}

TEST(Slope, OfAnExactPowerIsItsExponent) {
  std::vector<SizedErrors> sizes;
  for (const double rows : {500.0, 2000.0, 8000.0, 32000.0})
    sizes.push_back({rows, {3 * std::pow(rows, -0.5), 3 * std::pow(rows, -0.5)}});
  for (const Slope exact : {slope_of_means(sizes), slope_of_replications(sizes)}) {
    EXPECT_NEAR(exact.slope, -0.5, 1e-12);
    EXPECT_NEAR(exact.standard_error, 0, 1e-7);
  }
  const std::vector<SizedErrors> same = {{500, {1, 2}}, {500, {3, 4}}};
  EXPECT_TRUE(std::isnan(slope_of_means(same).slope));
  EXPECT_TRUE(std::isnan(slope_of_replications(same).slope));
}

// Three sizes at log rows 0, 1, 2 with mean log errors 0, -1, -1: the line through the means has slope -1/2
// whatever the replications; with 8, 2 and 2 replications the other weighs them.
// There x has mean 1/2, and slope = (sum w x y - n x_mean y_mean) / (sum w x^2 - n x_mean^2)
//   = (-6 + 2) / (10 - 3) = -4/7.
TEST(Slope, OfMeansDoesNotDependOnHowManyReplicationsASizeHas) {
  const double e = std::exp(1.0);
  const std::vector<SizedErrors> sizes = {
      {1, std::vector<double>(8, 1.0)}, {e, {1 / e, 1 / e}}, {e * e, {1 / e, 1 / e}}};
  EXPECT_NEAR(slope_of_means(sizes).slope, -0.5, 1e-12);
  EXPECT_NEAR(slope_of_replications(sizes).slope, -4.0 / 7, 1e-12);
}

// The mean of n normal numbers is off by |z| / sqrt(n).
TEST(Slope, OfNormalMeansIsMinusOneHalfWithinItsOwnError) {
  const RandomStream random(4, Purpose::test);
  std::vector<SizedErrors> sizes;
  for (const double rows : {500.0, 2000.0, 8000.0, 32000.0}) {
    sizes.push_back({rows, {}});
    for (std::uint64_t r = 0; r < 400; ++r)
      sizes.back().errors.push_back(std::abs(random.normal(r, static_cast<std::uint64_t>(rows))) /
                                    std::sqrt(rows));
  }
  // log |z| has standard deviation pi / sqrt(8) = 1.1107; log rows has that of four equal steps of log 4.
  const double spread = std::log(4.0) * std::sqrt(1.25);
  for (const Slope found : {slope_of_means(sizes), slope_of_replications(sizes)}) {
    EXPECT_NEAR(found.slope, -0.5, 4 * found.standard_error);
    EXPECT_NEAR(found.standard_error, 1.1107 / (spread * std::sqrt(1600.0)), 0.1 * found.standard_error);
  }
}

TEST(SizeEvidence, SummarisesWhatItIsGiven) {
  std::vector<Replication> replications(4);
  const std::vector<double> values = {1, 2, 3, 90};
  for (std::size_t r = 0; r < 4; ++r)
    replications[r] = {.values = {values[r]}, .errors = {1}, .classical_errors = {0.25}};
  replications[0].random_starts = replications[1].random_starts = StartsEnd::same;
  replications[2].random_starts = StartsEnd::lower;
  replications[3].random_starts = StartsEnd::higher;
  replications[3].end = ReplicationEnd::at_bound;
  replications[3].errors = {kNaN};
  const SizeEvidence e = size_evidence(400, replications, std::vector<double>{2}, std::vector<double>{10});
  EXPECT_EQ(e.failed(), 1U);
  EXPECT_EQ(e.at_bound, 1U);
  EXPECT_EQ(e.found_again, 2U);
  EXPECT_EQ(e.lower, 1U);
  EXPECT_EQ(e.worse, 1U);
  EXPECT_EQ(e.errors, (std::vector<double>{0.1, 0, 0.1, 8.8}));
  const ParameterEvidence& p = e.parameters.front();
  EXPECT_DOUBLE_EQ(p.mean, 2);
  EXPECT_DOUBLE_EQ(p.standard_deviation, 1);
  EXPECT_DOUBLE_EQ(p.standard_error, 1);
  EXPECT_DOUBLE_EQ(p.bound, 0.5);
  EXPECT_DOUBLE_EQ(p.variance_ratio(), 4);
  EXPECT_EQ(p.robust.covered, 3U);
  EXPECT_EQ(p.classical.covered, 1U);
  EXPECT_DOUBLE_EQ(e.shares[0], 1.0 / 3);  // 50%: +-0.674
}

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

// The design: at 500 rows the information bound gives no weight of a single or shallow model a standard deviation
// above a fifth of its size, and no coefficient one above a fifth of the largest of its head. Weaker models
// are not in the range where errors fall with the root of the rows.
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
// large as the standard deviation of the estimates. Limits: four standard deviations of the statistics themselves.
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
  const SizeEvidence e = size_evidence(1000, replications, replicator.truth(), bound);
  EXPECT_EQ(e.failed(), 0U);
  const double n = kReplications;
  for (const ParameterEvidence& p : e.parameters) {
    EXPECT_NEAR(p.mean, p.truth, 4 * p.standard_deviation / std::sqrt(n) + 0.05 * p.standard_deviation)
        << p.parameter;
    EXPECT_NEAR(p.standard_error / p.standard_deviation, 1, 4 / std::sqrt(2 * n)) << p.parameter;
    EXPECT_NEAR(p.variance_ratio(), 1, 4 * std::sqrt(2 / n) + 0.2) << p.parameter;
    EXPECT_GE(p.robust.share(), 0.95 - 4 * std::sqrt(0.95 * 0.05 / n)) << p.parameter;
  }
  EXPECT_NEAR(e.mean_coverage(), 0.95, 4 * std::sqrt(0.95 * 0.05 / n));
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
  const IdentificationSpec spec = {.models = {"single_number"},
                                   .replications = 3,
                                   .sizes = {200},
                                   .coverage_rows = 300,
                                   .bound_rows = 1000};
  std::string last;
  const Context one(1, {.on_progress = [&](double, const std::string&text) { last = text; }}), three(3);
  const auto a = identification_evidence(spec, one);
  const auto b = identification_evidence(spec, three);
  EXPECT_EQ(last, "100% of the replications, about 0 s left");
  ASSERT_EQ(a.size(), 2U);  // likelihood and score matching
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a[m].score_matching, m == 1);
    ASSERT_EQ(a[m].sizes.size(), 2U);
    EXPECT_EQ(a[m].at_coverage_rows().rows, 300);
    EXPECT_EQ(a[m].slope.slope, b[m].slope.slope);
    for (std::size_t s = 0; s < a[m].sizes.size(); ++s) EXPECT_EQ(a[m].sizes[s].errors, b[m].sizes[s].errors);
  }
}

TEST(Identification, RefusesWhatCannotBe) {
  const Context job(1);
  EXPECT_THROW(identification_evidence({.models = {"nobody"}}, job), UsageError);
  EXPECT_THROW(identification_evidence({.replications = 1}, job), UsageError);
  EXPECT_THROW(identification_evidence({.sizes = {5}}, job), UsageError);
}

TEST(Identification, GivesLargeSizesFewerReplications) {
  const IdentificationSpec full = {.replications = 500};
  EXPECT_EQ(replications_at(full, 2000), 500U);
  EXPECT_EQ(replications_at(full, 500), 500U);
  EXPECT_EQ(replications_at(full, 8000), 125U);
  EXPECT_EQ(replications_at(full, 32000), 100U);
  EXPECT_EQ(replications_at({.replications = 5}, 32000), 2U);
}

}  // namespace
}  // namespace bl::simulation
