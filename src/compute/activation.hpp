// The functions applied to heads, and what is fixed about their derivatives.
//
// Where a derivative jumps we take its limit from the left, everywhere and for every order:
//   relu'(0) = 0,  |.|'(0) = -1,  huber''(-1) = 0,  huber''(1) = 1.
#pragma once

#include <string_view>

namespace bl {

enum class Activation {
  tanh,
  identity,
  relu,
  softplus,
  abs,
  square,
  huber,  // t^2/2 for |t| <= 1, |t| - 1/2 beyond
};

std::string_view name(Activation activation);

// Throws UsageError naming the valid ones.
Activation activation_from_name(std::string_view name);

// The second derivative from the value phi and the slope phi' of the same point.
template <class T>
inline T curvature(Activation activation, T phi, T slope) {
  switch (activation) {
    case Activation::tanh:
      return T(-2) * phi * slope;
    case Activation::softplus:
      return slope * (T(1) - slope);
    case Activation::square:
      return T(2);
    case Activation::huber:  // the slope is t inside, -1 or 1 outside; t = 1 counts as inside
      return slope > T(-1) && phi <= T(0.5) ? T(1) : T(0);
    case Activation::identity:
    case Activation::relu:
    case Activation::abs:
      break;
  }
  return T(0);
}

}  // namespace bl
