// The fixed basis in which a first-layer head is linear: which terms (term.hpp), in which order.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/term.hpp"

namespace bl {

// affine: z itself. monomials: every monomial of degree 1 ... D in graded lexicographic order. affine_plus: z
// itself, then the terms named in `extra`. listed: exactly the terms in `extra`. Model files know them by
// these names.
#define BL_BASIS_KINDS(ONE) ONE(affine) ONE(monomials) ONE(affine_plus) ONE(listed)

#define BL_ENUMERATE(value) value,
enum class BasisKind { BL_BASIS_KINDS(BL_ENUMERATE) };
#undef BL_ENUMERATE

#define BL_ENUMERATE(value) BasisKind::value,
inline constexpr std::array kBasisKinds = {BL_BASIS_KINDS(BL_ENUMERATE)};
#undef BL_ENUMERATE

std::string_view name(BasisKind kind);

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
