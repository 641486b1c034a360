// Matrix products without packing, for the shapes of training: chunks of some dozens of rows, weights that
// change at every step. Compiled for several instruction sets, chosen at run time.
//
// Every entry of a product is one chain of fused multiply-adds over the inner index in ascending order, so
// its bits depend on neither the tiles nor the rest of the matrix.
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "compute/strided_matrix.hpp"

namespace bl {

template <class T>
struct DenseKernels {
  // c = a b, or c += a b:  a is n x k, b is k x m, c is n x m. With a start (m numbers): every row of c
  // becomes start + its row of a b.
  void (*product)(const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
                  const T* start);

  // to (m x n) = transpose of from (n x m).
  void (*transpose)(MatrixView<const T> from, MatrixView<T> to);

  // out[p] = bias + rows[p] . weights, for each row.
  void (*row_dots)(MatrixView<const T> rows, const T* weights, T bias, T* out);

  // sums[j] += sum over the rows of rows[p][j], in order of the rows.
  void (*column_sums)(MatrixView<const T> rows, T* sums);
};

// The fastest set this processor runs.
template <class T>
const DenseKernels<T>& dense_kernels();

// One set for each instruction set this processor runs, fastest first, as kernels_of_every_target.
template <class T>
std::vector<DenseKernels<T>> dense_kernels_of_every_target();

}  // namespace bl
