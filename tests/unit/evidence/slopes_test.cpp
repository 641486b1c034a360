#include "evidence/slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace bl {
namespace {

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

}  // namespace
}  // namespace bl
