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

// tanh(a) and 1 - tanh(a)^2.
struct TanhBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
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
