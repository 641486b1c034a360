// The model file: one safetensors container with the parameters as tensors and everything else as JSON in its
// metadata, enough to encode new data and predict without the training file.
//
//   metadata  format "behavior_learning.model", format_version "2", model: the JSON below, digest: of all
//             the rest (see digest.hpp)
//   tensors   layers/0/U/weight, ... readout/bias as the layout names them; raw values (see
//             model/parameters.hpp); inference/robust and inference/classical where they were computed;
//             encoder/features/3/loadings of text columns
//
// Files of version 1 are read, too (see version_1.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "artifact/safetensors.hpp"
#include "artifact/stored_inference.hpp"
#include "features/choice_schema.hpp"
#include "features/encoder.hpp"
#include "model/architecture.hpp"
#include "objective/quadrature_rule.hpp"

namespace bl {

inline constexpr int kModelFormatVersion = 2;

// A response that is a choice among alternatives. The encoder is that of the context.
struct ChoiceResponse {
  ChoiceDeclaration declaration;
  ChoiceSchema schema;                    // what the declaration says
  std::vector<std::string> alternatives;  // names, in the order of the model's classes
  std::vector<double> means, scales;      // of attributes: encoded = (value - mean) / scale
  // Of a model beyond the logit: all its parameters (see choice/beyond.hpp). The model's own parameters are
  // then those of the utility in the middle: means of coefficients, mixed over classes by their shares.
  std::vector<double> beyond = {};

  bool has_signs() const;
};

struct StoredModel {
  Architecture architecture;
  Encoder encoder;
  std::vector<double> parameters;  // raw, in the layout's order
  bool single_precision = true;    // stored, and trained, as float32
  // Columns of a table, of which the continuous ones have this support, in encoded units; or a choice.
  std::variant<Support, ChoiceResponse> response = {};
  double temperature = 1;
  // Plain information, kept as it is found (unknown fields too): settings, split, training, metrics,
  // provenance.
  nlohmann::json information = nlohmann::json::object();
  std::optional<StoredInference> inference = {};

  const ChoiceResponse* choice() const { return std::get_if<ChoiceResponse>(&response); }
  // Empty for a choice.
  const Support& support() const;
};

// Everything in the file but the parameters' values and the covariances.
nlohmann::json model_document(const StoredModel& model);
artifact::TensorFile to_tensor_file(const StoredModel& model);

// ModelFileError naming what is wrong: not ours, another version, a field, a tensor's shape, a value not
// finite.
StoredModel from_tensor_file(const artifact::TensorFile& file);
// The same, and ModelFileError where the contents do not match the file's digest.
StoredModel verified_model(const artifact::TensorFile& file);

void save_model(const std::string& path, const StoredModel& model);
StoredModel load_model(const std::string& path, bool no_verify = false);

}  // namespace bl
