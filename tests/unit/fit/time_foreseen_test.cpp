#include "fit/time_foreseen.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bl {
namespace {

struct Foreseen {
  double time = 100;  // a clock starts anywhere
  TimeForeseen all{[this] { return time; }};
};

TEST(TimeForeseen, IsNotKnownBeforeAnythingIsDone) {
  Foreseen f;
  f.all.add(2, 10, 1);
  EXPECT_TRUE(std::isnan(f.all.left().seconds));
  f.time += 3;
  EXPECT_EQ(f.all.seconds(), 3);
  EXPECT_TRUE(std::isnan(f.all.left().seconds));
}

// A tenth of the first of 200 epochs of four networks took 2 s: 20 s an epoch, 800 of them.
TEST(TimeForeseen, FromTheFirstBatchesIsThatOfAllEpochs) {
  Foreseen f;
  const std::size_t first = f.all.add(4, 200, 1);
  f.time += 2;
  f.all.reach(first, 0.1);
  EXPECT_NEAR(f.all.left().seconds, 20 * 799.9, 1e-9);
  EXPECT_TRUE(f.all.left().at_most);
}

// Once a network has ended after 50 of 200 epochs the others are expected to do the same.
TEST(TimeForeseen, LearnsFromTheNetworksThatEnded) {
  Foreseen f;
  const std::size_t first = f.all.add(4, 200, 1);
  f.all.reach(first, 50);
  f.all.reach(first + 1, 30);
  f.time += 40;  // half a second an epoch
  EXPECT_NEAR(f.all.left().seconds, (150 + 170 + 400) / 2.0, 1e-9);
  f.all.end(first);
  EXPECT_NEAR(f.all.left().seconds, (20 + 100) / 2.0, 1e-9);
  EXPECT_FALSE(f.all.left().at_most);
  f.all.reach(first + 1, 60);  // beyond the one that ended: a tenth more, never beyond all epochs
  f.time += 15;
  EXPECT_NEAR(f.all.left().seconds, (6 + 100) / 2.0, 1e-9);
  f.all.reach(first + 1, 70);
  f.all.end(first + 1);
  f.all.reach(first + 2, 65);  // the mean is 60, the longest 70
  f.time += 37.5;
  EXPECT_NEAR(f.all.left().seconds, (5 + 60) / 2.0, 1e-9);
  f.all.reach(first + 2, 199);
  f.time += 67;
  EXPECT_NEAR(f.all.left().seconds, (1 + 60) / 2.0, 1e-9);
}

// Trials of 10 epochs on 300 rows, then two networks of 100 epochs on 200 rows that learn on from 400.
TEST(TimeForeseen, CountsWhatAnEpochCostsAndWhatFollows) {
  Foreseen f;
  f.all.add(2, 100, 200, 400);
  const std::size_t trial = f.all.add(3, 10, 300);
  f.all.reach(trial, 4);
  f.time += 1200 * 0.01;  // a hundredth of a second a row
  const double networks = 2 * 100 * 600;
  EXPECT_NEAR(f.all.left().seconds, 0.01 * (300 * 26 + networks), 1e-6);
  for (std::size_t i = 0; i < 3; ++i) {
    f.all.reach(trial + i, 5);
    f.all.end(trial + i);
  }
  f.time += (4500 - 1200) * 0.01;
  EXPECT_NEAR(f.all.left().seconds, 0.01 * networks, 1e-6);
  EXPECT_TRUE(f.all.left().at_most);
  f.all.reach(0, 20);
  f.all.end(0);  // ended after 20: so does the other, and both learn on for 20
  f.time += 4000 * 0.01;
  EXPECT_NEAR(f.all.left().seconds, 0.01 * (20 * 200 + 2 * 20 * 400), 1e-6);
}

TEST(TimeForeseen, EpochsOfAnEarlierRunTookNoTime) {
  Foreseen f;
  f.all.add(1, 100, 1);
  f.all.go_on_from(0, 80);
  EXPECT_TRUE(std::isnan(f.all.left().seconds));
  f.all.reach(0, 85);
  f.time += 10;
  EXPECT_NEAR(f.all.left().seconds, 30, 1e-9);
}

}  // namespace
}  // namespace bl
