#include "base/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "bl/errors.hpp"

namespace bl {
namespace {

TEST(Context, AnAnswerToStopStaysForAllCopies) {
  int asked = 0;
  const Context context(1, {.should_stop = [&] { return ++asked == 2; }});
  const Context other = context.alone();
  EXPECT_FALSE(context.should_stop());
  EXPECT_NO_THROW(Context(1).require_going());
  EXPECT_TRUE(other.should_stop());
  EXPECT_TRUE(context.should_stop());
  EXPECT_EQ(asked, 2);
  EXPECT_THROW(context.require_going(), Interrupted);
}

TEST(Context, ProgressComesOneAtATimeFromAnyThread) {
  std::vector<std::string> told;
  const Context context(4, {.on_progress = [&](double seconds, const std::string& text) {
                          told.push_back(text.substr(0, text.find(' ')));
                          EXPECT_GE(seconds, 0);
                        }});
  context.run(200, [&](std::size_t i) { context.tell("pieces", static_cast<std::int64_t>(i), 200); });
  EXPECT_EQ(told, std::vector<std::string>(200, "pieces:"));
}

TEST(Context, ProgressSaysHowMuchIsLeftWhereThatIsKnown) {
  std::vector<std::string> told;
  const Context context(1, {.on_progress = [&](double, const std::string& text) { told.push_back(text); }});
  context.tell("starts", 3, 0);
  context.tell("resamples", 0, 8);
  context.tell("resamples", 8, 8);
  context.tell("starts", 8, 8, "lowest loss 2");
  EXPECT_EQ(told,
            (std::vector<std::string>{"starts: 3", "resamples: 0 of 8", "resamples: 8 of 8, about 0 s left",
                                      "starts: 8 of 8, about 0 s left, lowest loss 2"}));
}

TEST(Context, SmallPiecesRunSideBySideEachOnOneThread) {
  const Context context(3);
  for (const bool small : {true, false}) {
    std::vector<std::size_t> threads(7, 0);
    context.side_by_side(threads.size(), small, [&](std::size_t i, const Context& own) {
      threads[i] = own.threads();
      std::atomic<int> sum = 0;
      own.run(5, [&](std::size_t k) { sum += static_cast<int>(k); });
      EXPECT_EQ(sum, 10);
    });
    EXPECT_EQ(threads, std::vector<std::size_t>(7, small ? 1 : 3));
  }
}

TEST(Context, ACopyOnAnotherDeviceKeepsTheRest) {
  int asked = 0;
  const Context context(2, {.should_stop = [&] { return ++asked == 1; }});
  const Context other = context.on({.kind = Device::Kind::cuda});
  EXPECT_EQ(context.device().kind, Device::Kind::cpu);
  EXPECT_EQ(other.device().kind, Device::Kind::cuda);
  EXPECT_EQ(other.alone().device().kind, Device::Kind::cuda);
  EXPECT_EQ(other.threads(), 2U);
  EXPECT_TRUE(other.should_stop());
  EXPECT_TRUE(context.should_stop());
}

TEST(Context, ThreadsThatWaitMayBeMoreThanProcessors) {
  EXPECT_EQ(Context(1).waiting(100).threads(), 100U);
}

TEST(Context, MemoryIsThatOfTheMachineWhereNobodySaysLess) {
  EXPECT_EQ(Context(1).memory(), physical_memory());
  EXPECT_EQ(Context(1, {.memory = 1e6}).alone().memory(), 1e6);
}

TEST(Context, TheClockGoesForward) {
  const Context context(1);
  const double first = context.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(context.seconds(), first);
}

}  // namespace
}  // namespace bl
