#include "check/recovery_round.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace bl {
namespace {

using simulation::Replication, simulation::ReplicationEnd, simulation::StartsEnd;

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

TEST(RecoveryRound, SummarisesWhatItIsGiven) {
  std::vector<Replication> replications(4);
  const std::vector<double> values = {1, 2, 3, 90};
  for (std::size_t r = 0; r < 4; ++r)
    replications[r] = {.values = {values[r]}, .errors = {1}, .classical_errors = {0.25}};
  replications[0].random_starts = replications[1].random_starts = StartsEnd::same;
  replications[2].random_starts = StartsEnd::lower;
  replications[3].random_starts = StartsEnd::higher;
  replications[3].end = ReplicationEnd::at_bound;
  replications[3].errors = {kNaN};
  const Target target = {{"b"}, {2}, {10}};
  const RecoveryRound e = recovery_round(400, replications, target);
  EXPECT_EQ(e.failed(), 1U);
  EXPECT_EQ(e.at_bound, 1U);
  EXPECT_EQ(e.found_again, 2U);
  EXPECT_EQ(e.lower, 1U);
  EXPECT_EQ(e.worse, 1U);
  EXPECT_EQ(scaled_errors(replications, target), (std::vector<double>{0.1, 0, 0.1, 8.8}));
  const RecoveredParameter& p = e.parameters.front();
  EXPECT_DOUBLE_EQ(p.mean, 2);
  EXPECT_DOUBLE_EQ(p.standard_deviation, 1);
  EXPECT_DOUBLE_EQ(p.standard_error, 1);
  EXPECT_DOUBLE_EQ(p.bound, 0.5);
  EXPECT_EQ(p.intervals, 3U);
  EXPECT_DOUBLE_EQ(p.coverage, 1);
  EXPECT_DOUBLE_EQ(p.classical_coverage, 1.0 / 3);
  EXPECT_DOUBLE_EQ(e.median_variance_ratio, 4);
  EXPECT_DOUBLE_EQ(e.shares[0], 1.0 / 3);  // 50%: +-0.674
}

}  // namespace
}  // namespace bl
