#include "compute/product.hpp"

#include <cblas.h>

#include <algorithm>
#include <mutex>

#include "compute/dense_kernels.hpp"

namespace bl {

namespace {

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda,
          const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0F, a, lda, b, ldb, beta, c, ldc);
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a, lda, b, ldb, beta, c, ldc);
}

constexpr Index kSharedSize = 1 << 15;  // smaller matrices are not worth waking a thread for

int leading(Index stride) {
  return static_cast<int>(std::max<Index>(stride, 1));
}

template <class T>
void product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, Index inner, MatrixView<const T> a,
             MatrixView<const T> b, MatrixView<T> c, Accumulate accumulate) {
  if (c.rows == 0 || c.cols == 0) return;
  if (inner == 0) {
    if (accumulate == Accumulate::no)
      for (Index i = 0; i < c.rows; ++i) std::fill_n(c.row(i), c.cols, T{0});
    return;
  }
  // One product runs on the thread that asks for it.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
  gemm(ta, tb, static_cast<int>(c.rows), static_cast<int>(c.cols), static_cast<int>(inner), a.data,
       leading(a.stride), b.data, leading(b.stride), accumulate == Accumulate::yes ? T{1} : T{0}, c.data,
       leading(c.stride));
}

}  // namespace

template <class T>
void multiply_transposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                         Accumulate accumulate) {
  assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
  product(CblasNoTrans, CblasTrans, a.cols, a, b, c, accumulate);
}

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Accumulate accumulate) {
  assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
  dense_kernels<T>().product({a.data, a.rows, a.cols, a.stride, 1}, b, c, accumulate == Accumulate::yes,
                             nullptr);
}

template <class T>
void multiply_first_transposed(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                               Accumulate accumulate) {
  assert(a.rows == b.rows && a.cols == c.rows && b.cols == c.cols);
  dense_kernels<T>().product({a.data, a.cols, a.rows, 1, a.stride}, b, c, accumulate == Accumulate::yes,
                             nullptr);
}

template <class T>
void multiply_plus(MatrixView<const T> a, MatrixView<const T> b, const T* start, MatrixView<T> c) {
  assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
  dense_kernels<T>().product({a.data, a.rows, a.cols, a.stride, 1}, b, c, false, start);
}

template <class T>
void transpose(MatrixView<const T> from, MatrixView<T> to, const Context* job) {
  assert(from.rows == to.cols && from.cols == to.rows);
  static constexpr Index kColumns = 64;
  const Index slices = (from.cols + kColumns - 1) / kColumns;
  if (!job || slices < 2 || from.rows * from.cols < kSharedSize)
    return dense_kernels<T>().transpose(from, to);
  // One captured pointer: std::function holds it without allocating.
  struct Call {
    MatrixView<const T> from;
    MatrixView<T> to;
  } call{from, to};
  job->run(static_cast<std::size_t>(slices), [&call](std::size_t slice) {
    const Index first = static_cast<Index>(slice) * kColumns;
    const Index count = std::min(kColumns, call.from.cols - first);
    dense_kernels<T>().transpose(call.from.columns(first, count), call.to.row_range(first, count));
  });
}

#define BL_INSTANTIATE(T)                                                                                    \
  template void multiply_transposed<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Accumulate); \
  template void multiply_plus<T>(MatrixView<const T>, MatrixView<const T>, const T*, MatrixView<T>);         \
  template void transpose<T>(MatrixView<const T>, MatrixView<T>, const Context*);                            \
  template void multiply<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Accumulate);            \
  template void multiply_first_transposed<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<T>,        \
                                             Accumulate);
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl
