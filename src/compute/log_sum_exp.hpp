// The one log-sum-exp: every softmax, likelihood and normaliser goes through it.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace bl {

// log sum_k exp(values_k), safe for any finite values and for minus infinity (an option of weight zero).
// Minus infinity for an empty set; NaN if any value is NaN.
template <class T>
T log_sum_exp(std::span<const T> values) {
  T largest = -std::numeric_limits<T>::infinity();
  for (const T value : values) {
    if (std::isnan(value)) return value;
    if (value > largest) largest = value;
  }
  if (std::isinf(largest)) return largest;
  T sum = 0;
  for (const T value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

}  // namespace bl
