// Compiled once per instruction set (Highway's foreach_target).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/dense_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "compute/dense_kernels.hpp"
#include "compute/every_target.hpp"
#include "compute/tail-inl.hpp"

#ifndef BL_COMPUTE_DENSE_KERNELS_ONCE
#define BL_COMPUTE_DENSE_KERNELS_ONCE
#include <algorithm>
#endif

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

// A tile of c that stays in registers: rows x vectors sums, beside the vectors of b and one entry of a.
inline constexpr int kTileVectors = 3;
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int kTileRows = 8;  // 32 registers
#else
inline constexpr int kTileRows = 4;
#endif
// Inner indices per pass: a panel of b, kInner x (vectors of a tile), stays in a first- or second-level
// cache.
inline constexpr Index kInner = 256;

// One tile: ROWS x VECTORS vectors of D. The last vector begins at column `last` and may overlap the one
// before it: c is read before it is written, and both find the same numbers for the columns they share.
template <class D, int ROWS, int VECTORS, class T = hn::TFromD<D>>
HWY_INLINE void tile(D d, const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
                     const T* start, Index last) {
  using V = hn::Vec<D>;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto place = [&](int v) HWY_ATTR { return v == VECTORS - 1 ? last : v * lanes; };
  V sum[static_cast<size_t>(ROWS)][static_cast<size_t>(VECTORS)];
  for (int i = 0; i < ROWS; ++i)
    for (int v = 0; v < VECTORS; ++v)
      sum[i][v] = start        ? hn::LoadU(d, start + place(v))
                  : accumulate ? hn::LoadU(d, c.data + i * c.stride + place(v))
                               : hn::Zero(d);
  const T* HWY_RESTRICT b_row = b.data;
  const T* HWY_RESTRICT a_column = a.data;
  for (Index k = 0; k < a.cols; ++k, b_row += b.stride, a_column += a.column_stride) {
    V right[static_cast<size_t>(VECTORS)];
    for (int v = 0; v < VECTORS; ++v) right[v] = hn::LoadU(d, b_row + place(v));
    for (int i = 0; i < ROWS; ++i) {
      const V left = hn::Set(d, a_column[i * a.row_stride]);
      for (int v = 0; v < VECTORS; ++v) sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
    }
  }
  for (int i = 0; i < ROWS; ++i)
    for (int v = 0; v < VECTORS; ++v) hn::StoreU(sum[i][v], d, c.data + i * c.stride + place(v));
}

// A panel of c: all rows, VECTORS vectors of columns.
template <class D, int VECTORS, class T = hn::TFromD<D>>
void panel(D d, const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
           const T* start) {
  const Index last = c.cols - static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  const auto rows = [&](Index count) {
    return StridedMatrix<T>{a.data + i * a.row_stride, count, a.cols, a.row_stride, a.column_stride};
  };
  for (; i + kTileRows <= c.rows; i += kTileRows)
    tile<D, kTileRows, VECTORS>(d, rows(kTileRows), b, c.row_range(i, kTileRows), accumulate, start, last);
  if constexpr (kTileRows > 4)
    for (; i + 4 <= c.rows; i += 4)
      tile<D, 4, VECTORS>(d, rows(4), b, c.row_range(i, 4), accumulate, start, last);
  for (; i < c.rows; ++i) tile<D, 1, VECTORS>(d, rows(1), b, c.row_range(i, 1), accumulate, start, last);
}

// Fewer columns than a vector has lanes: one or two of the longest shorter vectors.
template <std::size_t LANES, class T>
void narrow(const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
            const T* start) {
  const hn::CappedTag<T, LANES> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  if constexpr (LANES > 1) {
    if (c.cols < lanes) return narrow<LANES / 2>(a, b, c, accumulate, start);
  }
  c.cols == lanes ? panel<decltype(d), 1>(d, a, b, c, accumulate, start)
                  : panel<decltype(d), 2>(d, a, b, c, accumulate, start);
}

// Three vectors of columns at a time; two and two where one would be left.
template <class T>
void panels(const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
            const T* start) {
  const hn::ScalableTag<T> d;
  using D = decltype(d);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  if (c.cols == 0) return;
  if (c.cols < lanes) return narrow<hn::MaxLanes(D())>(a, b, c, accumulate, start);
  for (Index j = 0; j < c.cols;) {
    const Index left = c.cols - j, vectors = (left + lanes - 1) / lanes;
    const Index taken = vectors == 4 ? 2 : std::min<Index>(vectors, kTileVectors);
    const Index width = std::min(left, taken * lanes);
    const MatrixView<const T> right = b.columns(j, width);
    const MatrixView<T> out = c.columns(j, width);
    const T* from = start ? start + j : nullptr;
    if (taken == 3)
      panel<D, 3>(d, a, right, out, accumulate, from);
    else if (taken == 2)
      panel<D, 2>(d, a, right, out, accumulate, from);
    else
      panel<D, 1>(d, a, right, out, accumulate, from);
    j += width;
  }
}

