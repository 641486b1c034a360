// Standard normal numbers for a block of chains at once.
#pragma once

#include "base/matrix.hpp"
#include "base/random.hpp"

namespace bl::gibbs {

// Row i of out is filled with the numbers of row first + i of the stream.
template <class T>
void fill_normal_rows(const RandomStream& stream, Index first, MatrixView<T> out) {
  for (Index i = 0; i < out.rows; ++i)
    stream.fill_normal(static_cast<std::uint64_t>(first + i),
                       std::span(out.row(i), static_cast<std::size_t>(out.cols)));
}

}  // namespace bl::gibbs
