// The terms of a linear utility of choices, by name.
#pragma once

#include <string>
#include <vector>

#include "features/choice_data.hpp"

namespace bl {

// A column of the design: attribute k (or 1 for a constant) where the alternative is the given one (or any).
struct LinearTerm {
  std::string name;
  std::int32_t attribute = -1;    // -1: a constant
  std::int32_t alternative = -1;  // -1: generic
  int sign = 0;

  double value(const ChoiceData& data, std::size_t entry) const {
    if (alternative >= 0 && data.classes[entry] != alternative) return 0;
    return attribute < 0 ? 1.0 : data.attributes(static_cast<Index>(entry), attribute);
  }
};

// What each coefficient multiplies: "alternative: expression" for every alternative that it stands in, with
// the expressions behind attributes and terms. Last what no choice depends on: "1" in every alternative.
std::vector<std::vector<std::string>> term_definitions(const ChoiceSchema& schema,
                                                       const std::vector<std::string>& alternatives);

// Constants first, in the order of the alternatives. UsageError for names that the data do not have.
std::vector<LinearTerm> linear_terms(const ChoiceSchema& schema,
                                     const std::vector<std::string>& alternatives);

}  // namespace bl
