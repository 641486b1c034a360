// Compiled once per instruction set (Highway's foreach_target). Sections with one head per block have sweeps
// of their own; the plain loops of the others are vectorised by the compiler for each set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "compute/activation-inl.hpp"
#include "compute/activation_kinds.hpp"
#include "compute/every_target.hpp"
#include "compute/kernels.hpp"
#include "compute/single_heads-inl.hpp"

#ifndef BL_COMPUTE_KERNELS_ONCE
#define BL_COMPUTE_KERNELS_ONCE
#include <algorithm>
#include <cmath>
#endif

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

template <class T, class F>
void transform_both(T* HWY_RESTRICT phi, T* HWY_RESTRICT slope, Index n, F both) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  for (Index i = 0; i < n; i += lanes) {
    V value, derivative;
    if (i + lanes <= n) {
      both(d, hn::LoadU(d, phi + i), value, derivative);
      hn::StoreU(value, d, phi + i);
      if (slope) hn::StoreU(derivative, d, slope + i);
    } else {
      const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
      both(d, hn::MaskedLoad(some, d, phi + i), value, derivative);
      hn::BlendedStore(value, some, d, phi + i);
      if (slope) hn::BlendedStore(derivative, some, d, slope + i);
    }
  }
}

// phi[0..n) holds a; becomes phi(a), slope (if not null) phi'(a). Left limits at kinks, see activation.hpp.
template <class T>
void activate(Activation activation, T* HWY_RESTRICT phi, T* HWY_RESTRICT slope, Index n) {
  with_activation(activation, [&](auto both) HWY_ATTR { transform_both(phi, slope, n, both); });
}

template <class T>
void several_forward(const HeadSection& section, Index blocks, const T* HWY_RESTRICT lambda,
                     MatrixView<T> phi, MatrixView<T> slope, MatrixView<T> out) {
  const Index h = section.heads_per_block;
  const T* HWY_RESTRICT l = lambda + section.begin;
  const T sign = static_cast<T>(section.sign);
  for (Index p = 0; p < phi.rows; ++p) {
    T* HWY_RESTRICT value = phi.row(p) + section.begin;
    T* HWY_RESTRICT s = out.row(p);
    activate(section.activation, value, slope.data ? slope.row(p) + section.begin : nullptr, blocks * h);
    for (Index b = 0; b < blocks; ++b)
      for (Index i = b * h; i < (b + 1) * h; ++i) s[b] += sign * l[i] * value[i];
  }
}

template <class T>
void blocks_forward(const BlockShape& shape, const T* lambda, MatrixView<T> phi, MatrixView<T> slope,
                    MatrixView<T> out, bool accumulate) {
  bool add = accumulate;
  for (const HeadSection& section : shape.sections) {
    if (section.heads_per_block == 0) continue;
    if (section.heads_per_block == 1) {
      single_forward(section, shape.blocks, lambda, phi, slope, out, add);
    } else {
      for (Index p = 0; p < out.rows && !add; ++p) std::fill_n(out.row(p), shape.blocks, T(0));
      several_forward(section, shape.blocks, lambda, phi, slope, out);
    }
    add = true;
  }
  for (Index p = 0; p < out.rows && !add; ++p) std::fill_n(out.row(p), shape.blocks, T(0));
}

template <class T>
void several_tangent(const HeadSection& section, Index blocks, const T* HWY_RESTRICT lambda,
                     MatrixView<const T> slope, MatrixView<const T> a_dot, MatrixView<T> out) {
  const Index h = section.heads_per_block;
  const T* HWY_RESTRICT l = lambda + section.begin;
  const T sign = static_cast<T>(section.sign);
  for (Index p = 0; p < slope.rows; ++p) {
    T* HWY_RESTRICT s = out.row(p);
    const T* HWY_RESTRICT d = slope.row(p) + section.begin;
    const T* HWY_RESTRICT t = a_dot.row(p) + section.begin;
    for (Index b = 0; b < blocks; ++b)
      for (Index i = b * h; i < (b + 1) * h; ++i) s[b] += sign * l[i] * d[i] * t[i];
  }
}

template <class T>
void blocks_tangent(const BlockShape& shape, const T* lambda, MatrixView<const T> slope,
                    MatrixView<const T> a_dot, MatrixView<T> out) {
  for (const HeadSection& section : shape.sections) {
    if (section.heads_per_block == 1)
      single_tangent(section, shape.blocks, lambda, slope, a_dot, out);
    else if (section.heads_per_block > 1)
      several_tangent(section, shape.blocks, lambda, slope, a_dot, out);
  }
}

