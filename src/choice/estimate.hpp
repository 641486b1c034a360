// Estimates of choice models with their covariances: what a fit stores and what a summary from rows shows.
// Both kinds of utility come from inference/estimate.hpp.
#pragma once

#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "base/context.hpp"
#include "choice/linear.hpp"
#include "plan/device_plan.hpp"
#include "summary/estimation.hpp"

namespace bl {

struct ChoiceEstimateSpec {
  inference::CovarianceSpec covariance = {};  // of Estimation::estimate
  int bootstrap = 0;                          // resamples
  std::uint64_t seed = 1;                     // of the resamples
  std::string person = {};                    // column of the persons; empty: there are none
};

// Alternatives, persons and the log-likelihood of equally likely alternatives, as a model file keeps them.
nlohmann::json choice_facts(const ChoiceData& data);

// From maximal coefficients (see fit_linear); those at a bound of their sign become 0 and stay there, and
// those that the choices do not determine stay where they are and are named with the reason.
Estimation estimate_linear(const std::vector<LinearTerm>& terms, const std::vector<double>& coefficients,
                           const ChoiceData& data, const ChoiceEstimateSpec& spec, const Context& job);

// Of a choice's model with architecture, encoding and temperature; parameters are taken from
// `minimiser.given` or from many starts. UsageError for attributes with a sign: their bounds are not those of
// a canonical form.
Estimation estimate_network(const StoredModel& model, const ChoiceData& data,
                            const inference::MinimiserSpec& minimiser, const ChoiceEstimateSpec& spec,
                            const Context& job);

// Where so many fits to these situations are computed: starts, resamples. device: cpu, cuda, auto.
DeviceChoice choice_device(const std::string& device, const Architecture& architecture,
                           const ChoiceData& data, int fits);

}  // namespace bl
