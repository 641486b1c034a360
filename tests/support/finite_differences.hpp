// The one derivative checker: central differences in float64 with a bound on their own error.
//
// D(h) = (f(x + h) - f(x - h)) / 2h errs by f''' h^2 / 6 and by rounding of about eps |f| / h; the two
// balance at h = cbrt(eps). One Richardson step, (4 D(h) - D(2h)) / 3, removes the h^2 term, and |D(2h) -
// D(h)| bounds what is left. A bound too wide to convict is a failure too: it means a kink within the step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace bl::test {

inline constexpr double kDifferenceStep = 6.06e-6;  // cbrt(2^-52)
// How many roundings of its value the function's own evaluation may carry.
inline constexpr double kEvaluationRoundings = 64;
// A bound above this share of the derivative's scale would let a wrong term pass.
inline constexpr double kWidestBound = 1e-5;

// The rounding of a difference of values, each a sum of terms as large as `magnitude`.
inline double difference_rounding(double magnitude, double h) {
  return kEvaluationRoundings * std::numeric_limits<double>::epsilon() * magnitude / h;
}

struct Difference {
  double slope = 0;
  double bound = 0;  // on |slope - truth|
  double step = 0;
};

// d/dt of along(t) at t = 0; `scale` is the size of what t is added to.
template <class F>
Difference central_difference(F&& along, double scale = 1) {
  const double h = kDifferenceStep * std::max(1.0, std::abs(scale));
  const double f1 = along(h), f2 = along(-h), f3 = along(2 * h), f4 = along(-2 * h);
  const double near = (f1 - f2) / (2 * h), far = (f3 - f4) / (4 * h);
  const double largest = std::max({std::abs(f1), std::abs(f2), std::abs(f3), std::abs(f4)});
  return {(4 * near - far) / 3, std::abs(far - near) + difference_rounding(largest, h), h};
}

// Whether `slope` is the derivative that `difference` measured. `scale` is the largest derivative seen: a
// value that cancels, like a small loss of large utilities, is only as exact as the terms it was made of.
inline testing::AssertionResult slope_matches(double slope, const Difference& difference, double scale,
                                              const std::string& what) {
  if (!std::isfinite(slope) || !std::isfinite(difference.slope))
    return testing::AssertionFailure()
           << what << ": not finite: " << slope << " against " << difference.slope;
  const double widest = kWidestBound * std::max(1.0, scale);
  const double bound = difference.bound + difference_rounding(scale, difference.step);
  if (bound > widest)
    return testing::AssertionFailure() << what << ": the differences are uncertain by " << bound
                                       << " (at most " << widest << " can convict): is there a kink near?";
  if (std::abs(slope - difference.slope) > bound)
    return testing::AssertionFailure()
           << what << ": derivative " << slope << ", by differences " << difference.slope << " +- " << bound;
  return testing::AssertionSuccess();
}

using Function = std::function<double(std::span<const double>)>;

inline double largest_entry(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Every entry of a gradient; stops at the first that is wrong.
inline testing::AssertionResult gradient_matches(
    const Function& f, std::vector<double> point, std::span<const double> gradient,
    const std::function<std::string(std::size_t)>& name_of = [](std::size_t i) {
      return std::to_string(i);
    }) {
  const double scale = largest_entry(gradient);
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double centre = point[i];
    const Difference difference = central_difference(
        [&](double t) {
          point[i] = centre + t;
          return f(point);
        },
        centre);
    point[i] = centre;
    const auto result = slope_matches(gradient[i], difference, scale, "entry " + name_of(i));
    if (!result) return result;
  }
  return testing::AssertionSuccess();
}

// The derivative along one direction (of any length; it is taken with length 1).
inline testing::AssertionResult directional_matches(const Function& f, std::span<const double> point,
                                                    std::span<const double> gradient,
                                                    std::span<const double> direction,
                                                    const std::string& what) {
  double square = 0;
  for (const double d : direction) square += d * d;
  const double inverse = 1 / std::sqrt(square);
  double slope = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) slope += gradient[i] * direction[i] * inverse;
  std::vector<double> moved(point.size());
  const Difference difference = central_difference([&](double t) {
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = point[i] + t * inverse * direction[i];
    return f(moved);
  });
  return slope_matches(slope, difference, largest_entry(gradient), what);
}

}  // namespace bl::test
