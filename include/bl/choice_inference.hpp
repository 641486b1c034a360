// Standard errors, checks and canonical forms of choice models: what inference.hpp and check.hpp do for
// tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bl/check.hpp"
#include "bl/choice.hpp"
#include "bl/inference.hpp"

namespace bl {

struct ChoiceInference {
  ChoiceModel model;  // at the minimum, with its covariances
  InferenceSummary summary;
};

// Estimates from these situations (the training ones where the data are those of the fit, else all). A linear
// utility is fitted again; a network goes from its parameters to the minimum and into canonical form. Without
// a column, cluster means by person. NumericError, with the reason, where no minimum is reached; Interrupted
// where should_stop ended it.
ChoiceInference infer(const ChoiceModel& model, const Data& data, const InferenceOptions& options = {});

// From the covariances that the model stores: robust, classical, or by person. NeedsData where it stores
// none.
InferenceSummary stored_inference(const ChoiceModel& model, const InferenceOptions& options = {});
bool has_inference(const ChoiceModel& model);

// Choices drawn from the model at these situations, as many times as asked; each time the model is fitted
// again.
CheckReport check_model(const ChoiceModel& model, const Data& data, const CheckOptions& options = {},
                        const std::function<void(double, const std::string&)>& progress = {});

// The same probabilities with what data cannot decide decided by rule; covariances are dropped. UsageError
// for a linear utility, which is its own canonical form, and for a reference that is no alternative.
struct CanonicalChoice {
  ChoiceModel model;
  std::vector<std::string> notes;  // heads and blocks merged or left out
};
CanonicalChoice canonical(const ChoiceModel& model, const std::string& reference = "");

}  // namespace bl
