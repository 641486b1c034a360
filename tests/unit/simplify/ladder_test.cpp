#include "simplify/ladder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(Ladder, MoreHeadsOnlyWhereTheyMayPay) {
  constexpr double kFirst = std::numeric_limits<double>::infinity();
  EXPECT_EQ(with_more_heads({3, 14, 1}, {0.1, 0.01}, kFirst), (Size{3, 14, 6}));
  EXPECT_EQ(with_more_heads({3, 14, 6}, {0.05, 0.01}, 0.05), (Size{3, 14, 16}));
  EXPECT_EQ(with_more_heads({3, 14, 16}, {0.05, 0.01}, 0.05), std::nullopt);     // the last
  EXPECT_EQ(with_more_heads({3, 14, 1}, {0.004, 0.001}, kFirst), std::nullopt);  // as good as the large model
  EXPECT_EQ(with_more_heads({3, 14, 1}, {0.02, 0.03}, kFirst), std::nullopt);    // within the error
  EXPECT_EQ(with_more_heads({3, 14, 6}, {0.05, 0.01}, 0.004), std::nullopt);  // the last step brought little
}

TEST(Ladder, HeadsCountAsSize) {
  const std::vector<Size> sizes = {{3, 8, 16}, {3, 8, 1}};
  EXPECT_EQ(chosen_size(sizes, {{1, 1, 1}, {1, 1, 1}}, {}, {0, 0}), 1U);
  EXPECT_EQ(chosen_size(sizes, {{1, 1, 1}, {2, 2, 2}}, {}, {0, 0}), 0U);
}

}  // namespace
}  // namespace bl
