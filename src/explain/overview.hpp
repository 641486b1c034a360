// A problem too large to be read in full, on one screen: the columns and blocks that matter and what the rest
// amounts to.
#pragma once

#include <string>

#include "explain/problem.hpp"

namespace bl::explain {

// More blocks than a person reads.
bool is_large(const Problem& problem);

// About 40 lines of at most 80 columns. A column's share is that of what the blocks read of features, each
// block counted by its influence (see hierarchy.hpp).
std::string overview_text(const Problem& problem);

}  // namespace bl::explain
