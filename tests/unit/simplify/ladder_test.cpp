#include "simplify/ladder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bl {
namespace {

TEST(Ladder, GoesUpToWhatIsAskedFor) {
  const std::vector<Size> few = ladder({3, 6}, 10);
  EXPECT_EQ(few, (std::vector<Size>{{1, 4}, {2, 4}, {3, 4}, {1, 6}, {2, 6}, {3, 6}}));
  EXPECT_EQ(ladder({1, 32}, 3), (std::vector<Size>{{1, 3}}));
  EXPECT_EQ(ladder({8, 32}, 100).back(), (Size{8, 32}));
  EXPECT_EQ(ladder({8, 32}, 13).back(), (Size{8, 13}));
}

TEST(Ladder, MeansAndTheirErrors) {
  // 1, 2, 3, 6: mean 3, variance (4 + 1 + 0 + 9) / 3, over 4 rows.
  const RowMean plain = mean_of({1, 2, 3, 6}, {});
  EXPECT_DOUBLE_EQ(plain.mean, 3);
  EXPECT_DOUBLE_EQ(plain.error, std::sqrt(14.0 / 3 / 4));
  const RowMean weighted = mean_of({1, 2, 3, 6}, {2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(weighted.mean, plain.mean);
  EXPECT_DOUBLE_EQ(weighted.error, plain.error);
  EXPECT_DOUBLE_EQ(mean_of({1, 5}, {3, 1}).mean, 2);
  EXPECT_DOUBLE_EQ(mean_difference({2, 3, 4}, {1, 2, 3}, {}).mean, 1);
  EXPECT_DOUBLE_EQ(mean_difference({2, 3, 4}, {1, 2, 3}, {}).error, 0);
}

TEST(Ladder, TakesTheSmallestThatIsAsGoodAsTheBest) {
  const std::vector<Size> sizes = {{1, 4}, {2, 4}, {3, 8}};
  // The first is worse on every row, the second on one and better on another.
  const std::vector<std::vector<double>> losses = {{2, 2, 2}, {1.31, 0.7, 1}, {1, 1, 1}};
  EXPECT_EQ(chosen_size(sizes, losses, {}, {0, 0}), 1U);
  // Within the error of the difference, but noticeably worse.
  EXPECT_EQ(chosen_size(sizes, {{2, 2, 2}, {1.4, 0.7, 1}, {1, 1, 1}}, {}, {0, 0}), 2U);
  EXPECT_EQ(chosen_size(sizes, losses, {}, {1, 0}), 0U);
  EXPECT_EQ(chosen_size(sizes, losses, {}, {0, 8}), 2U);
  EXPECT_EQ(chosen_size(sizes, losses, {}, {3, 8}), 2U);
}

}  // namespace
}  // namespace bl
