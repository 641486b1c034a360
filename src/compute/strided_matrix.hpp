// A matrix in row-major order or the transpose of one, as the kernels read it.
#pragma once

#include "base/matrix.hpp"

namespace bl {

// By its two strides: rows or columns may be adjacent.
template <class T>
struct StridedMatrix {
  const T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;
  Index column_stride = 1;
};

}  // namespace bl
