// What the errors of the estimates make of curves and of products of two.
#pragma once

#include <optional>
#include <vector>

namespace bl::explain {

inline constexpr double kBandWidth = 1.959963984540054;  // standard errors to either side: 95%

struct WaldTest {
  double statistic = 0;  // chi-squared
  int degrees = 0;
  double p = 1;  // NaN: not determined
  bool operator==(const WaldTest&) const = default;
};

struct Band {
  std::vector<double> at, values, errors;  // standard errors at points from the first knot to the last
  std::vector<double> knot_errors;         // at the knots
  std::optional<WaldTest> straight = {};   // that it is a straight line; none of a curve that has no line
  WaldTest flat = {};                      // that it is zero everywhere
  bool operator==(const Band&) const = default;
};

struct SurfaceErrors {
  std::vector<double> at_knots = {};  // in the order of the surface's values; NaN: not determined
  WaldTest flat = {};                 // that it is zero everywhere
  bool operator==(const SurfaceErrors&) const = default;
};

}  // namespace bl::explain
