// Everything about one activation but its formula on vectors stands in one struct: what is known of it,
// value, slope, and the second derivative from the value phi and the slope of the same point.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "compute/activation.hpp"

namespace bl {

namespace activation_kinds {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kZero[] = {0};
inline constexpr double kUnits[] = {-1, 1};

struct Tanh {
  static constexpr ActivationFacts facts = {
      .parity = Parity::odd, .non_decreasing = true, .least = -1, .most = 1, .latex = "\\tanh({})"};
  static double value(double t) { return std::tanh(t); }
  static double slope(double t) {
    const double phi = std::tanh(t);
    return 1 - phi * phi;
  }
  template <class T>
  static T curvature(T phi, T slope) {
    return T(-2) * phi * slope;
  }
};

struct Identity {
  static constexpr ActivationFacts facts = {.parity = Parity::odd,
                                            .non_decreasing = true,
                                            .least = -kInfinity,
                                            .most = kInfinity,
                                            .degree = 1,
                                            .latex = "{}"};
  static double value(double t) { return t; }
  static double slope(double) { return 1; }
  template <class T>
  static T curvature(T, T) {
    return T(0);
  }
};

struct Relu {
  static constexpr ActivationFacts facts = {.non_decreasing = true,
                                            .most = kInfinity,
                                            .degree = 1,
                                            .reflects = true,
                                            .kinks = kZero,
                                            .latex = "\\max(0, {})"};
  static double value(double t) { return std::max(t, 0.0); }
  static double slope(double t) { return t > 0 ? 1 : 0; }
  template <class T>
  static T curvature(T, T) {
    return T(0);
  }
};

struct Softplus {
  static constexpr ActivationFacts facts = {
      .non_decreasing = true, .most = kInfinity, .reflects = true, .latex = "\\log(1 + e^{{{}}})"};
  static double value(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }
  static double slope(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }
  template <class T>
  static T curvature(T, T slope) {
    return slope * (T(1) - slope);
  }
};

struct Abs {
  static constexpr ActivationFacts facts = {
      .parity = Parity::even, .most = kInfinity, .degree = 1, .kinks = kZero, .latex = "|{}|"};
  static double value(double t) { return std::abs(t); }
  static double slope(double t) { return t > 0 ? 1 : -1; }
  template <class T>
  static T curvature(T, T) {
    return T(0);
  }
};

struct Square {
  static constexpr ActivationFacts facts = {
      .parity = Parity::even, .most = kInfinity, .degree = 2, .latex = "{}^2"};
  static double value(double t) { return t * t; }
  static double slope(double t) { return 2 * t; }
  template <class T>
  static T curvature(T, T) {
    return T(2);
  }
};

// t^2/2 for |t| <= 1, |t| - 1/2 beyond.
struct Huber {
  static constexpr ActivationFacts facts = {
      .parity = Parity::even, .most = kInfinity, .bends = kUnits, .latex = "\\mathrm{{huber}}({})"};
  static double value(double t) { return std::abs(t) <= 1 ? 0.5 * t * t : std::abs(t) - 0.5; }
  static double slope(double t) { return std::clamp(t, -1.0, 1.0); }
  template <class T>
  static T curvature(T phi, T slope) {  // the slope is t inside, -1 or 1 outside; t = 1 counts as inside
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
                                            .latex = "\\max(-1, \\min(1, {}))"};
  static double value(double t) { return std::clamp(t, -1.0, 1.0); }
  static double slope(double t) { return t > -1 && t <= 1 ? 1 : 0; }
  template <class T>
  static T curvature(T, T) {
    return T(0);
  }
};

}  // namespace activation_kinds

// visit(struct) of the given activation.
template <class F>
decltype(auto) with_kind(Activation activation, F&& visit) {
  switch (activation) {
#define BL_VISIT(value, Prefix) \
  case Activation::value:       \
    return visit(activation_kinds::Prefix());
    BL_ACTIVATIONS(BL_VISIT)
#undef BL_VISIT
  }
  __builtin_unreachable();
}

// The second derivative from the value phi and the slope phi' of the same point.
template <class T>
inline T curvature(Activation activation, T phi, T slope) {
  return with_kind(activation, [&](auto kind) { return kind.curvature(phi, slope); });
}

}  // namespace bl
