// A model's view of a file of choices.
#pragma once

#include <functional>

#include "api/choice_impl.hpp"

namespace bl {

// The situations of a part with the model's numbering of alternatives. DataError where a part is asked of
// another file than the one the model was fitted on.
ChoiceData read_part(const ChoiceModel::Impl& model, const Data& data, Part part, bool need_choice);

// The settings of the fit. ModelFileError where they cannot be read.
Settings choice_settings(const ChoiceModel::Impl& model);

// The situations that standard errors are computed from: those that the model was trained on where the data
// are those of the fit, else all.
std::vector<Index> fit_situations(const ChoiceModel::Impl& model, const Data& data);

// Mean over situations (by weight) of the entries' numbers, per name of the entry: shares[names[j]].
std::vector<double> predicted_shares(const ChoiceData& data, const std::vector<std::int32_t>& names,
                                     const std::vector<double>& probability);

// Situations after a change. data.classes still say which of the model's alternatives an entry is to it;
// `names` say which one it is called: one of data.alternatives, to which added ones are appended.
struct ChangedChoices {
  ChoiceData data;
  std::vector<std::int32_t> names;  // entries
};

// UsageError for names that are not there and where somebody would be left with nothing to choose, DataError
// where an expression has no value.
ChangedChoices apply_scenario(const ChoiceModel::Impl& model, const ChoiceData& base,
                              const ChoiceScenario& scenario);

// Standard errors of quantities by the delta method, sqrt(g' V g) with the robust V and g the gradient by the
// parameters (central differences). Parameters held at a bound count as known. NaN where the model stores no
// covariance, and where its parameters are not identified. `count`: how many quantities there are.
std::vector<double> delta_errors(
    const ChoiceModel::Impl& model, std::size_t count,
    const std::function<std::vector<double>(const ChoiceModel::Impl&)>& quantities);

}  // namespace bl
