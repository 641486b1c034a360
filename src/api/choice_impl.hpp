// What stands behind ChoiceModel, and the utilities of its alternatives.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "artifact/safetensors.hpp"
#include "artifact/stored_inference.hpp"
#include "base/parallel.hpp"
#include "bl/choice.hpp"
#include "features/choice_data.hpp"
#include "features/encoder.hpp"
#include "model/network.hpp"

namespace bl {

struct StoredChoice {
  std::string schema_text, schema_name;
  std::vector<std::string> alternatives;  // names, in the order of the model's classes
  Architecture architecture;
  Encoder encoder;                    // of the context
  std::vector<double> means, scales;  // of attributes: encoded = (value - mean) / scale
  std::vector<double> parameters;     // raw, in the layout's order
  double temperature = 1;
  std::vector<ChoiceCoefficient> coefficients;  // linear
  std::vector<double> covariance;               // robust, coefficients x coefficients; empty where not known
  std::optional<StoredInference> inference = {};  // at the minimum
  nlohmann::json information = nlohmann::json::object();
};

struct ChoiceModel::Impl {
  StoredChoice stored;
  ChoiceSchema schema;
  Network<double> network;
  PreparedParameters<double> prepared;

  explicit Impl(StoredChoice model);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::size_t attribute(const std::string& name) const;    // UsageError with the nearest name
  std::size_t alternative(const std::string& name) const;  // UsageError with the nearest name
};

// Everything but the parameters.
nlohmann::json choice_document(const StoredChoice& model);
artifact::TensorFile choice_to_file(const StoredChoice& model);
StoredChoice choice_from_file(const artifact::TensorFile& file);

// The schema's settings, then those that the caller gave.
Settings merge_settings(const ChoiceSchema& schema, const Settings& caller);

// Situations of a part, cut by person where there is one. Settings decide the fractions and the seed.
std::vector<Index> choice_part(const ChoiceData& data, const Settings& settings, Part part);

// Alternatives renumbered as the model numbers them; DataError for one it has not seen.
void align_alternatives(ChoiceData& data, const std::vector<std::string>& alternatives);

// A view of attributes standardized as the model wants them.
template <class T>
Matrix<T> encode_attributes(const Matrix<double>& raw, const std::vector<double>& means,
                            const std::vector<double>& scales);

struct ChoiceScores {
  std::vector<double> utility;      // per entry, over the temperature
  std::vector<double> probability;  // per entry
  std::vector<double> log_sum;      // per situation
};

// Situations of the fit itself (any part but all) are never refused for a level of context without training
// rows.
ChoiceScores score_choices(const ChoiceModel::Impl& model, const ChoiceData& data, ThreadPool& pool,
                           Part part = Part::all);

// d utility / d attribute of every entry, in raw units: entries x attributes.
Matrix<double> marginal_utilities(const ChoiceModel::Impl& model, const ChoiceData& data, ThreadPool& pool);

std::vector<Metric> choice_metrics(const ChoiceData& data, const ChoiceScores& scores);

}  // namespace bl
