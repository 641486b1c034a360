#include "artifact/model_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "artifact/architecture_json.hpp"
#include "bl/errors.hpp"
#include "features/json_fields.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "behavior_learning.model";

artifact::Shape shape_of(const TensorInfo& tensor) {
  return tensor.is_matrix() ? artifact::Shape{tensor.rows, tensor.cols} : artifact::Shape{tensor.rows};
}

template <class T>
artifact::Tensor tensor_of(const StoredModel& model, const TensorInfo& tensor) {
  const auto begin = model.parameters.begin() + tensor.offset;
  const std::vector<T> values(begin, begin + tensor.size());
  return artifact::Tensor::of<T>(values, shape_of(tensor));
}

// Appends tensor by tensor, in the layout's order: nothing is allocated for a tensor that the file does not
// hold.
template <class T>
void read_tensors(const artifact::TensorFile& file, const ParameterLayout& layout,
                  std::vector<double>& parameters) {
  for (const TensorInfo& tensor : layout.tensors()) {
    const std::vector<T> values = file.values<T>(tensor.name, shape_of(tensor));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw ModelFileError(
            fmt::format("{}: tensor '{}' holds {} at place {}", file.source, tensor.name, values[i], i));
      parameters.push_back(static_cast<double>(values[i]));
    }
  }
}

// The network's inputs must be those that the encoder makes.
void check_shapes(const StoredModel& model, const std::string& source) {
  Index values = 0, classes = 1;
  bool any_class = false;
  for (const ResponseEncoding& response : model.encoder.responses()) {
    if (response.is_class()) {
      any_class = true;
      classes *= static_cast<Index>(response.levels.size());
    } else {
      ++values;
    }
  }
  if (!any_class) classes = 0;
  const InputShape& input = model.architecture.input;
  const Index model_classes =
      model.architecture.form == Form::vector ? model.architecture.outputs : input.classes;
  if (input.context != static_cast<Index>(model.encoder.columns().size()) || input.values != values ||
      model_classes != classes)
    throw ModelFileError(fmt::format(
        "{}: the architecture expects {} features, {} continuous responses and {} classes, the encoder makes "
        "{}, {} and {}",
        source, input.context, input.values, model_classes, model.encoder.columns().size(), values, classes));
  if (model.support.dimension() != values)
    throw ModelFileError(fmt::format("{}: the support has {} dimensions for {} continuous responses", source,
                                     model.support.dimension(), values));
}

Support support_from_json(const JsonField& field) {
  Support support;
  for (const JsonField& low : field["lower"].elements()) support.lower.push_back(low.number());
  for (const JsonField& high : field["upper"].elements()) support.upper.push_back(high.number());
  if (support.lower.size() != support.upper.size()) field.fail("needs as many lower as upper ends");
  for (std::size_t i = 0; i < support.lower.size(); ++i)
    if (!(support.lower[i] < support.upper[i])) field.fail("has an empty range");
  return support;
}

// Free in its fields, but its groups are objects.
void check_information(const json& information) {
  if (!information.is_object()) throw ModelFileError("model.information should be an object");
  for (const char* group : {"settings", "data", "split", "training", "metrics"})
    if (information.contains(group) && !information[group].is_object())
      throw ModelFileError(fmt::format("model.information.{} should be an object", group));
}

}  // namespace

artifact::TensorFile to_tensor_file(const StoredModel& model) {
  const ParameterLayout layout(model.architecture);
  artifact::TensorFile file;
  json document = {{"architecture", to_json(model.architecture)},
                   {"encoder", model.encoder.to_json()},
                   {"support", {{"lower", model.support.lower}, {"upper", model.support.upper}}},
                   {"temperature", model.temperature},
                   {"precision", model.single_precision ? "float32" : "float64"},
                   {"information", model.information}};
  if (model.inference) add_inference(file, document, *model.inference);
  file.metadata = {{"format", kFormat},
                   {"format_version", std::to_string(kModelFormatVersion)},
                   {"library_version", BL_VERSION},
                   {"model", document.dump()}};
  for (const TensorInfo& tensor : layout.tensors())
    file.tensors[tensor.name] =
        model.single_precision ? tensor_of<float>(model, tensor) : tensor_of<double>(model, tensor);
  return file;
}

StoredModel from_tensor_file(const artifact::TensorFile& file) {
  const auto format = file.metadata.find("format");
  if (format != file.metadata.end() && format->second == "behavior_learning.choice")
    throw ModelFileError(file.source +
                         ": a model of choices among alternatives, which this command does not know; use bl "
                         "predict, evaluate, inspect, explain, summary, check or whatif");
  if (format == file.metadata.end() || format->second != kFormat)
    throw ModelFileError(
        file.source +
        ": a safetensors file, but not a Behavior Learning model; give a file that a fit wrote");
  const std::string version = file.metadata_value("format_version");
  if (version != std::to_string(kModelFormatVersion))
    throw ModelFileError(
        fmt::format("{}: model format version {}, this program reads version {}; use the program that wrote "
                    "it, or fit again",
                    file.source, version.substr(0, 20), kModelFormatVersion));
  const std::string& text = file.metadata_value("model");
  const json document = text.find('\0') == std::string::npos ? json::parse(text, nullptr, false)
                                                             : json(json::value_t::discarded);
  if (document.is_discarded()) throw ModelFileError(file.source + ": the metadata field 'model' is not JSON");
  try {
    const JsonField root(document, "model");
    const std::string precision = root["precision"].text();
    if (precision != "float32" && precision != "float64")
      root["precision"].fail("should be float32 or float64");
    for (const char* field : {"architecture", "encoder"}) static_cast<void>(root[field]);
    StoredModel model{.architecture = architecture_from_json(document["architecture"]),
                      .encoder = Encoder::from_json(document["encoder"]),
                      .parameters = {},
                      .single_precision = precision == "float32",
                      .support = support_from_json(root["support"]),
                      .temperature = root["temperature"].number(),
                      .information = document.value("information", json::object())};
    if (!(model.temperature > 0)) root["temperature"].fail("should be positive");
    check_information(model.information);
    check_shapes(model, file.source);
    const ParameterLayout layout(model.architecture);
    if (model.single_precision)
      read_tensors<float>(file, layout, model.parameters);
    else
      read_tensors<double>(file, layout, model.parameters);
    if (document.contains("inference"))
      model.inference = read_inference(file, root["inference"], layout.size());
    return model;
  } catch (const ModelFileError& error) {
    const std::string message = error.what();
    if (message.starts_with(file.source)) throw;
    throw ModelFileError(file.source + ": " + message);
  }
}

void save_model(const std::string& path, const StoredModel& model) {
  artifact::save(path, to_tensor_file(model));
}

StoredModel load_model(const std::string& path) {
  return from_tensor_file(artifact::load(path));
}

}  // namespace bl
