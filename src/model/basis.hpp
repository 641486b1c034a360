// The fixed basis in which a first-layer head is linear: which terms (term.hpp), in which order.
#pragma once

#include <vector>

#include "model/term.hpp"

namespace bl {

enum class BasisKind {
  affine,       // z itself
  monomials,    // every monomial of degree 1 ... D in graded lexicographic order
  affine_plus,  // z itself, then the terms named in `extra`
  listed,       // exactly the terms in `extra`
};

struct BasisSpec {
  BasisKind kind = BasisKind::affine;
  std::vector<Term> extra;
  bool response_only = false;  // leave out every term without a factor of the response, and the bias
  bool operator==(const BasisSpec&) const = default;
};

// Number of terms before anything is allocated; saturates at the largest Index. degree counts for monomials.
Index basis_size(const BasisSpec& spec, const InputShape& shape, int degree);

// The terms, in order. Throws UsageError for a term that names no input or is empty. Call basis_size first.
std::vector<Term> basis_terms(const BasisSpec& spec, const InputShape& shape, int degree);

}  // namespace bl
