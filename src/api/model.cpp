#include "bl/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/evaluation.hpp"
#include "api/impl.hpp"
#include "api/model_rows.hpp"
#include "api/prediction.hpp"
#include "api/table_plan.hpp"
#include "api/wrapped_text.hpp"
#include "artifact/architecture_json.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr Index kRowsPerBlock = 4096;

gibbs::Utility utility_at(const Model::Impl& model, double temperature) {
  return temperature == 0 ? model.utility : model.utility.at_temperature(temperature);
}

// Rows of the fit itself are never refused for a level without training rows.
Encoder encoder_for(const Model::Impl& model, Part part, const PredictOptions& options) {
  const Encoder& stored = model.stored.encoder;
  const bool lenient = options.treat_unseen_as_missing || part != Part::all;
  return lenient ? stored.with_unseen(UnseenPolicy::missing) : stored;
}

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : separator) + part;
  return out;
}

// A line of describe(): label and text under each other.
std::string labelled(const std::string& label, const std::string& text) {
  constexpr std::size_t kWidth = 80, kIndent = 12;
  return wrapped(fmt::format("{:<{}}", label, kIndent), text, kIndent, kWidth);
}

std::string metrics_text(const json& metrics) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : metrics.items())
    if (value.is_number()) parts.push_back(fmt::format("{} {:.4f}", name, value.get<double>()));
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace

Settings fit_settings(const Model::Impl& model) {
  Settings settings;
  const json& stored = model.stored.information.value("settings", json::object());
  for (const auto& [name, value] : stored.items()) {
    if (!value.is_string()) throw ModelFileError("model: information.settings." + name + " should be a text");
    try {
      set(settings, name, value.get<std::string>());
    } catch (const UsageError& error) {
      throw ModelFileError(std::string("model: information.settings: ") + error.what());
    }
  }
  return settings;
}

bool is_fit_data(const Model::Impl& model, const Table& table) {
  const json& data = model.stored.information.value("data", json::object());
  return data.value("digest", json()) == json(table_digest(table));
}

std::vector<Index> rows_of_part(const Model::Impl& model, const Table& table, Part part) {
  if (part == Part::all) return all_rows(table.rows);
  if (!is_fit_data(model, table))
    throw DataError(table.source +
                    ": not the file this model was fitted on, so its parts are not known; leave out --part");
  if (model.stored.information.value("split", json::object()).value("given", json()) == json(true))
    throw UsageError("the caller of the fit chose its parts row by row, and the model does not keep them");
  Split split = plan_split(table, model.stored.encoder.schema(), fit_settings(model));
  switch (part) {
    case Part::train:
      return split.train;
    case Part::validation:
      return split.validation;
    default:
      return split.test;
  }
}

std::string library_version() {
  return BL_VERSION;
}

Model Model::load(const std::string& path) {
  return Model(std::make_shared<const Impl>(load_model(path)));
}

void Model::save(const std::string& path) const {
  save_model(path, impl_->stored);
}

std::string Model::to_bytes() const {
  return artifact::serialize(to_tensor_file(impl_->stored));
}

Model Model::from_bytes(std::string_view bytes, const std::string& name) {
  return Model(std::make_shared<const Impl>(from_tensor_file(artifact::parse(bytes, name))));
}

std::vector<ResponseInfo> Model::responses() const {
  std::vector<ResponseInfo> out;
  std::size_t continuous = 0;
  for (const ResponseEncoding& r : impl_->stored.encoder.responses()) {
    ResponseInfo info{.name = r.name, .levels = r.levels, .text = r.raw == RawType::text};
    if (!r.is_class()) {
      const Support& support = impl_->stored.support;
      info.lower = r.decode(support.lower[continuous]);
      info.upper = r.decode(support.upper[continuous++]);
    }
    out.push_back(std::move(info));
  }
  return out;
}

std::vector<FeatureInfo> Model::features() const {
  std::vector<FeatureInfo> out;
  const auto& used = impl_->stored.encoder.features();
  for (const SchemaColumn* column : impl_->stored.encoder.schema().with_role(Role::feature)) {
    const auto found = std::find_if(used.begin(), used.end(),
                                    [&](const FeatureEncoding& f) { return f.name == column->name; });
    out.push_back({.name = column->name,
                   .used = found != used.end(),
                   .type = to_string(column->type),
                   .text = column->raw == RawType::text,
                   .levels = found == used.end() ? std::vector<std::string>() : found->levels});
  }
  return out;
}

std::string Model::information_json() const {
  const StoredModel& m = impl_->stored;
  const ParameterLayout layout(m.architecture);
  json tensors = json::array();
  for (const TensorInfo& tensor : layout.tensors())
    tensors.push_back({{"name", tensor.name}, {"rows", tensor.rows}, {"cols", tensor.cols}});
  const json all = {{"format_version", kModelFormatVersion},
                    {"architecture", to_json(m.architecture)},
                    {"parameters", layout.free_count()},
                    {"tensors", tensors},
                    {"encoder", m.encoder.to_json()},
                    {"support", {{"lower", m.support.lower}, {"upper", m.support.upper}}},
                    {"temperature", m.temperature},
                    {"precision", m.single_precision ? "float32" : "float64"},
                    {"information", m.information}};
  return all.dump(2);
}

