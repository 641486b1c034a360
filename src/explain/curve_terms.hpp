// The straight part and the bends of a column gathered into one curve, the columns of a product into one
// surface.
#pragma once

#include <optional>
#include <vector>

#include "explain/problem.hpp"
#include "features/encoder.hpp"

namespace bl::explain {

// Whether a feature enters heads as a curve: it has bends, or its far values are pulled in.
bool is_curved(const FeatureEncoding& feature);

// What several weights of a head make together: a curve of a column or a product of two curves, times other
// factors.
struct CurvedTerm {
  std::vector<Factor> factors = {};         // as in the term of the problem
  std::optional<std::size_t> product = {};  // of the encoder's; none: a curve
  std::size_t variable = 0, feature = 0;    // of a product the first
  auto operator<=>(const CurvedTerm&) const = default;
};

// One summand of it: the straight part (place 0) or bend j (place j + 1) of the feature, or a column of the
// product.
struct CurvePart {
  CurvedTerm whole = {};
  std::size_t place = 0, count = 0;
};

// The part that a term with these factors in the network's inputs belongs to, none without a curved input.
// The arguments are those of gather_curves, and so is the error.
std::optional<CurvePart> curve_part(const Encoder& encoder, const Problem& problem,
                                    const std::vector<Variable>& written,
                                    const std::vector<std::size_t>& variable_of,
                                    const std::vector<Factor>& factors);

// `terms` in the network's inputs and blocks (`written`), of which curved columns are of kind bend, become
// terms of the problem's variables: for each curved column and each product with other factors one curve, for
// each product of two curves one surface. UsageError for terms that multiply curved inputs with each other.
void gather_curves(const Encoder& encoder, const Problem& problem, const std::vector<Variable>& written,
                   const std::vector<std::size_t>& variable_of, std::vector<Monomial>& terms);

}  // namespace bl::explain
