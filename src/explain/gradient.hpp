// Derivatives of a problem's outputs by its inputs: marginal utilities.
#pragma once

#include <vector>

#include "explain/problem.hpp"

namespace bl::explain {

// d output / d input at an evaluated point, in the problem's units. Where an activation has a kink, its slope
// is the limit from the left, as in training.
std::vector<double> gradient(const Problem& problem, const Evaluation& at, std::size_t output);

// The same for every variable of the problem, blocks too: d output / d block value.
std::vector<double> sensitivities(const Problem& problem, const Evaluation& at, std::size_t output);

// Change of the output per unit of one variable, when it falls and when it rises. They differ only where a
// head is within `tolerance` of its kink.
struct OneSided {
  double left = 0, right = 0;
};
OneSided one_sided(const Problem& problem, const Evaluation& at, std::size_t output, std::size_t variable,
                   double tolerance);

// Heads within `tolerance` of a point where the slope of their activation jumps.
std::vector<const Head*> heads_at_kinks(const Problem& problem, const Evaluation& at, double tolerance);

}  // namespace bl::explain
