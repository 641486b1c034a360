// The model file: one safetensors container with the parameters as tensors and everything else as JSON in its
// metadata, enough to encode new data and predict without the training file.
//
//   metadata  format "behavior_learning.model", format_version "1", model: the JSON below
//   tensors   layers/0/U/weight, ... readout/bias as the layout names them; raw values (see
//             model/parameters.hpp); inference/robust and inference/classical where they were computed
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "artifact/safetensors.hpp"
#include "artifact/stored_inference.hpp"
#include "features/encoder.hpp"
#include "model/architecture.hpp"
#include "objective/quadrature_rule.hpp"

namespace bl {

inline constexpr int kModelFormatVersion = 1;

struct StoredModel {
  Architecture architecture;
  Encoder encoder;
  std::vector<double> parameters;  // raw, in the layout's order
  bool single_precision = true;    // stored, and trained, as float32
  Support support;                 // of the continuous responses, in encoded units
  double temperature = 1;
  // Plain information, kept as it is found (unknown fields too): settings, split, training, metrics,
  // provenance.
  nlohmann::json information = nlohmann::json::object();
  std::optional<StoredInference> inference = {};
};

artifact::TensorFile to_tensor_file(const StoredModel& model);

// ModelFileError naming what is wrong: not ours, another version, a field, a tensor's shape, a value not
// finite.
StoredModel from_tensor_file(const artifact::TensorFile& file);

void save_model(const std::string& path, const StoredModel& model);
StoredModel load_model(const std::string& path);

}  // namespace bl
