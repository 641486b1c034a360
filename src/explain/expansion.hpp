// Terms of the encoded inputs rewritten as polynomials of other units: z = slope raw + offset in every
// factor, multiplied out and gathered. Made once per basis; a head is then a linear combination.
#pragma once

#include <utility>
#include <vector>

#include "explain/problem.hpp"
#include "model/basis.hpp"

namespace bl::explain {

// How one encoded input follows from its variable.
struct Substitution {
  long double slope = 1;
  long double offset = 0;
  bool indicator = false;  // 0 or 1: its powers are itself
  int exclusive = -1;      // indicators with the same number are never 1 together: their products vanish
};

// Graded order: lower degrees first, then by variables.
struct GradedOrder {
  bool operator()(const std::vector<Factor>& a, const std::vector<Factor>& b) const;
};

class Expansion {
 public:
  // `terms` over positions of the substitutions.
  Expansion(const std::vector<Term>& terms, const std::vector<Substitution>& substitutions);

  // constant and terms of sum_t weights[t] term_t; a term that comes out as exactly 0 is left out. The sums
  // run in extended precision, so that a coefficient is the rounded exact one wherever cancellation allows.
  void combine(const double* weights, double& constant, std::vector<Monomial>& out) const;

 private:
  std::vector<std::vector<Factor>> monomials_;  // graded order; [0] is the constant, without factors
  std::vector<std::vector<std::pair<std::size_t, long double>>>
      parts_;  // of each term: monomial, coefficient
};

}  // namespace bl::explain
