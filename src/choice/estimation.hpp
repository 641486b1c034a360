// Estimates of choice models from situations, for summaries.
#pragma once

#include "base/context.hpp"
#include "summary/estimation.hpp"

namespace bl {

// UsageError for options that a linear utility has no use for.
void check_for_choice(const ChoiceResponse& choice, const InferenceOptions& options);

// A linear utility is fitted again; a network goes from its parameters to the minimum. Without a column,
// cluster means by person. NumericError where a linear utility has no maximum.
Estimation estimate_choice(const FittedModel& model, const Table& table, const InferenceOptions& options,
                           const Context& job);

}  // namespace bl
