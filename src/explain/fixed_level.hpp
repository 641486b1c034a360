// A problem with one of its columns known: the formulas for one alternative or one class.
#pragma once

#include <string>

#include "explain/problem.hpp"

namespace bl::explain {

// The column's indicator of `level` replaced by 1 and its others by 0: terms vanish, or are gathered in
// others and in the constants. The variables stay in their places, so that evaluate() takes the same inputs;
// the outputs are called after the level. UsageError naming the nearest level.
Problem at_level(Problem problem, const std::string& column, const std::string& level);

}  // namespace bl::explain
