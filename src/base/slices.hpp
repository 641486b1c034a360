// A long vector cut into slices by its length alone, rows into blocks of one size, shared by the threads of a
// job.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/context.hpp"
#include "base/matrix.hpp"

namespace bl {

inline constexpr Index kMostSlices = 64;

// Shorter ones are not worth waking a thread for.
inline Index slice_length(Index n) {
  constexpr Index kShortest = 1 << 14;
  return std::max(kShortest, (n + kMostSlices - 1) / kMostSlices);
}

// work(slice, from, to) for every slice of 0 ... n - 1; without a job in order.
template <class F>
void for_slices(const Context* job, Index n, F&& work) {
  const Index length = slice_length(n), slices = (n + length - 1) / length;
  // One captured pointer: std::function holds it without allocating.
  struct Call {
    F* work;
    Index n, length;
    void operator()(Index slice) const { (*work)(slice, slice * length, std::min(n, (slice + 1) * length)); }
  } call{&work, n, length};
  if (job && slices > 1) {
    job->run(static_cast<std::size_t>(slices),
             [&call](std::size_t slice) { call(static_cast<Index>(slice)); });
  } else {
    for (Index slice = 0; slice < slices; ++slice) call(slice);
  }
}

// visit(from, count) for every block of so many rows.
template <class F>
void for_row_blocks(const Context& job, Index rows, Index size, const F& visit) {
  job.run(static_cast<std::size_t>((rows + size - 1) / size), [&](std::size_t block) {
    const Index from = static_cast<Index>(block) * size;
    visit(from, std::min(size, rows - from));
  });
}

}  // namespace bl
