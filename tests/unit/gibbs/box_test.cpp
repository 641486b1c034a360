#include "gibbs/box.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "bl/errors.hpp"

namespace bl::gibbs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A ball followed in small steps between walls at 0 and 1.5.
TEST(Reflect, FollowsABallBetweenWalls) {
  double y = 0.4, velocity = 1, travelled = 0.4;
  for (int k = 1; k <= 9000; ++k) {
    y += velocity * 1e-3;
    travelled += 1e-3;
    if (y > 1.5) y = 3 - y, velocity = -velocity;
    if (y < 0) y = -y, velocity = -velocity;
    double folded = travelled;
    const bool flipped = reflect(0.0, 1.5, folded);
    ASSERT_NEAR(folded, y, 1e-9);
    if (y > 1e-6 && y < 1.5 - 1e-6) {
      ASSERT_EQ(flipped, velocity < 0) << travelled;
    }
  }
}

TEST(Reflect, KnowsOneWallAndNone) {
  double y = -2;
  EXPECT_TRUE(reflect(1.0, kInfinity, y));
  EXPECT_EQ(y, 4);
  y = 7;
  EXPECT_TRUE(reflect(-kInfinity, 5.0, y));
  EXPECT_EQ(y, 3);
  y = 1e300;
  EXPECT_FALSE(reflect(-kInfinity, kInfinity, y));
  float narrow = -0.25F;
  EXPECT_TRUE(reflect(0.0F, 1.0F, narrow));
  EXPECT_EQ(narrow, 0.25F);
}

TEST(Box, ChecksAndClamps) {
  EXPECT_THROW(Box::cube(2, 0, 1).check(3), UsageError);
  EXPECT_THROW(Box::cube(2, 1, 1).check(2), UsageError);
  Box::unbounded(2).check(2);
  EXPECT_FALSE(Box::unbounded(2).finite());
  EXPECT_TRUE(Box::cube(2, 0, 1).finite());
  std::vector<double> point{-3, 0.5};
  Box::cube(2, 0, 1).clamp(point);
  EXPECT_EQ(point, (std::vector<double>{0, 0.5}));
}

}  // namespace
}  // namespace bl::gibbs
