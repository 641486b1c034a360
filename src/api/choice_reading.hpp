// A model's view of a file of choices.
#pragma once

#include "api/choice_impl.hpp"

namespace bl {

// The situations of a part with the model's numbering of alternatives. DataError where a part is asked of
// another file than the one the model was fitted on.
ChoiceData read_part(const ChoiceModel::Impl& model, const Data& data, Part part, bool need_choice);

// Mean over situations (by weight) of the entries' numbers, per alternative.
std::vector<double> predicted_shares(const ChoiceData& data, const std::vector<double>& probability);

}  // namespace bl
