// From an estimate, or the covariances that a model file stores, to the table with names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bl/inference.hpp"
#include "explain/coefficients.hpp"
#include "fitted/fitted_model.hpp"
#include "inference/bootstrap.hpp"

namespace bl {

// What names need of a model.
struct NamedModel {
  Architecture architecture;
  std::vector<explain::Variable> inputs;
  std::vector<std::string> outputs;  // classes of a vector form
  // A linear utility of choices: the names of its coefficients. These are estimated as they are, without a
  // canonical form.
  std::vector<std::string> linear = {};
  std::string beyond =
      {};  // what kind of model beyond the logit it is, in words; `linear` names all parameters
};

NamedModel named_model(const FittedModel& model);

// UsageError for options that make no sense.
void check_options(const InferenceOptions& options);

// What parameters are called in standardised units, where every one has a name of its own.
std::map<Index, std::string> position_names(const NamedModel& model);

struct SummaryParts {
  const NamedModel* model = nullptr;
  const std::vector<double>* parameters = nullptr;  // raw, canonical
  const StoredInference* stored = nullptr;
  Eigen::MatrixXd covariance;  // of the stored positions
  const inference::Bootstrap* bootstrap = nullptr;
};
InferenceSummary make_summary(const SummaryParts& parts, const InferenceOptions& options);

// A sentence about every weight that runs away, and what is determined there. Empty where none does.
std::vector<std::string> ridge_words(const NamedModel& model, const StoredInference& stored);

// What the summary says about the covariance that was asked for and about the resamples.
struct CovarianceWords {
  const inference::Estimate* estimate = nullptr;
  inference::CovarianceKind kind = inference::CovarianceKind::robust;
  std::vector<std::string> columns = {};  // of the clusters
  const inference::Bootstrap* bootstrap = nullptr;
};
void describe_covariance(const CovarianceWords& words, InferenceSummary& summary);

// The same of a stored one.
void describe_stored_covariance(const StoredInference& stored, const std::string& kind,
                                InferenceSummary& summary);

// The stored covariance of this kind. UsageError where there is none.
Eigen::MatrixXd stored_covariance(const StoredInference& stored, const std::string& kind);

// NumericError, with the reasons, unless the estimate is at a minimum.
void require_minimum(const inference::Estimate& estimate, const NamedModel& model);

}  // namespace bl