std::string Model::describe() const {
  const StoredModel& m = impl_->stored;
  const Architecture& a = m.architecture;
  const ParameterLayout layout(a);
  const auto text = [&](const char* part, const char* field) {
    const json& group = m.information.value(part, json::object());
    const auto found = group.find(field);
    return found == group.end() ? std::string("unknown")
           : found->is_string() ? found->get<std::string>()
                                : found->dump();
  };
  std::vector<std::string> responses, features, layers;
  for (const ResponseEncoding& r : m.encoder.responses())
    responses.push_back(r.is_class() ? fmt::format("{} (classes {})", r.name, join(r.levels, ", "))
                                     : fmt::format("{} (continuous, mean {:.6g}, deviation {:.6g})",
                                                   r.number.name(r.name), r.mean, r.scale));
  for (const FeatureEncoding& f : m.encoder.features())
    features.push_back(f.type == ColumnType::continuous
                           ? f.name
                           : fmt::format("{} ({} {} levels{})", f.name, f.levels.size(), to_string(f.type),
                                         f.first_level > 0 ? ", reference " + f.levels[0] : ""));
  for (const LayerSpec& layer : a.layers)
    layers.push_back(fmt::format("{} blocks of {} U, {} C, {} T", layer.blocks,
                                 layer.heads(HeadKind::utility), layer.heads(HeadKind::inequality),
                                 layer.heads(HeadKind::equality)));
  std::string out;
  out += labelled("response", join(responses, "; "));
  out += labelled("features", features.empty() ? "none" : join(features, ", "));
  out += labelled("model", fmt::format("{} form, {}, basis of {} terms, {} parameters ({})",
                                       a.form == Form::scalar ? "scalar" : "vector",
                                       a.readout.present ? join(layers, "; ") : "single block, " + layers[0],
                                       layer_input_size(a, 0), layout.free_count(),
                                       m.single_precision ? "float32" : "float64"));
  out += labelled("activations",
                  fmt::format("U {}, C {}, T {}; temperature {}", name(a.activations[0]),
                              name(a.activations[1]), name(a.activations[2]), format_number(m.temperature)));
  for (std::size_t k = 0; k < impl_->space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = m.encoder.responses()[impl_->space.continuous_responses[k]];
    out += labelled("support", fmt::format("{} from {:.6g} to {:.6g}", r.name, r.decode(m.support.lower[k]),
                                           r.decode(m.support.upper[k])));
  }
  out += labelled("training", fmt::format("{} epochs, best {}; {}", text("training", "epochs"),
                                          text("training", "best_epoch"), text("training", "stop_cause")));
  const json& metrics = m.information.value("metrics", json::object());
  out += labelled("validation", metrics_text(metrics.value("validation", json())));
  out += labelled("test", metrics_text(metrics.value("test", json())));
  out += labelled("data", fmt::format("{} rows, digest {}; seed {}", text("data", "rows"),
                                      text("data", "digest"), text("settings", "seed")));
  return out;
}

Data Model::read(const std::string& path, const Settings& settings) const {
  ReadOptions options = read_options(settings);
  options.types = impl_->stored.encoder.schema().raw_types();
  return Data(std::make_shared<Data::Impl>(Data::Impl{read_table(path, options)}));
}

OutputTable Model::predict(const Data& data, Part part, const PredictOptions& options) const {
  const Table& table = data.impl().table;
  ThreadPool pool(options.threads);
  return predict_rows(*impl_, encoder_for(*impl_, part, options), table, rows_of_part(*impl_, table, part),
                      utility_at(*impl_, options.temperature), options, pool);
}

void Model::predict_file(const std::string& path, const Settings& settings, const PredictOptions& options,
                         const std::function<void(const OutputTable&)>& sink) const {
  ReadOptions reading = read_options(settings);
  reading.types = impl_->stored.encoder.schema().raw_types();
  for (const std::string& name : options.carry) reading.types.try_emplace(name, RawType::text);
  TableReader reader(path, reading);
  for (const std::string& name : options.carry)
    if (std::find(reader.names().begin(), reader.names().end(), name) == reader.names().end())
      throw DataError(fmt::format("{}: there is no column {} to carry along{}", path, in_quotes(name),
                                  did_you_mean(name, reader.names())));
  ThreadPool pool(options.threads);
  const gibbs::Utility utility = utility_at(*impl_, options.temperature);
  const Encoder encoder = encoder_for(*impl_, Part::all, options);
  while (const auto block = reader.next(kRowsPerBlock)) {
    const auto rows = all_rows(block->rows);
    sink(predict_rows(*impl_, encoder, *block, rows, utility, options, pool));
  }
}

std::vector<Metric> Model::evaluate(const Data& data, Part part, const PredictOptions& options) const {
  const Table& table = data.impl().table;
  ThreadPool pool(options.threads);
  return evaluate_rows(*impl_, encoder_for(*impl_, part, options), table, rows_of_part(*impl_, table, part),
                       utility_at(*impl_, options.temperature), pool);
}

std::size_t Model::part_rows(const Data& data, Part part) const {
  return rows_of_part(*impl_, data.impl().table, part).size();
}

}  // namespace bl
