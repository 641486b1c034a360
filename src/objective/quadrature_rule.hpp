// Nodes and weights over a box, to carry the normaliser of a continuous response.
#pragma once

#include <vector>

#include "base/matrix.hpp"

namespace bl {

// The box of admissible responses. Densities, modes and samples respect it.
struct Support {
  std::vector<double> lower;
  std::vector<double> upper;
  Index dimension() const { return static_cast<Index>(lower.size()); }
  bool operator==(const Support&) const = default;
};

struct QuadratureRule {
  Matrix<double> nodes;             // nodes x dimension
  std::vector<double> log_weights;  // per node
  Index size() const { return static_cast<Index>(log_weights.size()); }
};

// Gauss-Legendre of the given order on [-1, 1]: exact for polynomials of degree 2 order - 1.
void gauss_legendre(int order, std::vector<double>& nodes, std::vector<double>& weights);

// Gauss-Lobatto with `points` >= 2 of them on [-1, 1], both ends included: exact for polynomials of degree
// 2 points - 3.
void gauss_lobatto(int points, std::vector<double>& nodes, std::vector<double>& weights);

// Composite Gauss-Legendre rule with `panels` equal panels of 8 nodes along each of one or two dimensions.
// Throws UsageError for more dimensions, an empty or infinite box, or no panels.
QuadratureRule composite_rule(const Support& support, int panels);

// A rule over an interval with a node at every one of `values`, which lie inside: Gauss-Lobatto between them
// and the ends of `panels` equal panels. Between fixed nodes a peak may stand that the normaliser does not
// see, and where a response repeats some values (whole numbers, zeros) training would find it.
QuadratureRule anchored_rule(const Support& support, int panels, std::vector<double> values);

// The panels of a rule that judges a model trained with `panels` of them: finer, with no panel ends in common
// inside the support, so that density which training did not see between its nodes is seen.
int judging_panels(int panels, Index dimension);

}  // namespace bl
