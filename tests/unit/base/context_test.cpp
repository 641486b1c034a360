#include "base/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

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
  const Context context(4, {.on_progress = [&](const Progress& p) {
                          told.push_back(std::string(p.what) + " of " + std::to_string(p.of));
                          EXPECT_GE(p.seconds, 0);
                        }});
  context.threads().run(200,
                        [&](std::size_t i) { context.tell("pieces", static_cast<std::int64_t>(i), 200); });
  EXPECT_EQ(told, std::vector<std::string>(200, "pieces of 200"));
}

TEST(Context, SmallPiecesRunSideBySideEachOnOneThread) {
  const Context context(3);
  for (const bool small : {true, false}) {
    std::vector<std::size_t> threads(7, 0);
    context.side_by_side(threads.size(), small, [&](std::size_t i, const Context& own) {
      threads[i] = own.threads().threads();
      std::atomic<int> sum = 0;
      own.threads().run(5, [&](std::size_t k) { sum += static_cast<int>(k); });
      EXPECT_EQ(sum, 10);
    });
    EXPECT_EQ(threads, std::vector<std::size_t>(7, small ? 1 : 3));
  }
}

TEST(Context, ThreadsOfSomeoneElseAreUsedAndLeft) {
  ThreadPool pool(2);
  {
    const Context context = pool;
    EXPECT_EQ(&context.threads(), &pool);
  }
  pool.run(2, [](std::size_t) {});
}

TEST(Context, TheMemoryBudgetIsThatOfTheMachineWhereNoneIsGiven) {
  EXPECT_EQ(Context(1).memory_budget(), physical_memory());
  EXPECT_EQ(Context(1, {.memory_budget = 1e6}).memory_budget(), 1e6);
}

TEST(Context, TheClockGoesForward) {
  const Context context(1);
  const double first = context.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(context.seconds(), first);
}

}  // namespace
}  // namespace bl
