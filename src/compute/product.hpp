// Matrix products, by OpenBLAS (kernels chosen for the processor at run time, one thread a call).
#pragma once

#include "base/matrix.hpp"

namespace bl {

// What becomes of the result's old contents.
enum class Accumulate { no, yes };

// c = a b^T  (+ c):  a is n x k, b is m x k, c is n x m.
template <class T>
void multiply_transposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                         Accumulate accumulate);

// c = a b  (+ c):  a is n x k, b is k x m, c is n x m.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Accumulate accumulate);

// c = a^T b  (+ c):  a is n x k, b is n x m, c is k x m.
template <class T>
void multiply_first_transposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                               Accumulate accumulate);

}  // namespace bl
