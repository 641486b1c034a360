// A model's view of a file of choices.
#pragma once

#include <vector>

#include "features/choice_data.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// The situations of a part with the model's numbering of alternatives; where choices are needed, rankings are
// exploded into them. DataError for an alternative that the
// model has not seen, and where a part is asked of another file than that of the fit.
ChoiceData read_part(const FittedModel& model, const Table& table, Part part, bool need_choice);

// The situations that estimates are made from: those that the model was trained on where the table is that of
// the fit, else all.
ChoiceData read_for_estimates(const FittedModel& model, const Table& table, bool need_choice);

// The declared attribute of this name; UsageError with the nearest one, and for a term, which follows its
// attributes.
std::size_t attribute_of(const FittedModel& model, const std::string& name);

}  // namespace bl
