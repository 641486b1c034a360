// Several fits that do not depend on each other: members of a joined model, seeds, starts.
#pragma once

#include <cstddef>

#include "base/parallel.hpp"

namespace bl {

// fit(i, threads) for i = 0 ... count - 1. Small fits run several at once, each on one thread: a step of
// theirs is too short to be shared. Others run one after the other, each on all threads. A fit gives the same
// bits either way. The exception of the lowest index is rethrown.
template <class F>
void run_fits(ThreadPool& pool, std::size_t count, bool small, F&& fit) {
  if (!small || count < 2 || pool.threads() < 2) {
    for (std::size_t i = 0; i < count; ++i) fit(i, pool);
    return;
  }
  pool.run(count, [&fit](std::size_t i) {
    ThreadPool alone(1);
    fit(i, alone);
  });
}

}  // namespace bl
