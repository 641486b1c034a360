// The sweeps over a section with one head per block, the usual one: head b belongs to block b, so a vector of
// heads meets a vector of blocks. Sixteen columns (or as many as a vector has) of all points at a time: the
// lambdas stay in registers, and so do the sums over points. Included once per target.
#if defined(BL_COMPUTE_SINGLE_HEADS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BL_COMPUTE_SINGLE_HEADS_INL
#undef BL_COMPUTE_SINGLE_HEADS_INL
#else
#define BL_COMPUTE_SINGLE_HEADS_INL
#endif

#include <hwy/highway.h>

#include "compute/activation-inl.hpp"
#include "compute/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

// Loads and stores of the current columns, as many as a vector of D has.
template <class D>
struct Columns {
  D d;
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;

  HWY_INLINE V load(const T* from) const { return hn::LoadU(d, from); }
  HWY_INLINE void store(V v, T* to) const { hn::StoreU(v, d, to); }
};

template <class D, class F>
HWY_INLINE void columns_of(D d, Index& b, Index count, F& visit) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (; b + lanes <= count; b += lanes) visit(b, Columns<D>{d});
}

// visit(first column, Columns) for all columns of a section: whole vectors, then halves, quarters, ... of
// one. (A store of some lanes by a mask costs some processors twenty cycles.)
template <class T, class F>
HWY_INLINE void for_columns(Index count, F&& visit) {
  Index b = 0;
  columns_of(hn::ScalableTag<T>(), b, count, visit);
  columns_of(hn::CappedTag<T, 8>(), b, count, visit);
  columns_of(hn::CappedTag<T, 4>(), b, count, visit);
  columns_of(hn::CappedTag<T, 2>(), b, count, visit);
  columns_of(hn::CappedTag<T, 1>(), b, count, visit);
}

template <class T, class C>
HWY_INLINE typename C::V signed_lambda(const HeadSection& section, const T* lambda, Index b,
                                       const C& columns) {
  return hn::Mul(hn::Set(columns.d, static_cast<T>(section.sign)), columns.load(lambda + section.begin + b));
}

// See Kernels::blocks_forward; `add`: to what is in out, else in its place.
template <class T>
void single_forward(const HeadSection& section, Index blocks, const T* lambda, MatrixView<T> phi,
                    MatrixView<T> slope, MatrixView<T> out, bool add) {
  with_activation(section.activation, [&](auto both) HWY_ATTR {
    for_columns<T>(blocks, [&](Index b, auto columns) HWY_ATTR {
      const auto weight = signed_lambda(section, lambda, b, columns);
      T* HWY_RESTRICT value = phi.data + section.begin + b;
      T* HWY_RESTRICT derivative = slope.data ? slope.data + section.begin + b : nullptr;
      T* HWY_RESTRICT s = out.data + b;
      for (Index p = 0; p < phi.rows; ++p, value += phi.stride, s += out.stride) {
        typename decltype(columns)::V v, dv;
        both(columns.d, columns.load(value), v, dv);
        columns.store(v, value);
        if (derivative) columns.store(dv, derivative), derivative += slope.stride;
        columns.store(add ? hn::MulAdd(weight, v, columns.load(s)) : hn::Mul(weight, v), s);
      }
    });
  });
}

template <class T>
void single_tangent(const HeadSection& section, Index blocks, const T* lambda, MatrixView<const T> slope,
                    MatrixView<const T> a_dot, MatrixView<T> out) {
  for_columns<T>(blocks, [&](Index b, auto columns) HWY_ATTR {
    const auto weight = signed_lambda(section, lambda, b, columns);
    const T* HWY_RESTRICT d = slope.data + section.begin + b;
    const T* HWY_RESTRICT t = a_dot.data + section.begin + b;
    T* HWY_RESTRICT s = out.data + b;
    for (Index p = 0; p < slope.rows; ++p, d += slope.stride, t += a_dot.stride, s += out.stride)
      columns.store(hn::MulAdd(hn::Mul(weight, columns.load(d)), columns.load(t), columns.load(s)), s);
  });
}

template <class T>
void single_backward(const HeadSection& section, Index blocks, const T* lambda, MatrixView<const T> phi,
                     MatrixView<const T> slope, MatrixView<const T> d_s, MatrixView<T> d_a, T* d_lambda) {
  for_columns<T>(blocks, [&](Index b, auto columns) HWY_ATTR {
    const auto weight = signed_lambda(section, lambda, b, columns);
    const T* HWY_RESTRICT f = phi.data + section.begin + b;
    const T* d = slope.data + section.begin + b;
    const T* HWY_RESTRICT ds = d_s.data + b;
    T* da = d_a.data + section.begin + b;
    auto sum = hn::Zero(columns.d);
    for (Index p = 0; p < slope.rows; ++p) {
      const auto seed = columns.load(ds + p * d_s.stride);
      columns.store(hn::Mul(hn::Mul(weight, seed), columns.load(d + p * slope.stride)), da + p * d_a.stride);
      if (d_lambda) sum = hn::MulAdd(seed, columns.load(f + p * phi.stride), sum);
    }
    if (!d_lambda) return;
    T* total = d_lambda + section.begin + b;
    columns.store(hn::MulAdd(hn::Set(columns.d, static_cast<T>(section.sign)), sum, columns.load(total)),
                  total);
  });
}

// With w = sign lambda:  d_lambda += sign sum_p (ds phi + ds_dot phi' a_dot),
//   d_a = w (ds phi' + ds_dot a_dot phi''),  d_a_dot = w ds_dot phi'.
template <class T>
void single_backward_tangent(const HeadSection& section, Index blocks, const T* lambda,
                             MatrixView<const T> phi, MatrixView<const T> slope, MatrixView<T> a_dot,
                             MatrixView<const T> d_s, MatrixView<const T> d_s_dot, MatrixView<T> d_a,
                             T* d_lambda) {
  with_activation(section.activation, [&](auto both) HWY_ATTR {
    for_columns<T>(blocks, [&](Index b, auto columns) HWY_ATTR {
      const Index at = section.begin + b;
      const auto weight = signed_lambda(section, lambda, b, columns);
      auto sum = hn::Zero(columns.d);
      for (Index p = 0; p < slope.rows; ++p) {
        const auto f = columns.load(phi.data + p * phi.stride + at),
                   d = columns.load(slope.data + p * slope.stride + at),
                   ds = columns.load(d_s.data + p * d_s.stride + b),
                   ds_dot = columns.load(d_s_dot.data + p * d_s_dot.stride + b);
        T* HWY_RESTRICT dot = a_dot.data + p * a_dot.stride + at;
        const auto t = columns.load(dot), through = hn::Mul(ds_dot, d), bent = hn::Mul(ds_dot, t);
        sum = hn::MulAdd(ds, f, hn::MulAdd(through, t, sum));
        const auto d_head = hn::MulAdd(bent, both.curvature(columns.d, f, d), hn::Mul(ds, d));
        columns.store(hn::Mul(weight, d_head), d_a.data + p * d_a.stride + at);
        columns.store(hn::Mul(weight, through), dot);
      }
      T* total = d_lambda + at;
      columns.store(hn::MulAdd(hn::Set(columns.d, static_cast<T>(section.sign)), sum, columns.load(total)),
                    total);
    });
  });
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
