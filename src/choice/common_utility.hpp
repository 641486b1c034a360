// The utility that is the same for all, where models beyond the logit begin.
#pragma once

#include <vector>

#include "choice/fit_kinds.hpp"
#include "fitted/fitted_model.hpp"
#include "random_utility/maximum.hpp"

namespace bl {

// Its parameters at the maximum of the likelihood of a plain logit, in the order of utility_parameters: of a
// linear utility, or the best of several starts of a block.
std::vector<double> common_parameters(const StoredModel& model, const ChoiceData& data,
                                      const Settings& settings, const Context& job);

}  // namespace bl
