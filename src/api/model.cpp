#include "bl/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/evaluation_of.hpp"
#include "artifact/digest.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/version.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
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

constexpr const char* kChoices = "a model of choices among alternatives";

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
  const SpillScope scope(settings.out_of_core);
  return Data(std::make_shared<Data::Impl>(Data::Impl{read_table(path, reading_for(*this, settings))}));
}

OutputTable Model::predict(const Data& data, Part part, const PredictOptions& options) const {
  const Table& table = data.impl().table;
  const Context job(options.threads);
  if (is_choice()) {
    allow_only(options, {"utilities", "carry"}, kChoices);
    const ChoiceData choices = read_part(*impl_, table, part, false);
    OutputTable out =
        choice_predictions(*impl_, choices, PreparedChoices(choices, unseen_levels(part)).scores(*impl_, job),
                           options.utilities);
    // Of a long file those of the situation's first line.
    insert_carried(carried_columns(table, choices.rows, options.carry), out.columns.size(), out);
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
  return evaluation_of(*this, data, part, options).metrics;
}

Evaluation evaluation_of(const Model& model, const Data& data, Part part, const PredictOptions& options) {
  const FittedModel& fitted = model.impl();
  const Table& table = data.impl().table;
  const Context job(options.threads);
  if (!model.is_choice()) return evaluate_table(fitted, table, part, options, job);
  allow_only(options, {}, kChoices);
  const ChoiceData choices = read_part(fitted, table, part, true);
  return {choices.chosen.size(),
          choice_metrics(choices, score_choices(fitted, choices, job, unseen_levels(part)))};
}

std::size_t Model::part_rows(const Data& data, Part part) const {
  const Table& table = data.impl().table;
  if (is_choice()) return static_cast<std::size_t>(read_part(*impl_, table, part, false).situations());
  return rows_to_judge(*impl_, table, part).size();
}

}  // namespace bl
