// Where a utility is evaluated: rows of context, each with any number of candidate responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/matrix.hpp"

namespace bl {

template <class T>
struct Points {
  MatrixView<const T> context;            // rows x context
  std::span<const std::int32_t> begin;    // rows + 1: row i owns the points begin[i] ... begin[i + 1] - 1
  MatrixView<const T> values;             // points x values (no columns where the response has none)
  std::span<const std::int32_t> classes;  // points: the class of each; empty where the response has none
  // Optional, rows x heads of the first layer: bias and context's share of the heads where they are known
  // already. A gradient then ends at them: it is left in their place.
  MatrixView<T> row_heads = {};

  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
  Index count() const { return begin.back(); }
  // Every row owns exactly one point: rows and points are the same thing.
  bool one_per_row() const {
    for (std::size_t i = 0; i < begin.size(); ++i)
      if (begin[i] != static_cast<std::int32_t>(i)) return false;
    return true;
  }
};

}  // namespace bl
