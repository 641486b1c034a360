#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <algorithm>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bl/errors.hpp"

namespace bl {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (std::size_t threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::size_t count : {0U, 1U, 2U, 3U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      pool.run(count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& c : calls) EXPECT_EQ(c.load(), 1);
    }
  }
}

TEST(ThreadPool, RethrowsTheExceptionOfTheLowestIndexAndStaysUsable) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      pool.run(100, [](std::size_t i) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
  std::atomic<int> sum{0};
  pool.run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum.load(), 45);
}

TEST(ThreadPool, LeavesOutWhatComesAfterAnError) {
  ThreadPool pool(1);
  int calls = 0;
  EXPECT_THROW(pool.run(1000,
                        [&](std::size_t i) {
                          if (++calls, i == 3) throw std::runtime_error("stop");
                        }),
               std::runtime_error);
  EXPECT_EQ(calls, 4);
  pool.run(5, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 9);
}

TEST(ThreadPool, StartsNoMoreThreadsThanCanHelp) {
  const std::size_t most = std::max<std::size_t>(16, std::thread::hardware_concurrency());
  EXPECT_EQ(ThreadPool(4096).threads(), most);
  EXPECT_EQ(ThreadPool(16).threads(), 16U);
}

// Ends the process: 7 where the pool says that it has too few threads, 0 where it has all.
[[noreturn]] void start_threads_in_a_small_process() {
  const rlimit room{std::size_t{1} << 24, std::size_t{1} << 24};  // less than it has, so no stack more
  setrlimit(RLIMIT_AS, &room);
  try {
    const ThreadPool pool(16);
  } catch (const UsageError& error) {
    std::cerr << error.what();
    std::_Exit(7);
  }
  std::_Exit(0);
}

TEST(ThreadPoolDeathTest, SaysWhereThreadsCannotBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more room than the process is left";
#endif
  EXPECT_EXIT(start_threads_in_a_small_process(), ::testing::ExitedWithCode(7),
              "of 16 threads only .* could be started");
}

}  // namespace
}  // namespace bl
