#include "zoo/evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "zoo/identification.hpp"

namespace bl::zoo {
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

// Normal estimates with their true deviation: 95% of 20,000 intervals, within four binomial deviations.
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
  std::vector<SizedError> errors;
  for (const double rows : {500.0, 2000.0, 8000.0, 32000.0})
    errors.push_back({rows, 3 * std::pow(rows, -0.5)});
  const Slope exact = log_log_slope(errors);
  EXPECT_NEAR(exact.slope, -0.5, 1e-12);
  EXPECT_NEAR(exact.standard_error, 0, 1e-7);
  EXPECT_TRUE(std::isnan(log_log_slope(std::vector<SizedError>{{500, 1}, {500, 2}}).slope));
}

// The mean of n normal numbers is off by |z| / sqrt(n).
TEST(Slope, OfMeansIsMinusOneHalfWithinItsOwnError) {
  const RandomStream random(4, Purpose::test);
  std::vector<SizedError> errors;
  for (std::uint64_t r = 0; r < 400; ++r)
    for (const double rows : {500.0, 2000.0, 8000.0, 32000.0})
      errors.push_back(
          {rows, std::abs(random.normal(r, static_cast<std::uint64_t>(rows))) / std::sqrt(rows)});
  const Slope found = log_log_slope(errors);
  EXPECT_NEAR(found.slope, -0.5, 4 * found.standard_error);
  // log |z| has deviation pi / sqrt(8) = 1.1107; log rows has that of four equal steps of log 4.
  const double spread = std::log(4.0) * std::sqrt(1.25);
  EXPECT_NEAR(found.standard_error, 1.1107 / (spread * std::sqrt(1600.0)), 0.1 * found.standard_error);
}

TEST(SizeEvidence, SummarisesWhatItIsGiven) {
  std::vector<Replication> replications(4);
  const std::vector<double> values = {1, 2, 3, 90};
  for (std::size_t r = 0; r < 4; ++r)
    replications[r] = {.values = {values[r]}, .errors = {1}, .classical_errors = {0.25}};
  replications[2].elsewhere = true;
  replications[3].end = ReplicationEnd::at_bound;
  replications[3].errors = {kNaN};
  const SizeEvidence e = size_evidence(400, replications, std::vector<double>{2}, std::vector<double>{10});
  EXPECT_EQ(e.failed(), 1U);
  EXPECT_EQ(e.at_bound, 1U);
  EXPECT_EQ(e.elsewhere, 1U);
  EXPECT_EQ(e.errors, (std::vector<double>{0.1, 0, 0.1, 8.8}));
  const ParameterEvidence& p = e.parameters.front();
  EXPECT_DOUBLE_EQ(p.mean, 2);
  EXPECT_DOUBLE_EQ(p.deviation, 1);
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
// large as the deviation of the estimates. Limits: four deviations of the statistics themselves.
TEST(Replicator, FindsTheTruthWithHonestErrors) {
  constexpr std::size_t kReplications = 60;
  const PlantedProblem& problem = known_model("single_choice");
  const Replicator replicator(problem, {.objective = likelihood_objective(problem)});
  std::vector<Replication> replications(kReplications);
  ThreadPool pool(2);
  pool.run(kReplications, [&](std::size_t r) {
    ThreadPool own(1);
    replications[r] = replicator.run(simulate(problem, 1000, 700 + r, own), r);
  });
  const std::vector<double> bound = replicator.information_bound(simulate(problem, 10000, 5, pool), {}, pool);
  const SizeEvidence e = size_evidence(1000, replications, replicator.truth(), bound);
  EXPECT_EQ(e.failed(), 0U);
  const double n = kReplications;
  for (const ParameterEvidence& p : e.parameters) {
    EXPECT_NEAR(p.mean, p.truth, 4 * p.deviation / std::sqrt(n) + 0.05 * p.deviation) << p.parameter;
    EXPECT_NEAR(p.standard_error / p.deviation, 1, 4 / std::sqrt(2 * n)) << p.parameter;
    EXPECT_NEAR(p.variance_ratio(), 1, 4 * std::sqrt(2 / n) + 0.2) << p.parameter;
    EXPECT_GE(p.robust.share(), 0.95 - 4 * std::sqrt(0.95 * 0.05 / n)) << p.parameter;
  }
  EXPECT_NEAR(e.mean_coverage(), 0.95, 4 * std::sqrt(0.95 * 0.05 / n));
}

TEST(Identification, AnyNumberOfThreadsGivesTheSameBits) {
  const IdentificationSpec spec = {.models = {"single_number"},
                                   .replications = 3,
                                   .sizes = {200},
                                   .coverage_rows = 300,
                                   .bound_rows = 1000};
  ThreadPool one(1), three(3);
  double last = 0;
  const auto a = identification_evidence(spec, one, [&](double done) { last = done; });
  const auto b = identification_evidence(spec, three);
  EXPECT_NEAR(last, 1, 1e-12);
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
  ThreadPool pool(1);
  EXPECT_THROW(identification_evidence({.models = {"nobody"}}, pool), UsageError);
  EXPECT_THROW(identification_evidence({.replications = 1}, pool), UsageError);
  EXPECT_THROW(identification_evidence({.sizes = {5}}, pool), UsageError);
}

TEST(Identification, GivesLargeSizesFewerReplications) {
  const IdentificationSpec full = {.replications = 500};
  EXPECT_EQ(replications_at(full, 2000), 500U);
  EXPECT_EQ(replications_at(full, 500), 400U);
  EXPECT_EQ(replications_at(full, 8000), 25U);
  EXPECT_EQ(replications_at(full, 32000), 20U);
  EXPECT_EQ(replications_at({.replications = 5}, 32000), 5U);
}

}  // namespace
}  // namespace bl::zoo
