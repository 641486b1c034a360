// The one log-sum-exp: every softmax, likelihood and normaliser goes through it.
#pragma once

#include <algorithm>
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

// values_k - log sum_j exp(values_j) in place. The largest is taken off first: beside utilities far from zero
// the log of the sum would be rounded away.
template <class T>
void log_softmax(std::span<T> values) {
  const T largest = *std::max_element(values.begin(), values.end());
  for (T& value : values) value -= largest;
  const T rest = log_sum_exp<T>(values);
  for (T& value : values) value -= rest;
}

}  // namespace bl