template <class T>
void several_backward(const HeadSection& section, Index blocks, const T* HWY_RESTRICT lambda,
                      MatrixView<const T> phi, MatrixView<const T> slope, MatrixView<const T> d_s,
                      MatrixView<T> d_a, T* HWY_RESTRICT d_lambda) {
  const Index h = section.heads_per_block;
  const T* HWY_RESTRICT l = lambda + section.begin;
  const T sign = static_cast<T>(section.sign);
  for (Index p = 0; p < slope.rows; ++p) {
    const T* HWY_RESTRICT ds = d_s.row(p);
    const T* d = slope.row(p) + section.begin;
    T* da = d_a.row(p) + section.begin;
    for (Index b = 0; b < blocks; ++b)
      for (Index i = b * h; i < (b + 1) * h; ++i) da[i] = sign * ds[b] * l[i] * d[i];
    if (!d_lambda) continue;
    const T* HWY_RESTRICT f = phi.row(p) + section.begin;
    T* HWY_RESTRICT dl = d_lambda + section.begin;
    for (Index b = 0; b < blocks; ++b)
      for (Index i = b * h; i < (b + 1) * h; ++i) dl[i] += sign * ds[b] * f[i];
  }
}

template <class T>
void blocks_backward(const BlockShape& shape, const T* lambda, MatrixView<const T> phi,
                     MatrixView<const T> slope, MatrixView<const T> d_s, MatrixView<T> d_a, T* d_lambda) {
  for (const HeadSection& section : shape.sections) {
    if (section.heads_per_block == 1)
      single_backward(section, shape.blocks, lambda, phi, slope, d_s, d_a, d_lambda);
    else if (section.heads_per_block > 1)
      several_backward(section, shape.blocks, lambda, phi, slope, d_s, d_a, d_lambda);
  }
}

template <class T>
void several_backward_tangent(const HeadSection& section, Index blocks, const T* lambda,
                              MatrixView<const T> phi, MatrixView<const T> slope, MatrixView<T> a_dot,
                              MatrixView<const T> d_s, MatrixView<const T> d_s_dot, MatrixView<T> d_a,
                              T* d_lambda) {
  const T sign = static_cast<T>(section.sign);
  const Index h = section.heads_per_block;
  for (Index p = 0; p < slope.rows; ++p) {
    for (Index head = 0; head < blocks * h; ++head) {
      const Index i = section.begin + head;
      const T ds = sign * d_s(p, head / h), ds_dot = sign * d_s_dot(p, head / h);
      const T t = a_dot(p, i), f = phi(p, i), d = slope(p, i);
      d_lambda[i] += ds * f + ds_dot * d * t;
      d_a(p, i) = lambda[i] * (ds * d + ds_dot * t * curvature(section.activation, f, d));
      a_dot(p, i) = lambda[i] * ds_dot * d;
    }
  }
}

template <class T>
void blocks_backward_tangent(const BlockShape& shape, const T* lambda, MatrixView<const T> phi,
                             MatrixView<const T> slope, MatrixView<T> a_dot, MatrixView<const T> d_s,
                             MatrixView<const T> d_s_dot, MatrixView<T> d_a, T* d_lambda) {
  for (const HeadSection& section : shape.sections) {
    if (section.heads_per_block == 1)
      single_backward_tangent(section, shape.blocks, lambda, phi, slope, a_dot, d_s, d_s_dot, d_a, d_lambda);
    else if (section.heads_per_block > 1)
      several_backward_tangent(section, shape.blocks, lambda, phi, slope, a_dot, d_s, d_s_dot, d_a, d_lambda);
  }
}

template <class T>
void softplus_values(const T* raw, T* value, T* slope, Index n) {
  std::copy_n(raw, n, value);
  transform_both(value, slope, n, SoftplusBoth());
}

template <class T>
void spread_rows(std::span<const std::int32_t> begin, MatrixView<const T> rows,
                 std::span<const std::int32_t> groups, MatrixView<const T> weights, MatrixView<T> out) {
  for (Index i = 0; i < rows.rows; ++i) {
    const T* HWY_RESTRICT row = rows.row(i);
    for (std::int32_t p = begin[static_cast<size_t>(i)]; p < begin[static_cast<size_t>(i) + 1]; ++p) {
      T* HWY_RESTRICT o = out.row(p);
      if (groups.empty()) {
        std::copy_n(row, rows.cols, o);
      } else {
        const T* HWY_RESTRICT w = weights.row(groups[static_cast<size_t>(p)]);
        for (Index r = 0; r < rows.cols; ++r) o[r] = row[r] + w[r];
      }
    }
  }
}

