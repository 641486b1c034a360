// A function of two variables by what it is on a grid of knots: what a product of two curves is in a head.
#pragma once

#include <string>
#include <vector>

#include "features/grid.hpp"

namespace bl::explain {

struct Surface {
  GridAxis first = {}, second = {};
  std::vector<double> values = {};  // by knots of the first; bilinear between, constant beyond the outer ones
  bool operator==(const Surface&) const = default;

  GridValue at(double x, double y) const;
  double at_knots(std::size_t i, std::size_t j) const { return values[i * second.knots.size() + j]; }
  // Root mean square over the grid, whose knots stand about as close as the rows do.
  double size() const;
};

// "high where both are high or both are low; lowest -0.31 at age 17, hours 60, highest 0.88 at age 45, hours
// 20".
std::string in_words(const Surface& surface, const std::string& first, const std::string& second);
// Its first part, or the place of the largest value where it has none.
std::string shape_in_words(const Surface& surface, const std::string& first, const std::string& second);

}  // namespace bl::explain
