// Standard errors as a model file keeps them, of tables and of choices: JSON "inference" in the model's
// document, and the tensors inference/robust, inference/classical and inference/cluster.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "artifact/safetensors.hpp"
#include "features/json_fields.hpp"
#include "model/architecture.hpp"

namespace bl {

// Covariances of the free parameters of a canonical form (effective values), row-major; NaN for those that
// the rows do not determine.
struct StoredInference {
  std::vector<Index> positions;   // in the layout, ascending
  std::vector<double> robust;     // positions x positions
  std::vector<double> classical;  // the same, or empty where the objective is no likelihood
  std::vector<double> cluster;    // the same by the persons of a choice model; empty: there are none
  nlohmann::json facts = nlohmann::json::object();  // log-likelihood, rows, optima, ...

  // Errors alone, as early files of choices have them, make no summary.
  bool has_summary() const { return !facts.empty(); }
};

void add_inference(artifact::TensorFile& file, nlohmann::json& document, const StoredInference& inference);

// `field`: what add_inference wrote into the document. ModelFileError for positions beyond the layout and
// matrices of another size.
StoredInference read_inference(const artifact::TensorFile& file, const JsonField& field, Index layout_size);

}  // namespace bl