template <class T>
void gather_rows(std::span<const std::int32_t> begin, MatrixView<const T> d_out,
                 std::span<const std::int32_t> groups, MatrixView<T> d_weights, MatrixView<T> sums) {
  for (Index i = 0; i < sums.rows; ++i) {
    T* HWY_RESTRICT sum = sums.row(i);
    std::fill_n(sum, sums.cols, T(0));
    for (std::int32_t p = begin[static_cast<size_t>(i)]; p < begin[static_cast<size_t>(i) + 1]; ++p) {
      const T* HWY_RESTRICT one = d_out.row(p);
      if (groups.empty()) {
        for (Index r = 0; r < sums.cols; ++r) sum[r] += one[r];
      } else {
        T* HWY_RESTRICT w = d_weights.row(groups[static_cast<size_t>(p)]);
        for (Index r = 0; r < sums.cols; ++r) {
          sum[r] += one[r];
          w[r] += one[r];
        }
      }
    }
  }
}

inline Index first_weight_row(std::span<const std::int32_t> groups, Index p, Index k) {
  return groups.empty() ? 0 : static_cast<Index>(groups[static_cast<size_t>(p)]) * k;
}

template <class T>
void rank_update(MatrixView<const T> features, std::span<const std::int32_t> groups,
                 MatrixView<const T> weights, MatrixView<T> out) {
  const Index k = features.cols;
  for (Index p = 0; p < out.rows; ++p) {
    T* HWY_RESTRICT o = out.row(p);
    const Index first = first_weight_row(groups, p, k);
    for (Index t = 0; t < k; ++t) {
      const T f = features(p, t);
      const T* HWY_RESTRICT w = weights.row(first + t);
      for (Index r = 0; r < out.cols; ++r) o[r] += f * w[r];
    }
  }
}

template <class T>
void rank_weight_gradient(MatrixView<const T> features, std::span<const std::int32_t> groups,
                          MatrixView<const T> d_out, MatrixView<T> d_weights) {
  const Index k = features.cols;
  for (Index p = 0; p < d_out.rows; ++p) {
    const T* HWY_RESTRICT d = d_out.row(p);
    const Index first = first_weight_row(groups, p, k);
    for (Index t = 0; t < k; ++t) {
      const T f = features(p, t);
      T* HWY_RESTRICT w = d_weights.row(first + t);
      for (Index r = 0; r < d_out.cols; ++r) w[r] += f * d[r];
    }
  }
}

template <class T>
void rank_feature_gradient(MatrixView<const T> weights, std::span<const std::int32_t> groups,
                           MatrixView<const T> d_out, MatrixView<T> d_features) {
  const hn::ScalableTag<T> tag;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  const Index k = d_features.cols;
  for (Index p = 0; p < d_out.rows; ++p) {
    const T* HWY_RESTRICT d = d_out.row(p);
    const Index first = first_weight_row(groups, p, k);
    for (Index t = 0; t < k; ++t) {
      const T* HWY_RESTRICT w = weights.row(first + t);
      auto sums = hn::Zero(tag);
      Index r = 0;
      for (; r + lanes <= d_out.cols; r += lanes)
        sums = hn::MulAdd(hn::LoadU(tag, w + r), hn::LoadU(tag, d + r), sums);
      T dot = hn::GetLane(hn::SumOfLanes(tag, sums));
      for (; r < d_out.cols; ++r) dot += w[r] * d[r];
      d_features(p, t) = dot;
    }
  }
}

template <class T>
Kernels<T> table() {
  return {hwy::TargetName(HWY_TARGET),
          blocks_forward<T>,
          blocks_tangent<T>,
          blocks_backward<T>,
          blocks_backward_tangent<T>,
          softplus_values<T>,
          spread_rows<T>,
          gather_rows<T>,
          rank_update<T>,
          rank_weight_gradient<T>,
          rank_feature_gradient<T>};
}

Kernels<float> table_float() {
  return table<float>();
}
Kernels<double> table_double() {
  return table<double>();
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {

BL_CHOSEN_KERNELS(Kernels, kernels, table_float, float)
BL_CHOSEN_KERNELS(Kernels, kernels, table_double, double)
BL_KERNELS_OF_EVERY_TARGET(Kernels, kernels, table_float, float)
BL_KERNELS_OF_EVERY_TARGET(Kernels, kernels, table_double, double)

Index BlockShape::total() const {
  Index heads = 0;
  for (const HeadSection& section : sections) heads += section.heads_per_block;
  return blocks * heads;
}

}  // namespace bl
#endif
