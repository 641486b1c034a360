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

// exp(z) in single precision for z in [-87, 88], to 0.6 ulp: exp(r) = 1 + (r + r^2 p(r)) on |r| <= log(2)/2,
// the power of two put in by its bits. p was fitted to the smallest error (3e-9).
template <class D, class V>
HWY_INLINE V short_exp(D d, V z) {
  const V n = hn::Round(hn::Mul(z, hn::Set(d, 1.442695041F)));
  const V r = hn::MulAdd(n, hn::Set(d, -1.428606820e-6F), hn::MulAdd(n, hn::Set(d, -0.693145752F), z));
  V p = hn::MulAdd(hn::Set(d, 0.001395048622F), r, hn::Set(d, 0.008368887863F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.04166620587F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.1666651885F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5F));
  const V e = hn::Add(hn::Set(d, 1.0F), hn::MulAdd(hn::Mul(r, r), p, r));
  const hn::RebindToSigned<D> integers;
  return hn::BitCast(d, hn::Add(hn::BitCast(integers, e), hn::ShiftLeft<23>(hn::ConvertTo(integers, n))));
}

// log(1 + e) in single precision for e in [0, 1]: e - e^2 q(e), q fitted to the smallest error (8e-10).
template <class D, class V>
HWY_INLINE V short_log1p(D d, V e) {
  V q = hn::MulAdd(hn::Set(d, -0.002072918083F), e, hn::Set(d, 0.01363133279F));
  q = hn::MulAdd(q, e, hn::Set(d, -0.04198104747F));
  q = hn::MulAdd(q, e, hn::Set(d, 0.0830736991F));
  q = hn::MulAdd(q, e, hn::Set(d, -0.1246709601F));
  q = hn::MulAdd(q, e, hn::Set(d, 0.1612932408F));
  q = hn::MulAdd(q, e, hn::Set(d, -0.1989792892F));
  q = hn::MulAdd(q, e, hn::Set(d, 0.2498857856F));
  q = hn::MulAdd(q, e, hn::Set(d, -0.3333268974F));
  q = hn::MulAdd(q, e, hn::Set(d, 0.499999873F));
  return hn::NegMulAdd(hn::Mul(e, e), q, e);
}

// tanh in single precision: x + x^3 p(x^2) below 0.625, 1 - 2 / (exp(2x) + 1) from there; within 2 ulp.
// NaN comes through.
template <class D, class V>
HWY_INLINE V short_tanh(D d, V a) {
  const V one = hn::Set(d, 1.0F), two = hn::Set(d, 2.0F), end = hn::Set(d, 9.02F);  // tanh rounds to 1 there
  const V size = hn::Abs(a);
  const V t = hn::Mul(size, size);
  V p = hn::MulAdd(hn::Set(d, -0.005704978360F), t, hn::Set(d, 0.02063907873F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.05373971215F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.1333144216F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.3333328194F));
  const V near = hn::MulAdd(hn::Mul(size, t), p, size);
  const V x = hn::IfThenElse(hn::Lt(size, end), size, end);
  const V far = hn::Sub(one, hn::Div(two, hn::Add(short_exp(d, hn::Add(x, x)), one)));
  // NaN is not at least 0.625 and takes the first form, which keeps it.
  return hn::CopySign(hn::IfThenElse(hn::Ge(size, hn::Set(d, 0.625F)), far, near), a);
}

// Each function gives phi and phi', and phi'' from those two (see activation_kinds.hpp).
// tanh(a) and 1 - tanh(a)^2.
struct TanhBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float))
      phi = short_tanh(d, a);
    else
      phi = hn::Tanh(d, a);
    slope = hn::NegMulAdd(phi, phi, hn::Set(d, hn::TFromD<D>(1)));
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V phi, V slope) const {
    return hn::Mul(hn::Mul(hn::Set(d, hn::TFromD<D>(-2)), phi), slope);
  }
};

// softplus(a) = max(a, 0) + log1p(exp(-|a|)) and the logistic function, without overflow on either side; in
// single precision both within 2 ulp. NaN must come through.
struct SoftplusBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    const V one = hn::Set(d, hn::TFromD<D>(1));
    const V down = hn::Neg(hn::Abs(a));
    V e, log;
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
      const V least = hn::Set(d, -87.0F);
      e = hn::IfThenZeroElse(hn::Lt(down, least), short_exp(d, hn::Max(down, least)));
      e = hn::IfThenElse(hn::Lt(down, least), hn::Exp(d, down), e);  // the last, subnormal numbers
      e = hn::IfThenElse(hn::IsNaN(a), a, e);
      log = short_log1p(d, e);
    } else {
      e = hn::IfThenElse(hn::IsNaN(a), a, hn::Exp(d, down));
      log = hn::Log1p(d, e);
    }
    phi = hn::Add(hn::Max(a, hn::Zero(d)), log);
    const V sum = hn::Add(one, e), lost = hn::Sub(e, hn::Sub(sum, one));
    const V about = hn::Div(e, sum);  // e / (sum + lost) = about (1 - lost / sum), and 1 / sum = 1 - about
    const V small = hn::NegMulAdd(hn::Mul(about, lost), hn::Sub(one, about), about);
    slope = hn::IfThenElse(hn::Ge(a, hn::Zero(d)), hn::Sub(one, small), small);
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V slope) const {
    return hn::Mul(slope, hn::Sub(hn::Set(d, hn::TFromD<D>(1)), slope));
  }
};

// The others are short; NaN comes through each of them. Left limits at kinks, see activation.hpp.
struct IdentityBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = a;
    slope = hn::Set(d, hn::TFromD<D>(1));
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V) const {
    return hn::Zero(d);
  }
};

struct ReluBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a);
    slope = hn::IfThenElseZero(hn::Gt(a, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(1)));
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V) const {
    return hn::Zero(d);
  }
};

struct AbsBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    phi = hn::Abs(a);
    slope =
        hn::IfThenElse(hn::Gt(a, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(1)), hn::Set(d, hn::TFromD<D>(-1)));
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V) const {
    return hn::Zero(d);
  }
};

struct SquareBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D, V a, V& phi, V& slope) const {
    phi = hn::Mul(a, a);
    slope = hn::Add(a, a);
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V) const {
    return hn::Set(d, hn::TFromD<D>(2));
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
  template <class D, class V>
  HWY_INLINE V curvature(D d, V phi, V slope) const {
    const V one = hn::Set(d, hn::TFromD<D>(1)), half = hn::Set(d, hn::TFromD<D>(0.5));
    return hn::IfThenElseZero(hn::And(hn::Gt(slope, hn::Neg(one)), hn::Le(phi, half)), one);
  }
};

struct ClipBoth {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V& phi, V& slope) const {
    const V one = hn::Set(d, hn::TFromD<D>(1)), low = hn::Neg(one);
    const V raised = hn::IfThenElse(hn::Lt(a, low), low, a);
    phi = hn::IfThenElse(hn::Gt(raised, one), one, raised);
    slope = hn::IfThenElseZero(hn::And(hn::Gt(a, low), hn::Le(a, one)), one);
  }
  template <class D, class V>
  HWY_INLINE V curvature(D d, V, V) const {
    return hn::Zero(d);
  }
};

// visit(function) with the function of this activation.
template <class F>
HWY_INLINE void with_activation(Activation activation, F&& visit) {
  switch (activation) {
#define BL_VISIT(value, Prefix) \
  case Activation::value:       \
    return visit(Prefix##Both());
    BL_ACTIVATIONS(BL_VISIT)
#undef BL_VISIT
  }
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
