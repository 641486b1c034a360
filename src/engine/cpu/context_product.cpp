#include "engine/cpu/context_product.hpp"

#include <algorithm>

#include "compute/product.hpp"

namespace bl {

namespace {

constexpr Index kRows = 16;  // a cache line of the transposed batch
constexpr Index kHeads = 8;  // a tile of a product

// An odd number of cache lines: columns of a matrix so long then spread over all sets of a cache.
Index padded(Index numbers) {
  return ((numbers + kRows - 1) / kRows | 1) * kRows;
}

// task(first, count) for parts of `part` out of 0 ... n - 1: those of this rank, where there are ranks.
template <class F>
void for_parts(const Context& job, const Ranks* ranks, Index n, Index part, F&& task) {
  // One captured pointer: std::function holds it without allocating.
  struct Call {
    F* task;
    Index n, part, from;
  } call{&task, n, part, 0};
  const Shares shares(ranks, static_cast<std::size_t>((n + part - 1) / part));
  call.from = static_cast<Index>(shares.first());
  job.run(shares.last() - shares.first(), [&call](std::size_t i) {
    const Index first = (call.from + static_cast<Index>(i)) * call.part;
    (*call.task)(first, std::min(call.part, call.n - first));
  });
}

}  // namespace

template <class T>
void ContextProduct<T>::forward(const DatasetView<T>& data, std::span<const std::int64_t> rows,
                                const RandomStream& epoch, MatrixView<const T> weights, const T* bias,
                                const Context& job) {
  Ranks* const ranks = job.ranks();
  const auto n = static_cast<Index>(rows.size());
  rows_.resize(n, data.context.cols);
  columns_.resize(data.context.cols, padded(n));
  heads_.resize(n, padded(weights.rows));
  head_columns_.resize(weights.rows, n);
  for_parts(job, nullptr, n, kRows, [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      data.read_context(rows[static_cast<std::size_t>(i)], epoch, rows_.row(i));
    transpose<T>(rows_.view().row_range(first, count), columns_.view().columns(first, count), nullptr);
  });
  for_parts(job, ranks, weights.rows, kHeads, [&](Index first, Index count) {
    const MatrixView<T> some = head_columns_.view().row_range(first, count);
    for (Index h = 0; h < count; ++h) std::fill_n(some.row(h), n, bias ? bias[first + h] : T(0));
    multiply<T>(weights.row_range(first, count), columns_.view().columns(0, n), some, Accumulate::yes);
  });
  exchange_heads(head_columns_.view(), ranks);
  for_parts(job, nullptr, weights.rows, kHeads, [&](Index first, Index count) {
    transpose<T>(head_columns_.view().row_range(first, count), heads_.view().columns(first, count), nullptr);
  });
}

template <class T>
void ContextProduct<T>::backward(MatrixView<T> gradient, const Context& job) {
  Ranks* const ranks = job.ranks();
  for_parts(job, ranks, gradient.rows, kHeads, [&](Index first, Index count) {
    multiply_first_transposed<T>(heads_.view().columns(first, count), rows_.view(),
                                 gradient.row_range(first, count), Accumulate::no);
  });
  exchange_heads(gradient, ranks);
}

template <class T>
void ContextProduct<T>::exchange_heads(MatrixView<T> matrix, Ranks* ranks) {
  if (ranks == nullptr) return;
  const auto count_of = [&](std::size_t part) {
    return std::min(kHeads, matrix.rows - static_cast<Index>(part) * kHeads);
  };
  const auto each_row = [&](std::size_t part, auto&& copy) {
    for (Index h = 0; h < count_of(part); ++h)
      copy(std::span(matrix.row(static_cast<Index>(part) * kHeads + h),
                     static_cast<std::size_t>(matrix.cols)));
  };
  exchange_.run(
      *ranks, static_cast<std::size_t>((matrix.rows + kHeads - 1) / kHeads),
      [&](std::size_t part) { return static_cast<std::size_t>(count_of(part) * matrix.cols) * sizeof(T); },
      [&](std::size_t part, std::byte* to) { each_row(part, [&](std::span<const T> row) { put(to, row); }); },
      [&](std::size_t part, const std::byte* from) {
        each_row(part, [&](std::span<T> row) { take(from, row); });
      });
}

template class ContextProduct<float>;
template class ContextProduct<double>;

}  // namespace bl
