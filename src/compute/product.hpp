// Matrix products on the thread that asks for them. Those of training, whose second factor has its rows in
// memory order, run in kernels of our own (dense_kernels.hpp); the third form is OpenBLAS's.
#pragma once

#include "base/context.hpp"
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

// Every row of c = start + its row of a b; start null: zero.
template <class T>
void multiply_plus(MatrixView<const T> a, MatrixView<const T> b, const T* start, MatrixView<T> c);

// c = a^T b  (+ c):  a is n x k, b is n x m, c is k x m.
template <class T>
void multiply_first_transposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                               Accumulate accumulate);

// to (m x n) = transpose of from (n x m). The threads of a job, where given, share the work on a large one.
template <class T>
void transpose(MatrixView<const T> from, MatrixView<T> to, const Context* job);

}  // namespace bl
