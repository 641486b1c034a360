// Everything about one activation but its formula on vectors stands in one struct: what is known of it,
// value, slope (from t and the value phi), and the second derivative from the value and the slope of the same
// point. The formulas serve GPUs, too.
#pragma once

#include <cmath>
#include <limits>

#include "base/host_device.hpp"
#include "compute/activation.hpp"

namespace bl {

namespace activation_kinds {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kZero[] = {0};
inline constexpr double kUnits[] = {-1, 1};

struct Tanh {
  static constexpr ActivationFacts facts = {.parity = Parity::odd,
                                            .non_decreasing = true,
                                            .least = -1,
                                            .most = 1,
                                            .latex = "\\tanh({})",
                                            .html = "tanh({})"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == sizeof(float)) return short_tanh(t);
#endif
    return std::tanh(t);
  }
#ifdef __CUDA_ARCH__
  // In single precision as in activation-inl.hpp, within 3 units in the last place. No branch: lanes stay
  // together.
  __device__ static float short_tanh(float a) {
    const float size = fabsf(a), square = size * size;
    float p = fmaf(-0.005704978360F, square, 0.02063907873F);
    p = fmaf(p, square, -0.05373971215F);
    p = fmaf(p, square, 0.1333144216F);
    p = fmaf(p, square, -0.3333328194F);
    const float near = fmaf(size * square, p, size);
    const float far = 1.0F - __fdividef(2.0F, __expf(2.0F * fminf(size, 9.02F)) + 1.0F);
    return copysignf(size >= 0.625F ? far : near, a);  // NaN is not, and comes through
  }
#endif
  template <class T>
  BL_HOST_DEVICE static T slope(T, T phi) {
    return T(1) - phi * phi;
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T phi, T slope) {
    return T(-2) * phi * slope;
  }
};

struct Identity {
  static constexpr ActivationFacts facts = {.parity = Parity::odd,
                                            .non_decreasing = true,
                                            .least = -kInfinity,
                                            .most = kInfinity,
                                            .degree = 1,
                                            .lines = true,
                                            .latex = "{}",
                                            .html = "{}"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return t;
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T, T) {
    return T(1);
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T) {
    return T(0);
  }
};

struct Relu {
  static constexpr ActivationFacts facts = {.non_decreasing = true,
                                            .most = kInfinity,
                                            .degree = 1,
                                            .reflects = true,
                                            .kinks = kZero,
                                            .lines = true,
                                            .latex = "\\max(0, {})",
                                            .html = "max(0, {})"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return t < T(0) ? T(0) : t;
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return t > T(0) ? T(1) : T(0);
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T) {
    return T(0);
  }
};

struct Softplus {
  static constexpr ActivationFacts facts = {.non_decreasing = true,
                                            .most = kInfinity,
                                            .reflects = true,
                                            .latex = "\\log(1 + e^{{{}}})",
                                            .html = "log(1 + e<sup>{}</sup>)"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return (t < T(0) ? T(0) : t) + std::log1p(std::exp(-std::abs(t)));
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return t >= T(0) ? T(1) / (T(1) + std::exp(-t)) : std::exp(t) / (T(1) + std::exp(t));
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T slope) {
    return slope * (T(1) - slope);
  }
};

struct Abs {
  static constexpr ActivationFacts facts = {.parity = Parity::even,
                                            .most = kInfinity,
                                            .degree = 1,
                                            .kinks = kZero,
                                            .lines = true,
                                            .latex = "|{}|",
                                            .html = "|{}|"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return std::abs(t);
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return t > T(0) ? T(1) : T(-1);
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T) {
    return T(0);
  }
};

struct Square {
  static constexpr ActivationFacts facts = {
      .parity = Parity::even, .most = kInfinity, .degree = 2, .latex = "{}^2", .html = "{}<sup>2</sup>"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return t * t;
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return T(2) * t;
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T) {
    return T(2);
  }
};

// t^2/2 for |t| <= 1, |t| - 1/2 beyond.
struct Huber {
  static constexpr ActivationFacts facts = {.parity = Parity::even,
                                            .most = kInfinity,
                                            .bends = kUnits,
                                            .latex = "\\mathrm{{huber}}({})",
                                            .html = "huber({})"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return std::abs(t) <= T(1) ? T(0.5) * t * t : std::abs(t) - T(0.5);
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return t < T(-1) ? T(-1) : t > T(1) ? T(1) : t;
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(
      T phi, T slope) {  // the slope is t inside, -1 or 1 outside; t = 1 counts as inside
    return slope > T(-1) && phi <= T(0.5) ? T(1) : T(0);
  }
};

// max(-1, min(1, t)).
struct Clip {
  static constexpr ActivationFacts facts = {.parity = Parity::odd,
                                            .non_decreasing = true,
                                            .least = -1,
                                            .most = 1,
                                            .kinks = kUnits,
                                            .lines = true,
                                            .latex = "\\max(-1, \\min(1, {}))",
                                            .html = "max(−1, min(1, {}))"};
  template <class T>
  BL_HOST_DEVICE static T value(T t) {
    return t < T(-1) ? T(-1) : t > T(1) ? T(1) : t;
  }
  template <class T>
  BL_HOST_DEVICE static T slope(T t, T) {
    return t > T(-1) && t <= T(1) ? T(1) : T(0);
  }
  template <class T>
  BL_HOST_DEVICE static T curvature(T, T) {
    return T(0);
  }
};

}  // namespace activation_kinds

// visit(struct) of the given activation.
template <class F>
BL_HOST_DEVICE decltype(auto) with_kind(Activation activation, F&& visit) {
  switch (activation) {
#define BL_VISIT(value, Prefix) \
  case Activation::value:       \
    return visit(activation_kinds::Prefix());
    BL_ACTIVATIONS(BL_VISIT)
#undef BL_VISIT
  }
  __builtin_unreachable();
}

template <class T>
struct ValueAndSlope {
  T value, slope;
};
template <class T>
BL_HOST_DEVICE inline ValueAndSlope<T> value_and_slope(Activation activation, T t) {
  return with_kind(activation, [&](auto kind) {
    const T value = kind.value(t);
    return ValueAndSlope<T>{value, kind.slope(t, value)};
  });
}

// The second derivative from the value phi and the slope phi' of the same point.
template <class T>
BL_HOST_DEVICE inline T curvature(Activation activation, T phi, T slope) {
  return with_kind(activation, [&](auto kind) { return kind.curvature(phi, slope); });
}

}  // namespace bl
