// The linear utilities of alternatives, a line each.
#pragma once

#include <string>
#include <vector>

#include "explain/problem.hpp"

namespace bl::explain {

// "V[train] = -0.7012 - 1.278 time - 1.084 cost": the problem of one linear head at every level of a column.
std::string linear_text(const Problem& problem, const std::string& column,
                        const std::vector<std::string>& levels);

}  // namespace bl::explain
