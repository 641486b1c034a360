// What the parameters of a choice model beyond the logit are called, in the order in which they are stored.
#pragma once

#include <string>
#include <vector>

#include "features/linear_terms.hpp"

namespace bl {

// Index of the term of this name; UsageError with the nearest one.
std::size_t term_of(const std::vector<LinearTerm>& terms, const std::string& name);

// Alternatives in two nests; the share of the first of these nests is a parameter.
struct CrossNested {
  std::string alternative;
  std::size_t first = 0, second = 0;  // nests
};
std::vector<CrossNested> cross_nested(const ChoiceSchema& schema);

std::vector<std::string> beyond_names(const ChoiceSchema& schema,
                                      const std::vector<std::string>& alternatives);

// "mixed logit, 2 random coefficients", "nested logit, 1 nest", "latent classes, 3".
std::string beyond_words(const ChoiceSchema& schema);

// How the draws of a mixed logit are made, in full.
std::string sampling_words(const ChoiceSchema& schema);

}  // namespace bl
