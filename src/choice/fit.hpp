// From a table of choices and what it means to a model: linear utilities by maximum likelihood, networks by
// the trainer.
#pragma once

#include "bl/fit.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Said wherever a network that reads its rivals answers what random utility would.
inline constexpr const char* kRivalWords =
    "the utility of an alternative reads the others of its situation, so this is no random utility: shares "
    "and "
    "elasticities hold, but there is no consumer surplus, and adding or withdrawing an alternative changes "
    "the "
    "utilities of the others";

FitSummary fit_choices(const Table& table, const ChoiceDeclaration& declaration, const Settings& settings,
                       const FitOptions& options);

// "linear utility, 4 coefficients", or the layers and parameters of a network.
std::string choice_words(const StoredModel& model);

}  // namespace bl
