// Maximum likelihood of choice models beyond the logit, with what is known about the parameters there.
#pragma once

#include "bl/settings.hpp"
#include "choice/estimate.hpp"
#include "fitted/fitted_model.hpp"
#include "random_utility/maximum.hpp"

namespace bl {

// From these parameters, or where there are none from those of the utility that is the same for all. Of the
// model, all but its parameters count. `settings`: epochs, starts and seed count. UsageError for a bootstrap.
Estimation estimate_beyond(const StoredModel& model, const ChoiceData& data, std::vector<double> start,
                           const Settings& settings, const random_utility::MaximumSpec& how,
                           const ChoiceEstimateSpec& spec, const Context& job);

}  // namespace bl
