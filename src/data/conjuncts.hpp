// The parts of a filter that must all hold.
#pragma once

#include <vector>

#include "data/expression.hpp"

namespace bl {

// The expressions between the `and`s of the outermost level; the whole one where there is none.
std::vector<Expression> conjuncts(const Expression& expression);

}  // namespace bl
