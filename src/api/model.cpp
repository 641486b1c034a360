#include "bl/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "artifact/digest.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/version.hpp"
#include "choice/reading.hpp"
#include "choice/scores.hpp"
#include "data/read_table.hpp"
#include "fitted/fitted_model.hpp"
#include "model/parameters.hpp"
#include "plan/table_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/predicting.hpp"
#include "predict/prediction.hpp"

namespace bl {

namespace {

using nlohmann::json;

// Options of which a choice has nothing to say.
void refuse_for_choice(const PredictOptions& o) {
  if (!o.quantiles.empty() || o.interval > 0 || o.highest_density > 0 || o.mode || o.density_points > 0 ||
      o.temperature > 0 || o.treat_unseen_as_missing || o.ood)
    throw UsageError(
        "choices among alternatives have probabilities and utilities; quantiles, intervals, densities, "
        "modes, temperatures, unseen levels and scores of unusual rows have no meaning for them");
}

// Columns of the file beside each situation; of a long file those of its first line.
void carry_columns(const Table& table, const std::vector<Index>& rows, const std::vector<std::string>& names,
                   OutputTable& out) {
  for (OutputColumn& carried : carried_columns(table, rows, names)) {
    const bool taken = std::any_of(out.columns.begin(), out.columns.end(),
                                   [&](const OutputColumn& one) { return one.name == carried.name; });
    if (taken) carried.name = "carried " + carried.name;
    out.columns.push_back(std::move(carried));
  }
}

}  // namespace

std::string library_version() {
  return BL_VERSION;
}

InspectedFile inspect_file(const std::string& path) {
  const artifact::TensorFile file = artifact::load(path);
  return {model_of(from_tensor_file(file)), !artifact::has_digest(file)    ? FileDigest::none
                                            : artifact::digest_holds(file) ? FileDigest::holds
                                                                           : FileDigest::broken};
}

Model Model::load(const std::string& path, bool no_verify) {
  return model_of(load_model(path, no_verify));
}

void Model::save(const std::string& path) const {
  save_model(path, impl_->stored);
}

std::string Model::to_bytes() const {
  return artifact::serialize(to_tensor_file(impl_->stored));
}

Model Model::from_bytes(std::string_view bytes, const std::string& name) {
  return model_of(verified_model(artifact::parse(bytes, name)));
}

bool Model::is_choice() const {
  return impl_->stored.choice() != nullptr;
}

const char* Model::row_unit() const {
  return is_choice() ? "situations" : "rows";
}

std::vector<ResponseInfo> Model::responses() const {
  std::vector<ResponseInfo> out;
  if (const ChoiceResponse* choice = impl_->stored.choice())
    return {{.name = choice->schema.response(), .levels = choice->alternatives, .text = true}};
  std::size_t continuous = 0;
  for (const ResponseEncoding& r : impl_->stored.encoder.responses()) {
    ResponseInfo info{.name = r.name, .levels = r.levels, .text = r.raw == RawType::text};
    if (!r.is_class()) {
      const Support& support = impl_->stored.support();
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
  const ParameterLayout layout(impl_->stored.architecture);
  json all = model_document(impl_->stored);
  all["format_version"] = kModelFormatVersion;
  all["parameters"] = layout.free_count();
  all["tensors"] = json::array();
  for (const TensorInfo& tensor : layout.tensors())
    all["tensors"].push_back({{"name", tensor.name}, {"rows", tensor.rows}, {"cols", tensor.cols}});
  return all.dump(2);
}

Data Model::read(const std::string& path, const Settings& settings) const {
  return Data(std::make_shared<Data::Impl>(Data::Impl{read_table(path, reading_for(*this, settings))}));
}

OutputTable Model::predict(const Data& data, Part part, const PredictOptions& options) const {
  const Table& table = data.impl().table;
  const Context job(options.threads);
  if (is_choice()) {
    refuse_for_choice(options);
    const ChoiceData choices = read_part(*impl_, table, part, false);
    OutputTable out =
        choice_predictions(*impl_, choices, score_choices(*impl_, choices, job, part), options.utilities);
    carry_columns(table, choices.rows, options.carry, out);
    return out;
  }
  HeardNotes heard(options.on_note);
  OutputTable out =
      predict_rows(*impl_, encoder_for(*impl_, part, options), table, rows_of_part(*impl_, table, part),
                   utility_at(*impl_, options.temperature), options, job, heard.notes());
  heard.tell();
  return out;
}

std::vector<Metric> Model::evaluate(const Data& data, Part part, const PredictOptions& options) const {
  const Table& table = data.impl().table;
  const Context job(options.threads);
  if (!is_choice()) return evaluate_table(*impl_, table, part, options, job);
  refuse_for_choice(options);
  const ChoiceData choices = read_part(*impl_, table, part, true);
  return choice_metrics(choices, score_choices(*impl_, choices, job, part));
}

std::size_t Model::part_rows(const Data& data, Part part) const {
  const Table& table = data.impl().table;
  if (is_choice()) return static_cast<std::size_t>(read_part(*impl_, table, part, false).situations());
  return rows_to_judge(*impl_, table, part).size();
}

}  // namespace bl
