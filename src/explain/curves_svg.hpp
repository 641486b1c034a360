// The curves of a block as small multiples: a line of panels for every column, a panel for every head.
#pragma once

#include <string>

#include "explain/problem.hpp"
#include "explain/svg_parts.hpp"

namespace bl::explain {

struct CurvePanels {
  std::string svg = {};  // empty: the block has no curves
  double width = 0, height = 0;
};

// All panels have one vertical scale, so that curves can be compared by their height; ticks at the foot are
// the knots, which stand closer where there are more rows. The columns with the highest curves come first,
// then the products of two curves, whose colors have the same scale.
CurvePanels curve_panels(const Problem& problem, const Block& block, const Point& top);

}  // namespace bl::explain
