// The file of a choice model: a safetensors container like that of other models, under a format name of its
// own.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "api/choice_impl.hpp"
#include "artifact/architecture_json.hpp"
#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"
#include "features/json_fields.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "behavior_learning.choice";
constexpr const char* kVersion = "1";

// JSON has no NaN; null stands for it.
json number_json(double value) {
  return std::isnan(value) ? json(nullptr) : json(value);
}
double number_or_nan(const JsonField& field) {
  return field.json().is_null() ? std::numeric_limits<double>::quiet_NaN() : field.number();
}

json coefficient_json(const ChoiceCoefficient& one) {
  return {{"name", one.name},
          {"estimate", one.estimate},
          {"standard_error", number_json(one.standard_error)},
          {"robust_error", number_json(one.robust_error)},
          {"clustered_error", number_json(one.clustered_error)}};
}

std::vector<double> numbers(const JsonField& field) {
  std::vector<double> values;
  for (const JsonField& one : field.elements()) values.push_back(one.number());
  return values;
}

void check_shapes(const StoredChoice& m, const JsonField& root) {
  const InputShape& input = m.architecture.input;
  if (m.architecture.form != Form::scalar ||
      input.context != static_cast<Index>(m.encoder.columns().size()) ||
      input.values != static_cast<Index>(m.means.size()) || m.means.size() != m.scales.size() ||
      input.classes != static_cast<Index>(m.alternatives.size()))
    root["architecture"].fail("does not fit the alternatives, attributes and context");
  for (const double scale : m.scales)
    if (!(scale > 0)) root["scales"].fail("should be positive");
  if (!(m.temperature > 0)) root["temperature"].fail("should be positive");
  if (!m.covariance.empty() && m.covariance.size() != m.coefficients.size() * m.coefficients.size())
    root["covariance"].fail("should have a row and a column per coefficient");
  if (read_choice_schema(m.schema_text, m.schema_name).attributes.size() != m.means.size())
    root["means"].fail("should have one number per attribute of the schema");
}

StoredChoice read_document(const json& document) {
  const JsonField root(document, "model");
  for (const char* field : {"architecture", "encoder"}) static_cast<void>(root[field]);
  StoredChoice m{.schema_text = root["schema"].text(),
                 .schema_name = root["schema_name"].text(),
                 .alternatives = root["alternatives"].distinct_texts(),
                 .architecture = architecture_from_json(document["architecture"]),
                 .encoder = Encoder::from_json(document["encoder"]),
                 .means = numbers(root["means"]),
                 .scales = numbers(root["scales"]),
                 .parameters = {},
                 .temperature = root["temperature"].number(),
                 .coefficients = {},
                 .covariance = {},
                 .information = document.value("information", json::object())};
  for (const JsonField& one : root["coefficients"].elements())
    m.coefficients.push_back({one["name"].text(), one["estimate"].number(),
                              number_or_nan(one["standard_error"]), number_or_nan(one["robust_error"]),
                              number_or_nan(one["clustered_error"])});
  for (const JsonField& one : root["covariance"].elements()) m.covariance.push_back(number_or_nan(one));
  check_shapes(m, root);
  return m;
}

artifact::Shape shape_of(const TensorInfo& tensor) {
  return tensor.is_matrix() ? artifact::Shape{tensor.rows, tensor.cols} : artifact::Shape{tensor.rows};
}

}  // namespace

json choice_document(const StoredChoice& m) {
  json coefficients = json::array(), covariance = json::array();
  for (const ChoiceCoefficient& one : m.coefficients) coefficients.push_back(coefficient_json(one));
  for (const double value : m.covariance) covariance.push_back(number_json(value));
  return {{"schema", m.schema_text},
          {"schema_name", m.schema_name},
          {"alternatives", m.alternatives},
          {"architecture", to_json(m.architecture)},
          {"encoder", m.encoder.to_json()},
          {"means", m.means},
          {"scales", m.scales},
          {"temperature", m.temperature},
          {"coefficients", coefficients},
          {"covariance", covariance},
          {"information", m.information}};
}

artifact::TensorFile choice_to_file(const StoredChoice& m) {
  artifact::TensorFile file;
  json document = choice_document(m);
  if (m.inference) add_inference(file, document, *m.inference);
  file.metadata = {{"format", kFormat},
                   {"format_version", kVersion},
                   {"library_version", BL_VERSION},
                   {"model", document.dump()}};
  const ParameterLayout layout(m.architecture);
  for (const TensorInfo& tensor : layout.tensors()) {
    const std::span values =
        std::span(m.parameters)
            .subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.size()));
    file.tensors[tensor.name] = artifact::Tensor::of<double>(values, shape_of(tensor));
  }
  return file;
}

bool is_choice_model(const std::string& path) {
  try {
    const artifact::TensorFile file = artifact::load(path);
    const auto format = file.metadata.find("format");
    return format != file.metadata.end() && format->second == kFormat;
  } catch (const ModelFileError&) {
    return false;  // whoever reads it as another kind of model says what is wrong
  }
}

StoredChoice choice_from_file(const artifact::TensorFile& file) {
  const std::string& path = file.source;
  const auto format = file.metadata.find("format");
  if (format != file.metadata.end() && format->second == "behavior_learning.model")
    throw ModelFileError(path + ": a model of a table, not of choices among alternatives");
  if (format == file.metadata.end() || format->second != kFormat)
    throw ModelFileError(
        path + ": a safetensors file, but not a choice model; give a file that a fit of choices wrote");
  if (file.metadata_value("format_version") != kVersion)
    throw ModelFileError(fmt::format("{}: choice format version {}, this program reads version {}; fit again",
                                     path, file.metadata_value("format_version").substr(0, 20), kVersion));
  const std::string& text = file.metadata_value("model");
  const json document = text.find('\0') == std::string::npos ? json::parse(text, nullptr, false)
                                                             : json(json::value_t::discarded);
  if (document.is_discarded()) throw ModelFileError(path + ": the metadata field 'model' is not JSON");
  try {
    StoredChoice m = read_document(document);
    const ParameterLayout layout(m.architecture);
    for (const TensorInfo& tensor : layout.tensors())
      for (const double value : file.values<double>(tensor.name, shape_of(tensor))) {
        if (!std::isfinite(value))
          throw ModelFileError(fmt::format("tensor '{}' holds {}", tensor.name, value));
        m.parameters.push_back(value);
      }
    if (document.contains("inference"))
      m.inference = read_inference(file, JsonField(document, "model")["inference"], layout.size());
    return m;
  } catch (const UsageError& error) {
    throw ModelFileError(path + ": the schema inside cannot be read: " + error.what());
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    throw ModelFileError(message.starts_with(path) ? message : path + ": " + message);
  }
}

}  // namespace bl
