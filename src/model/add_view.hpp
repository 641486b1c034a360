// One matrix added to another of the same shape.
#pragma once

#include "base/matrix.hpp"

namespace bl {

template <class T>
void add(MatrixView<const T> from, MatrixView<T> to) {
  for (Index i = 0; i < from.rows; ++i)
    for (Index j = 0; j < from.cols; ++j) to(i, j) += from(i, j);
}

}  // namespace bl
