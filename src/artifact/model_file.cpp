#include "artifact/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "artifact/architecture_json.hpp"
#include "artifact/choice_json.hpp"
#include "artifact/digest.hpp"
#include "artifact/version_1.hpp"
#include "bl/errors.hpp"
#include "bl/version.hpp"
#include "features/json_fields.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr const char* kModelFormat = "behavior_learning.model";

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

// Where the loadings of a text feature lie.
std::string loadings_name(std::size_t feature) {
  return fmt::format("encoder/features/{}/loadings", feature);
}

void read_loadings(const artifact::TensorFile& file, Encoder& encoder) {
  for (const std::size_t feature : encoder.text_features()) {
    const TextEncoding& text = *encoder.features()[feature].text;
    const auto terms = static_cast<Index>(text.terms().size());
    const std::string name = loadings_name(feature);
    const std::vector<float> values = file.values<float>(name, {terms, text.components()});
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
      throw ModelFileError(
          fmt::format("{}: tensor '{}' holds a value that is not finite", file.source, name));
    Matrix<float> loadings(terms, text.components());
    std::copy(values.begin(), values.end(), loadings.data());
    encoder.set_loadings(feature, std::move(loadings));
  }
}

// Continuous responses and classes that the response has.
std::pair<Index, Index> response_shape(const StoredModel& model) {
  if (const ChoiceResponse* choice = model.choice())
    return {static_cast<Index>(choice->means.size()), static_cast<Index>(choice->alternatives.size())};
  Index values = 0, classes = 1;
  bool any_class = false;
  for (const ResponseEncoding& response : model.encoder.responses()) {
    any_class |= response.is_class();
    if (response.is_class())
      classes *= static_cast<Index>(response.levels.size());
    else
      ++values;
  }
  return {values, any_class ? classes : 0};
}

// The network's inputs must be those that the encoder and the response make.
void check_shapes(const StoredModel& model, const std::string& source) {
  const auto [values, classes] = response_shape(model);
  const InputShape& input = model.architecture.input;
  const Index model_classes =
      model.architecture.form == Form::vector ? model.architecture.outputs : input.classes;
  if (input.context != static_cast<Index>(model.encoder.columns().size()) || input.values != values ||
      model_classes != classes)
    throw ModelFileError(fmt::format(
        "{}: the architecture expects {} features, {} continuous responses and {} classes, the encoder makes "
        "{}, {} and {}",
        source, input.context, input.values, model_classes, model.encoder.columns().size(), values, classes));
  if (model.choice() != nullptr) {
    if (model.architecture.form != Form::scalar || !model.encoder.responses().empty())
      throw ModelFileError(source + ": a choice has a scalar utility and no other response");
  } else if (model.support().dimension() != values) {
    throw ModelFileError(fmt::format("{}: the support has {} dimensions for {} continuous responses", source,
                                     model.support().dimension(), values));
  }
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
  for (const char* group : {"settings", "used", "data", "split", "training", "metrics"})
    if (information.contains(group) && !information[group].is_object())
      throw ModelFileError(fmt::format("model.information.{} should be an object", group));
  if (information.contains("given") && !information["given"].is_array())
    throw ModelFileError("model.information.given should be an array");
}

}  // namespace

bool ChoiceResponse::has_signs() const {
  return std::any_of(schema.signs.begin(), schema.signs.end(), [](int sign) { return sign != 0; });
}

const Support& StoredModel::support() const {
  static const Support kNone;
  const Support* found = std::get_if<Support>(&response);
  return found == nullptr ? kNone : *found;
}

json model_document(const StoredModel& model) {
  const ChoiceResponse* choice = model.choice();
  return {{"architecture", to_json(model.architecture)},
          {"encoder", model.encoder.to_json()},
          {"response",
           choice != nullptr
               ? to_json(*choice)
               : json{{"kind", "table"},
                      {"support", {{"lower", model.support().lower}, {"upper", model.support().upper}}}}},
          {"temperature", model.temperature},
          {"precision", model.single_precision ? "float32" : "float64"},
          {"information", model.information}};
}

artifact::TensorFile to_tensor_file(const StoredModel& model) {
  const ParameterLayout layout(model.architecture);
  artifact::TensorFile file;
  json document = model_document(model);
  if (model.inference) add_inference(file, document, *model.inference);
  file.metadata = {{"format", kModelFormat},
                   {"format_version", std::to_string(kModelFormatVersion)},
                   {"library_version", BL_VERSION},
                   {"model", document.dump()}};
  for (const std::size_t feature : model.encoder.text_features()) {
    const Matrix<float>& loadings = model.encoder.features()[feature].text->loadings();
    file.tensors[loadings_name(feature)] =
        artifact::Tensor::of<float>(loadings.flat(), {loadings.rows(), loadings.cols()});
  }
  for (const TensorInfo& tensor : layout.tensors())
    file.tensors[tensor.name] =
        model.single_precision ? tensor_of<float>(model, tensor) : tensor_of<double>(model, tensor);
  artifact::add_digest(file);
  return file;
}

