#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace bl {
namespace {

TEST(RandomStream, IsAPureFunctionOfItsArguments) {
  const RandomStream a(7, Purpose::test, 3);
  const RandomStream b(7, Purpose::test, 3);
  EXPECT_EQ(a.uniform(5, 9), b.uniform(5, 9));
  EXPECT_NE(a.uniform(5, 9), a.uniform(5, 8));
  EXPECT_NE(a.uniform(5, 9), a.uniform(6, 9));
  EXPECT_NE(a.uniform(5, 9), RandomStream(8, Purpose::test, 3).uniform(5, 9));
  EXPECT_NE(a.uniform(5, 9), RandomStream(7, Purpose::test, 4).uniform(5, 9));
  EXPECT_NE(a.uniform(5, 9), RandomStream(7, Purpose::shuffle, 3).uniform(5, 9));
}

TEST(RandomStream, FillGivesTheSameNumbersAsSingleCalls) {
  const RandomStream stream(1, Purpose::test);
  std::vector<double> many(7);
  stream.fill_normal(11, many);
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(many[i], stream.normal(11, i));
  std::vector<float> narrow(7);
  stream.fill_normal(11, narrow);
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(narrow[i], static_cast<float>(many[i]));
}

// Mean and variance within 4.5 standard errors of n draws: 1/12 and 1/180 for the uniform, 1 and 2 for the
// normal.
TEST(RandomStream, MomentsOfUniformAndNormal) {
  const RandomStream stream(2026, Purpose::test);
  const int n = 200000;
  double u1 = 0, u2 = 0, z1 = 0, z2 = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform(static_cast<std::uint64_t>(i), 1);
    const double z = stream.normal(static_cast<std::uint64_t>(i), 4);
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    u1 += u;
    u2 += (u - 0.5) * (u - 0.5);
    z1 += z;
    z2 += z * z;
  }
  EXPECT_NEAR(u1 / n, 0.5, 4.5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(u2 / n, 1.0 / 12, 4.5 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(z1 / n, 0.0, 4.5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(z2 / n, 1.0, 4.5 * std::sqrt(2.0 / n));
}

TEST(ShuffledOrder, IsAPermutationAndEveryPlaceIsReached) {
  std::vector<std::int64_t> order(6);
  std::set<std::int64_t> first_seen;
  for (std::uint32_t epoch = 0; epoch < 200; ++epoch) {
    shuffled_order(RandomStream(3, Purpose::shuffle, epoch), order);
    first_seen.insert(order[0]);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t i = 0; i < 6; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
  }
  EXPECT_EQ(first_seen.size(), 6U);
}

}  // namespace
}  // namespace bl
