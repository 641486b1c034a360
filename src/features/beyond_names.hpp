// What the parameters of a choice model beyond the logit are called, in the order in which they are stored.
#pragma once

#include <string>
#include <vector>

#include "features/linear_terms.hpp"

namespace bl {

// A parameter of the utility.
struct UtilityParameter {
  enum class Kind : std::uint8_t {
    coefficient,  // of a linear utility
    lambda,       // the weight of a head of a block
    inside,       // a coefficient inside a head
  };
  std::string name;
  Kind kind = Kind::coefficient;
  int sign = 0;  // of a coefficient: what the schema says
};

// Of a linear utility; those of a block are fitted/choice_utility.hpp.
std::vector<UtilityParameter> linear_parameters(const ChoiceSchema& schema,
                                                const std::vector<std::string>& alternatives);

// Index of the parameter of this name; UsageError with the nearest one.
std::size_t parameter_of(const std::vector<UtilityParameter>& parameters, const std::string& name);

// Alternatives in two nests; the share of the first of these nests is a parameter.
struct CrossNested {
  std::string alternative;
  std::size_t first = 0, second = 0;  // nests
};
std::vector<CrossNested> cross_nested(const ChoiceSchema& schema);

// `utility`: its parameters without the scales of data sources.
std::vector<std::string> beyond_names(const ChoiceSchema& schema,
                                      const std::vector<UtilityParameter>& utility);

// "mixed logit, 500 draws per person", "nested logit of a block".
std::string beyond_words(const ChoiceSchema& schema);

// How the draws of a mixed logit are made, in full.
std::string sampling_words(const ChoiceSchema& schema);

}  // namespace bl
