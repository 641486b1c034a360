#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace bl {
namespace {

TEST(Clock, TimeLeftFollowsTheShareThatIsDone) {
  EXPECT_EQ(time_left(10, 0.25), "about 30 s left");
  EXPECT_EQ(time_left(100, 0.25), "about 5 min left");
  EXPECT_EQ(time_left(10, 0), "about 0 s left");
}

TEST(Clock, GoesOn) {
  const double first = now();
  EXPECT_GE(now(), first);
}

}  // namespace
}  // namespace bl
