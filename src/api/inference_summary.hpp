// From an estimate, or the covariances that a model file stores, to the table with names: shared by models of
// tables and of choices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "bl/inference.hpp"
#include "explain/coefficients.hpp"
#include "inference/bootstrap.hpp"

namespace bl {

// What names need of a model.
struct NamedModel {
  Architecture architecture;
  std::vector<explain::Variable> inputs;
  std::vector<std::string> outputs;  // classes of a vector form
};

// Both covariances and the facts about the estimate.
StoredInference stored_of(const inference::Estimate& estimate, const Objective<double>& objective,
                          Index reference);

struct SummaryParts {
  const NamedModel* model = nullptr;
  const std::vector<double>* parameters = nullptr;  // raw, canonical
  const StoredInference* stored = nullptr;
  Eigen::MatrixXd covariance;  // of the stored positions
  const inference::Bootstrap* bootstrap = nullptr;
};
InferenceSummary make_summary(const SummaryParts& parts, const InferenceOptions& options);

// The stored covariance of this kind. UsageError where there is none.
Eigen::MatrixXd stored_covariance(const StoredInference& stored, const std::string& kind);

// NumericError, with the reasons, unless the estimate is at a minimum.
void require_minimum(const inference::Estimate& estimate, const NamedModel& model);

}  // namespace bl
