// Terms of the encoded inputs rewritten as polynomials of other units: z = slope raw + offset in every
// factor, multiplied out and gathered. Made once per basis; a head is then a linear combination.
#pragma once

#include <span>
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

// What stands for each variable when a term is rewritten; blocks stay themselves, levels of one column
// exclude each other.
std::vector<Substitution> substitutions(std::span<const Variable> variables, Units units);

class Expansion {
 public:
  // `terms` over positions of the substitutions.
  Expansion(const std::vector<Term>& terms, const std::vector<Substitution>& substitutions);

  // constant and terms of sum_t weights[t] term_t; a term that comes out as exactly 0 is left out. The sums
  // run in extended precision, so that a coefficient is the rounded exact one wherever cancellation allows.
  void combine(const double* weights, double& constant, std::vector<Monomial>& out) const;

  // Graded order; the first is the constant, without factors.
  const std::vector<std::vector<Factor>>& monomials() const { return monomials_; }
  // Of a term: monomial, coefficient.
  const std::vector<std::pair<std::size_t, long double>>& parts(std::size_t term) const {
    return parts_[term];
  }

 private:
  std::vector<std::vector<Factor>> monomials_;
  std::vector<std::vector<std::pair<std::size_t, long double>>> parts_;
};

}  // namespace bl::explain
