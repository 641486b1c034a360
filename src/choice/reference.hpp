// Coefficients against a reference alternative.
#pragma once

#include <string>
#include <vector>

#include "features/choice_data.hpp"

namespace bl {

// What is the same for all alternatives (a column of the person) has coefficients against a reference, as
// constants have: leaves that of the reference out of `declaration` where all alternatives have one, with a
// note. Returns whether one was left out.
bool leave_out_reference(const ChoiceData& all, const ChoiceSchema& schema, ChoiceDeclaration& declaration,
                         std::vector<std::string>& notes);

}  // namespace bl
