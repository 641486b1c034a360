// The straight part and the bends of a column gathered into one curve, the columns of a product into one surface.
#pragma once

#include <vector>

#include "explain/problem.hpp"
#include "features/encoder.hpp"

namespace bl::explain {

// Whether a feature enters heads as a curve: it has bends, or its far values are pulled in.
bool is_curved(const FeatureEncoding& feature);

// `terms` in the network's inputs and blocks (`written`), of which curved columns are of kind bend, become
// terms of the problem's variables: for each curved column and each product with other factors one curve, for each
// product of two curves one surface. UsageError for terms that multiply curved inputs with each other.
void gather_curves(const Encoder& encoder, const Problem& problem, const std::vector<Variable>& written,
                   const std::vector<std::size_t>& variable_of, std::vector<Monomial>& terms);

}  // namespace bl::explain
