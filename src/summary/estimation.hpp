// Estimates from rows, of any response, and what a summary needs of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/stored_inference.hpp"
#include "base/context.hpp"
#include "bl/inference.hpp"
#include "fitted/fitted_model.hpp"
#include "inference/bootstrap.hpp"

namespace bl {

struct Estimation {
  inference::Estimate estimate;  // of the model's parameters, in their units
  StoredInference stored;        // empty where there is no minimum
  inference::CovarianceKind kind = inference::CovarianceKind::robust;
  std::vector<std::string> columns = {};  // of the clusters
  std::optional<inference::Bootstrap> resampled = {};
  std::string device_note = {};  // DeviceChoice::note
};

// From the rows of the fit where the table is that of the fit, else from all.
Estimation estimate_table(const FittedModel& model, const Table& table, const InferenceOptions& options,
                          const Context& job);

}  // namespace bl
