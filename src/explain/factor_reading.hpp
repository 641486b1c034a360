// Common factors: the leading terms of a head read as a product of two short forms, where that is close.
//
// The paper's -0.56 P^2 - 0.6 RM + 0.57 RM P reads as 0.577 (1 - P)(1 + P - RM), the constant left to the
// rest. A reading is an approximation with a stated error and never stands in place of the estimate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/problem.hpp"

namespace bl::explain {

// scale * first * second + the other terms of the head. A form is a constant and variables, each with +1 or
// -1.
struct FactorReading {
  struct Form {
    int constant = 0;                                         // -1, 0 or 1
    std::vector<std::pair<std::size_t, int>> variables = {};  // ascending; sign +1 or -1; at least one
  };
  std::string head = {};  // its name
  double scale = 0;
  Form first = {}, second = {};
  std::size_t terms = 0;  // how many of the head's largest terms it stands for
  // Length of the difference between the product's coefficients and those of the terms it stands for,
  // relative to the length of the latter; the constant is not counted. In standardised units.
  double error = 0;
};

// The reading of the most terms (five to two of the largest, over at most four variables) whose error is at
// most `tolerance`; of several the closest. Nothing where there is none. `head` in standardised units: only
// there can sizes of different terms be compared.
std::optional<FactorReading> common_factors(const Head& head, double tolerance = 0.1);

// All heads of the blocks of a standardised problem; UsageError for other units.
std::vector<FactorReading> common_factors(const Problem& standardised);

// "0.577 (1 - P)(1 + P - RM)".
std::string reading_text(const Problem& problem, const FactorReading& reading);

}  // namespace bl::explain
