// What a curve does, in one line.
#pragma once

#include <string>

#include "explain/problem.hpp"

namespace bl::explain {

// Whether the column has bends. Otherwise it is a straight line whose far values are pulled in, with knots
// that may lie beyond all data.
bool is_bent(const Problem& problem, const Monomial::Curve& curve);

// in_words of the pieces; of a straight line its slope, and from where to where it holds.
std::string curve_in_words(const Problem& problem, const Monomial::Curve& curve);

// The same of a product of two curves, with the names of its variables.
std::string product_in_words(const Problem& problem, const Monomial::Product& product);

}  // namespace bl::explain
