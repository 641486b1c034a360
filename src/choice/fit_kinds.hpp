// The three kinds of choice models and how each is fitted: a network, a linear utility, and what goes beyond
// the logit.
#pragma once

#include <string>

#include "artifact/model_file.hpp"
#include "base/context.hpp"
#include "bl/fit.hpp"
#include "features/choice_data.hpp"
#include "fit/trained.hpp"

namespace bl {

struct ChoiceParts {
  ChoiceData train, validation, test;
};

// What a checkpoint must have been made with.
struct FitIdentity {
  std::string data, settings;  // the settings and the schema
};

struct ChoicePlan {
  const ChoiceSchema& schema;
  const Settings& settings;
  const FitOptions& options;
  const Context& job;
  FitIdentity identity;
  std::vector<std::string>& unused;  // FitSummary::unused
};

// Means and standard deviations of the attributes of these situations' entries; a constant one keeps scale 1.
void standardize(const ChoiceData& data, ChoiceResponse& response);
// What the settings make of the model's encoder and attributes.
// memory: bytes that its training may take.
Architecture network_architecture(const Settings& settings, const StoredModel& model, Index train_situations,
                                  double memory);

// Settings that a network or a block does not use are refused or listed; what they leave open is kept with
// the model.
void settle_settings(const ChoiceParts& parts, const ChoicePlan& plan, bool to_minimum, StoredModel& model);

// Each fills in the model's architecture and parameters.
Trained fit_network(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model);
Trained fit_linear_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model);
Trained fit_beyond_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model);

}  // namespace bl