namespace {

// A file that is not ours, or of a version that this program does not know.
void check_format(const artifact::TensorFile& file, const std::string& format, const std::string& version) {
  if (format != kModelFormat && format != kVersion1Choice)
    throw ModelFileError(
        file.source +
        ": a safetensors file, but not a Behavior Learning model; give a file that a fit wrote");
  if (version != "1" && (version != std::to_string(kModelFormatVersion) || format == kVersion1Choice))
    throw ModelFileError(fmt::format(
        "{}: model format version {}, this program reads version 1 and version {}; use the program that "
        "wrote it, or fit again",
        file.source, version.substr(0, 20), kModelFormatVersion));
}

json parsed_document(const artifact::TensorFile& file) {
  return parse_json(file.metadata_value("model"), file.source + ": the metadata field 'model'");
}

std::variant<Support, ChoiceResponse> response_from_json(const JsonField& field) {
  const std::string kind = field["kind"].text();
  if (kind == "choice") {
    try {
      return choice_from_json(field);
    } catch (const UsageError& error) {
      throw ModelFileError(std::string("the choice declaration inside cannot be read: ") + error.what());
    }
  }
  if (kind != "table") field["kind"].fail("should be table or choice");
  return support_from_json(field["support"]);
}

StoredModel read_model(const artifact::TensorFile& file, const json& document) {
  const JsonField root(document, "model");
  const std::string precision = root["precision"].text();
  if (precision != "float32" && precision != "float64")
    root["precision"].fail("should be float32 or float64");
  for (const char* field : {"architecture", "encoder"}) static_cast<void>(root[field]);
  StoredModel model{.architecture = architecture_from_json(document["architecture"]),
                    .encoder = Encoder::from_json(document["encoder"]),
                    .parameters = {},
                    .single_precision = precision == "float32",
                    .response = response_from_json(root["response"]),
                    .temperature = root["temperature"].number(),
                    .information = document.value("information", json::object())};
  if (!(model.temperature > 0)) root["temperature"].fail("should be positive");
  check_information(model.information);
  check_shapes(model, file.source);
  read_loadings(file, model.encoder);
  const ParameterLayout layout(model.architecture);
  if (model.single_precision)
    read_tensors<float>(file, layout, model.parameters);
  else
    read_tensors<double>(file, layout, model.parameters);
  if (document.contains("inference"))
    model.inference = read_inference(file, root["inference"],
                                     model.choice() != nullptr && !model.choice()->beyond.empty()
                                         ? static_cast<Index>(model.choice()->beyond.size())
                                         : layout.size());
  return model;
}

StoredModel read_version_1(const artifact::TensorFile& file, const json& document, bool choice) {
  if (!choice) return read_model(file, upgraded_table(document));
  StoredModel model = read_model(file, upgraded_choice(document));
  if (!model.inference) model.inference = version_1_errors(document);
  return model;
}

}  // namespace

StoredModel from_tensor_file(const artifact::TensorFile& file) {
  const auto found = file.metadata.find("format");
  const std::string format = found == file.metadata.end() ? "" : found->second;
  check_format(file, format, format.empty() ? "" : file.metadata_value("format_version"));
  const json document = parsed_document(file);
  try {
    return file.metadata_value("format_version") == "1"
               ? read_version_1(file, document, format == kVersion1Choice)
               : read_model(file, document);
  } catch (const Error& error) {
    const std::string message = error.what();
    throw ModelFileError(message.starts_with(file.source) ? message : file.source + ": " + message);
  }
}

void save_model(const std::string& path, const StoredModel& model) {
  artifact::save(path, to_tensor_file(model));
}

StoredModel verified_model(const artifact::TensorFile& file) {
  StoredModel model = from_tensor_file(file);
  if (!artifact::digest_holds(file))
    throw ModelFileError(
        file.source +
        ": damaged or edited: the contents do not match the digest that was written with them; take another "
        "copy of the file, or give `no_verify` where it was edited on purpose");
  return model;
}

StoredModel load_model(const std::string& path, bool no_verify) {
  const artifact::TensorFile file = artifact::load(path);
  return no_verify ? from_tensor_file(file) : verified_model(file);
}

}  // namespace bl