template <class T>
void dense_product(const StridedMatrix<T>& a, MatrixView<const T> b, MatrixView<T> c, bool accumulate,
                   const T* start) {
  for (Index k = 0; k == 0 || k < a.cols; k += kInner) {
    const Index count = std::min(kInner, a.cols - k);
    const StridedMatrix<T> left{a.data + k * a.column_stride, a.rows, count, a.row_stride, a.column_stride};
    panels(left, b.row_range(k, count), c, accumulate || k > 0, k == 0 ? start : nullptr);
  }
}

// Four rows of four: lanes of pairs, then pairs of pairs.
template <class T>
HWY_INLINE void transpose_block(const T* HWY_RESTRICT from, Index from_stride, T* HWY_RESTRICT to,
                                Index to_stride) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) {
    const hn::FixedTag<T, 4> d;
    const hn::RepartitionToWide<hn::RebindToUnsigned<decltype(d)>> pairs;
    const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + from_stride),
               r2 = hn::LoadU(d, from + 2 * from_stride), r3 = hn::LoadU(d, from + 3 * from_stride);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1)),
               high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1)),
               low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3)),
               high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
    return;
  }
#endif
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) to[j * to_stride + i] = from[i * from_stride + j];
}

// Sixteen columns of `from` at a time: whole cache lines are read, and the lines written are filled soon.
template <class T>
void dense_transpose(MatrixView<const T> from, MatrixView<T> to) {
  constexpr Index kStrip = 16;
  for (Index begin = 0; begin < from.cols; begin += kStrip) {
    const Index end = std::min(begin + kStrip, from.cols);
    Index i = 0;
    for (; i + 4 <= from.rows; i += 4) {
      Index j = begin;
      for (; j + 4 <= end; j += 4)
        transpose_block(from.data + i * from.stride + j, from.stride, to.data + j * to.stride + i, to.stride);
      for (; j < end; ++j)
        for (Index r = i; r < i + 4; ++r) to.data[j * to.stride + r] = from.data[r * from.stride + j];
    }
    for (; i < from.rows; ++i)
      for (Index j = begin; j < end; ++j) to.data[j * to.stride + i] = from.data[i * from.stride + j];
  }
}

template <class T>
void dense_row_dots(MatrixView<const T> rows, const T* HWY_RESTRICT weights, T bias, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index p = 0; p < rows.rows; ++p) {
    const T* HWY_RESTRICT row = rows.row(p);
    auto sum = hn::Zero(d);
    Index j = 0;
    for (; j + lanes <= rows.cols; j += lanes)
      sum = hn::MulAdd(hn::LoadU(d, row + j), hn::LoadU(d, weights + j), sum);
    if (j < rows.cols)
      sum = hn::MulAdd(load_first(d, row + j, rows.cols - j), load_first(d, weights + j, rows.cols - j), sum);
    out[p] = bias + hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

template <class T>
void dense_column_sums(MatrixView<const T> rows, T* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index j = 0; j < rows.cols; j += lanes) {
    const Index n = std::min(lanes, rows.cols - j);
    const bool whole = n == lanes;
    const T* HWY_RESTRICT from = rows.data + j;
    auto sum = whole ? hn::LoadU(d, sums + j) : load_first(d, sums + j, n);
    for (Index p = 0; p < rows.rows; ++p, from += rows.stride)
      sum = hn::Add(sum, whole ? hn::LoadU(d, from) : load_first(d, from, n));
    if (whole)
      hn::StoreU(sum, d, sums + j);
    else
      store_first(sum, d, sums + j, n);
  }
}

template <class T>
DenseKernels<T> dense_table() {
  return {dense_product<T>, dense_transpose<T>, dense_row_dots<T>, dense_column_sums<T>};
}

DenseKernels<float> dense_table_float() {
  return dense_table<float>();
}
DenseKernels<double> dense_table_double() {
  return dense_table<double>();
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {

BL_CHOSEN_KERNELS(DenseKernels, dense_kernels, dense_table_float, float)
BL_CHOSEN_KERNELS(DenseKernels, dense_kernels, dense_table_double, double)
BL_KERNELS_OF_EVERY_TARGET(DenseKernels, dense_kernels, dense_table_float, float)
BL_KERNELS_OF_EVERY_TARGET(DenseKernels, dense_kernels, dense_table_double, double)

}  // namespace bl
#endif
