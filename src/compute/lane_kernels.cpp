// Compiled once per instruction set (Highway's foreach_target).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/lane_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "compute/activation-inl.hpp"
#include "compute/every_target.hpp"
#include "compute/lane_kernels.hpp"

#ifndef BL_COMPUTE_LANE_KERNELS_ONCE
#define BL_COMPUTE_LANE_KERNELS_ONCE
#include <algorithm>
#endif

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

// No vector longer than half of the points: loops go two vectors at a time.
template <class T>
using LaneTag = hn::CappedTag<T, static_cast<size_t>(kLanePoints / 2)>;

template <class D, class T>
HWY_INLINE hn::Vec<D> load_or_zero(D d, const T* from, Index at) {
  return from ? hn::LoadU(d, from + at) : hn::Zero(d);
}

// Four rows and two vectors of points: eight sums, enough to hide the latency of a multiplication.
template <class T>
HWY_INLINE void four_rows(const StridedMatrix<T>& w, Index row, const T* HWY_RESTRICT from,
                          const T* HWY_RESTRICT in, T* HWY_RESTRICT out) {
  const LaneTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T* HWY_RESTRICT w0 = w.data + row * w.row_stride;
  const T* HWY_RESTRICT w1 = w0 + w.row_stride;
  const T* HWY_RESTRICT w2 = w1 + w.row_stride;
  const T* HWY_RESTRICT w3 = w2 + w.row_stride;
  for (Index p = 0; p < kLanePoints; p += 2 * lanes) {
    const Index o0 = row * kLanePoints + p, o1 = o0 + kLanePoints, o2 = o1 + kLanePoints,
                o3 = o2 + kLanePoints;
    auto a0 = load_or_zero(d, from, o0), b0 = load_or_zero(d, from, o0 + lanes);
    auto a1 = load_or_zero(d, from, o1), b1 = load_or_zero(d, from, o1 + lanes);
    auto a2 = load_or_zero(d, from, o2), b2 = load_or_zero(d, from, o2 + lanes);
    auto a3 = load_or_zero(d, from, o3), b3 = load_or_zero(d, from, o3 + lanes);
    for (Index c = 0; c < w.cols; ++c) {
      const auto a = hn::LoadU(d, in + c * kLanePoints + p),
                 b = hn::LoadU(d, in + c * kLanePoints + p + lanes);
      const Index at = c * w.column_stride;
      const auto f0 = hn::Set(d, w0[at]), f1 = hn::Set(d, w1[at]), f2 = hn::Set(d, w2[at]),
                 f3 = hn::Set(d, w3[at]);
      a0 = hn::MulAdd(f0, a, a0), b0 = hn::MulAdd(f0, b, b0);
      a1 = hn::MulAdd(f1, a, a1), b1 = hn::MulAdd(f1, b, b1);
      a2 = hn::MulAdd(f2, a, a2), b2 = hn::MulAdd(f2, b, b2);
      a3 = hn::MulAdd(f3, a, a3), b3 = hn::MulAdd(f3, b, b3);
    }
    hn::StoreU(a0, d, out + o0), hn::StoreU(b0, d, out + o0 + lanes);
    hn::StoreU(a1, d, out + o1), hn::StoreU(b1, d, out + o1 + lanes);
    hn::StoreU(a2, d, out + o2), hn::StoreU(b2, d, out + o2 + lanes);
    hn::StoreU(a3, d, out + o3), hn::StoreU(b3, d, out + o3 + lanes);
  }
}

template <class T>
HWY_INLINE void one_row(const StridedMatrix<T>& w, Index row, const T* HWY_RESTRICT from,
                        const T* HWY_RESTRICT in, T* HWY_RESTRICT out) {
  const LaneTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const T* HWY_RESTRICT w0 = w.data + row * w.row_stride;
  for (Index p = 0; p < kLanePoints; p += 2 * lanes) {
    const Index o = row * kLanePoints + p;
    auto a0 = load_or_zero(d, from, o), b0 = load_or_zero(d, from, o + lanes);
    for (Index c = 0; c < w.cols; ++c) {
      const auto f = hn::Set(d, w0[c * w.column_stride]);
      a0 = hn::MulAdd(f, hn::LoadU(d, in + c * kLanePoints + p), a0);
      b0 = hn::MulAdd(f, hn::LoadU(d, in + c * kLanePoints + p + lanes), b0);
    }
    hn::StoreU(a0, d, out + o), hn::StoreU(b0, d, out + o + lanes);
  }
}

template <class T>
void lane_product(const StridedMatrix<T>& weights, const T* from, const T* in, T* out) {
  Index row = 0;
  for (; row + 4 <= weights.rows; row += 4) four_rows(weights, row, from, in, out);
  for (; row < weights.rows; ++row) one_row(weights, row, from, in, out);
}

template <class T>
void lane_blocks(const BlockShape& shape, const T* HWY_RESTRICT lambda, T* HWY_RESTRICT heads,
                 T* HWY_RESTRICT s) {
  const LaneTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  std::fill_n(s, shape.blocks * kLanePoints, T(0));
  for (const HeadSection& section : shape.sections) {
    const Index count = shape.blocks * section.heads_per_block;
    if (count == 0) continue;
    with_activation(section.activation, [&](auto both) {
      for (Index h = 0; h < count; ++h) {
        const auto weight = hn::Set(d, static_cast<T>(section.sign) * lambda[section.begin + h]);
        T* HWY_RESTRICT a = heads + (section.begin + h) * kLanePoints;
        T* HWY_RESTRICT sum = s + h / section.heads_per_block * kLanePoints;
        for (Index p = 0; p < kLanePoints; p += lanes) {
          hn::Vec<decltype(d)> phi, slope;
          both(d, hn::LoadU(d, a + p), phi, slope);
          hn::StoreU(hn::MulAdd(weight, phi, hn::LoadU(d, sum + p)), d, sum + p);
          hn::StoreU(hn::Mul(weight, slope), d, a + p);
        }
      }
    });
  }
}

template <class T>
void lane_blocks_backward(const BlockShape& shape, const T* HWY_RESTRICT d_s, T* HWY_RESTRICT heads) {
  const LaneTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (const HeadSection& section : shape.sections) {
    for (Index h = 0; h < shape.blocks * section.heads_per_block; ++h) {
      T* HWY_RESTRICT a = heads + (section.begin + h) * kLanePoints;
      const T* HWY_RESTRICT ds = d_s + h / section.heads_per_block * kLanePoints;
      for (Index p = 0; p < kLanePoints; p += lanes)
        hn::StoreU(hn::Mul(hn::LoadU(d, ds + p), hn::LoadU(d, a + p)), d, a + p);
    }
  }
}

LaneKernels<float> lane_table_float() {
  return {lane_product<float>, lane_blocks<float>, lane_blocks_backward<float>};
}
LaneKernels<double> lane_table_double() {
  return {lane_product<double>, lane_blocks<double>, lane_blocks_backward<double>};
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {

BL_CHOSEN_KERNELS(LaneKernels, lane_kernels, lane_table_float, float)
BL_CHOSEN_KERNELS(LaneKernels, lane_kernels, lane_table_double, double)
BL_KERNELS_OF_EVERY_TARGET(LaneKernels, lane_kernels, lane_table_float, float)
BL_KERNELS_OF_EVERY_TARGET(LaneKernels, lane_kernels, lane_table_double, double)

}  // namespace bl
#endif
