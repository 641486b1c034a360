// The first layer's product with the context for a whole batch at once, shared between threads by heads.
//
// Each thread reads, and gives the derivative of, weights of its own: those that its share of the optimizer's
// step updates, so that wide weights stay in the cache of one processor. Between the two products the rows
// are shared out as ever; only heads and their derivatives (rows x heads) pass from thread to thread. The
// weights are read as they lie; it is the batch, the smaller matrix, that is transposed.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/matrix.hpp"
#include "base/rank_shares.hpp"
#include "objective/dataset.hpp"

namespace bl {

template <class T>
class ContextProduct {
 public:
  // heads() = bias + context[row] . weights for each of these rows, as the epoch of this stream reads them;
  // weights: heads x context, bias may be null. Ranks, where there are some, share the heads.
  void forward(const DatasetView<T>& data, std::span<const std::int64_t> rows, const RandomStream& epoch,
               MatrixView<const T> weights, const T* bias, const Context& job);

  // Of the same rows, in their order.
  MatrixView<const T> context() const { return rows_.view(); }
  MatrixView<T> heads() { return heads_.view().columns(0, head_columns_.rows()); }

  // gradient (heads x context) = derivative by the weights, where heads() now hold derivatives by heads.
  void backward(MatrixView<T> gradient, const Context& job);

 private:
  Matrix<T> rows_;          // rows x context
  Matrix<T> columns_;       // context x rows, padded
  Matrix<T> heads_;         // rows x heads, padded
  Matrix<T> head_columns_;  // heads x rows
  Exchange exchange_;

  // Rows of a matrix of heads, each part computed by one rank, to all.
  void exchange_heads(MatrixView<T> matrix, Ranks* ranks);
};

}  // namespace bl
