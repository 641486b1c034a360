// Functions of two numbers by what they are on a grid of knots: bilinear between them, constant beyond the
// outer ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bl {

struct GridAxis {
  std::vector<double> knots = {};  // ascending, two or more
  double period = 0;               // above 0: the first knot is met again after it
  bool operator==(const GridAxis&) const = default;
};

// Where a number lies on an axis: between two knots, and what part of the way.
struct GridPlace {
  std::size_t low = 0, high = 0;
  double part = 0;   // 0 to 1
  double slope = 0;  // of the part by the number; at a knot that of the right side, 0 beyond the outer ones
};
GridPlace place_on(const GridAxis& axis, double x);

struct GridValue {
  double value = 0, by_first = 0, by_second = 0;
};
// `values` stand by knots of the first axis; `width` is the number of knots of the second.
GridValue grid_value(std::span<const double> values, std::size_t width, const GridPlace& first,
                     const GridPlace& second);

}  // namespace bl
