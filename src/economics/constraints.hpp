// Constraints of a choice model over situations that have been read already.
#pragma once

#include "bl/output.hpp"
#include "economics/situations.hpp"

namespace bl {

// What constraint_diagnostics says, at the chosen alternative of every situation, which must be known.
OutputTable situation_constraints(const FittedModel& model, const ChoiceData& situations, const Context& job);

}  // namespace bl
