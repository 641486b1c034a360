// One row decomposed: what every block and head adds to the utility of its responses.
#pragma once

#include <string>
#include <vector>

#include "explain/problem.hpp"

namespace bl::explain {

struct RowCase {
  std::string title;     // "observed", "best"
  std::string response;  // "MEDV = 23.1"
  std::size_t output = 0;
  Evaluation evaluation;  // of the standardised problem
};

enum class ConstraintState { slack, binding, violated, met, off };

// Binding or met: within 1% of the sum of the formula's absolute terms (in standardised units) of zero.
ConstraintState constraint_state(const Head& head, double value, const std::vector<double>& variables);

// `problem` in standardised units; blocks: those to decompose.
std::string render_row(const Problem& problem, const std::vector<const Block*>& blocks,
                       const std::vector<RowCase>& cases);

}  // namespace bl::explain
