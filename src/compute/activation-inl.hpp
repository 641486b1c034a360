// Activations on vectors, for the files that Highway compiles once per instruction set. Included once per
// target.
#if defined(BL_COMPUTE_ACTIVATION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BL_COMPUTE_ACTIVATION_INL
#undef BL_COMPUTE_ACTIVATION_INL
#else
#define BL_COMPUTE_ACTIVATION_INL
#endif

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "compute/activation.hpp"

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// tanh in single precision: a P(a^2) / Q(a^2) on |a| <= 9.02, where tanh rounds to 1. P and Q, of degree 4,
// were fitted by reweighted least squares to the smallest relative error (2e-8); with rounding 3e-7 at most.
// NaN comes through.
template <class D, class V>
HWY_INLINE V rational_tanh(D d, V a) {
  const V end = hn::Set(d, 9.02F), one = hn::Set(d, 1.0F);
  const V size = hn::Abs(a);
  const V x = hn::IfThenElse(hn::Gt(size, end), end, size);
  const V t = hn::Mul(x, x);
  V p = hn::MulAdd(hn::Set(d, 1.3321741931804354e-08F), t, hn::Set(d, 2.0585823222063482e-05F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.0034941970370709896F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.13379862904548645F));
  p = hn::MulAdd(p, t, one);
  V q = hn::MulAdd(hn::Set(d, 7.763231337776233e-07F), t, hn::Set(d, 0.00032833439763635397F));
  q = hn::MulAdd(q, t, hn::Set(d, 0.02587171457707882F));
  q = hn::MulAdd(q, t, hn::Set(d, 0.4671317934989929F));
  q = hn::MulAdd(q, t, one);
  const V phi = hn::Div(hn::Mul(x, p), q);
  return hn::CopySign(hn::IfThenElse(hn::Gt(phi, one), one, phi), a);
}

// tanh(a) and 1 - tanh(a)^2.
struct TanhBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float))
      phi = rational_tanh(d, a);
    else
      phi = hn::Tanh(d, a);
    slope = hn::NegMulAdd(phi, phi, hn::Set(d, hn::TFromD<D>(1)));
  }
};

// softplus(a) = max(a, 0) + log1p(exp(-|a|)) and the logistic function, without overflow on either side.
// Highway's Exp turns NaN into 0; here it must come through.
struct SoftplusBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    const V one = hn::Set(d, hn::TFromD<D>(1));
    const V e = hn::IfThenElse(hn::IsNaN(a), a, hn::Exp(d, hn::Neg(hn::Abs(a))));
    phi = hn::Add(hn::Max(a, hn::Zero(d)), hn::Log1p(d, e));
    const V small = hn::Div(e, hn::Add(one, e));
    slope = hn::IfThenElse(hn::Ge(a, hn::Zero(d)), hn::Sub(one, small), small);
  }
};

// The others are short; NaN comes through each of them. Left limits at kinks, see activation.hpp.
struct IdentityBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = a;
    slope = hn::Set(d, hn::TFromD<D>(1));
  }
};

struct ReluBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a);
    slope = hn::IfThenElseZero(hn::Gt(a, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(1)));
  }
};

struct AbsBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = hn::Abs(a);
    slope =
        hn::IfThenElse(hn::Gt(a, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(1)), hn::Set(d, hn::TFromD<D>(-1)));
  }
};

struct SquareBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D, V a, V& phi, V& slope) const {
    phi = hn::Mul(a, a);
    slope = hn::Add(a, a);
  }
};

struct HuberBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    const V one = hn::Set(d, hn::TFromD<D>(1)), half = hn::Set(d, hn::TFromD<D>(0.5));
    const V low = hn::IfThenElse(hn::Lt(a, hn::Neg(one)), hn::Neg(one), a);
    slope = hn::IfThenElse(hn::Gt(low, one), one, low);
    phi = hn::Mul(slope, hn::NegMulAdd(half, slope, a));
  }
};

// visit(function) with the function of this activation.
template <class F>
HWY_INLINE void with_activation(Activation activation, F&& visit) {
  switch (activation) {
    case Activation::tanh:
      return visit(TanhBoth());
    case Activation::softplus:
      return visit(SoftplusBoth());
    case Activation::identity:
      return visit(IdentityBoth());
    case Activation::relu:
      return visit(ReluBoth());
    case Activation::abs:
      return visit(AbsBoth());
    case Activation::square:
      return visit(SquareBoth());
    case Activation::huber:
      return visit(HuberBoth());
  }
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
