// The fixed basis in which a first-layer head is linear: monomials of the input z = [x ; v ; e].
//
// x is the context, v the values of the response that vary by candidate (a continuous response, or an
// alternative's attributes), e the one-hot class (or alternative). A term is the sorted list of its
// factors' positions in z, so [0, 3, 3] is z0 z3^2. The constant is never a term: heads have a bias.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"

namespace bl {

struct InputShape {
  Index context = 0;
  Index values = 0;
  Index classes = 0;
  Index size() const { return context + values + classes; }
  bool operator==(const InputShape&) const = default;
};

using Term = std::vector<std::int32_t>;

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
