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

// task(first, count) for parts of `part` out of 0 ... n - 1.
template <class F>
void for_parts(ThreadPool& pool, Index n, Index part, F&& task) {
  // One captured pointer: std::function holds it without allocating.
  struct Call {
    F* task;
    Index n, part;
  } call{&task, n, part};
  pool.run(static_cast<std::size_t>((n + part - 1) / part), [&call](std::size_t i) {
    const Index first = static_cast<Index>(i) * call.part;
    (*call.task)(first, std::min(call.part, call.n - first));
  });
}

}  // namespace

template <class T>
void ContextProduct<T>::forward(MatrixView<const T> context, std::span<const std::int64_t> rows,
                                MatrixView<const T> weights, const T* bias, ThreadPool& pool) {
  const auto n = static_cast<Index>(rows.size());
  rows_.resize(n, context.cols);
  columns_.resize(context.cols, padded(n));
  heads_.resize(n, padded(weights.rows));
  head_columns_.resize(weights.rows, n);
  for_parts(pool, n, kRows, [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      std::copy_n(context.row(rows[static_cast<std::size_t>(i)]), context.cols, rows_.row(i));
    transpose<T>(rows_.view().row_range(first, count), columns_.view().columns(first, count), nullptr);
  });
  for_parts(pool, weights.rows, kHeads, [&](Index first, Index count) {
    const MatrixView<T> some = head_columns_.view().row_range(first, count);
    for (Index h = 0; h < count; ++h) std::fill_n(some.row(h), n, bias ? bias[first + h] : T(0));
    multiply<T>(weights.row_range(first, count), columns_.view().columns(0, n), some, Accumulate::yes);
    transpose<T>(some, heads_.view().columns(first, count), nullptr);
  });
}

template <class T>
void ContextProduct<T>::backward(MatrixView<T> gradient, ThreadPool& pool) const {
  for_parts(pool, gradient.rows, kHeads, [&](Index first, Index count) {
    multiply_first_transposed<T>(heads_.view().columns(first, count), rows_.view(),
                                 gradient.row_range(first, count), Accumulate::no);
  });
}

template class ContextProduct<float>;
template class ContextProduct<double>;

}  // namespace bl
