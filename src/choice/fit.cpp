#include "choice/fit.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "artifact/choice_json.hpp"
#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "choice/reference.hpp"
#include "choice/scores.hpp"
#include "choice/table_rows.hpp"
#include "features/beyond_names.hpp"
#include "features/choice_ranks.hpp"
#include "fit/fit_record.hpp"
#include "fit/table_fit.hpp"
#include "plan/plan.hpp"
#include "plan/stored_settings.hpp"
#include "plan/table_plan.hpp"
#include "plan/unused_settings.hpp"
#include "summary/inference_summary.hpp"

namespace bl {

namespace {

using nlohmann::json;

// Small and smooth: four utilities of tanh per member, and eight members to see what depends on the start.
constexpr std::array<std::pair<const char*, const char*>, 4> kSmooth = {
    {{"layers", "4"}, {"members", "8"}, {"heads", "1,0,0"}, {"precision", "float64"}}};

void refuse_settings(const Settings& s) {
  const auto refuse = [](bool given, const char* name, const char* instead) {
    if (given) throw UsageError(fmt::format("{} has no meaning for choices; {}", name, instead));
  };
  refuse(!s.target.empty() || !s.ignore.empty() || !s.schema.empty() || !s.id.empty(),
         "`target`, `ignore`, `id` or `schema`", "the choice schema says what the columns mean");
  refuse(!s.weight.empty() || !s.group.empty(), "`weight` or `group`",
         "the choice schema has weight and person");
  refuse(!s.nominal.empty() || !s.continuous.empty(), "`nominal` or `continuous`",
         "the choice schema has nominal");
  refuse(!s.text.empty(), "`text`", "columns of sentences among the context are recognised");
  refuse(s.form == "vector", "`form` = 'vector'", "attributes stand inside a scalar utility");
  refuse(!s.terms.empty(), "`terms`", "the choice schema has [terms]");
  refuse(s.class_weight != "none", "`class_weight`", "use a weight");
  refuse(s.objective != "auto" && s.objective != "likelihood", "`objective`",
         "choices are learned by likelihood");
  refuse(s.split == "stratified", "`split` = 'stratified'", "use group, random or order");
}

Encoder context_encoder(const ChoiceData& training, const ChoiceSchema& schema, const Settings& settings,
                        const Context& job) {
  RoleOptions roles;
  for (const std::string& name : schema.nominal) roles.columns[name].type = ColumnType::nominal;
  const Schema columns = infer_schema(training.context, roles);
  return Encoder::fit(training.context, columns, choice_encode_options(settings, columns),
                      all_rows(training.context.rows), job);
}

std::string plan_text(const StoredModel& m, const ChoiceParts& parts) {
  const ChoiceResponse& response = *m.choice();
  return fmt::format(
      "choice    among {}\ncontext   {} columns, encoded as {}\nrows      {} training, {} validation, {} "
      "test situations\nmodel     {}",
      joined(response.alternatives), response.schema.context.size(), m.encoder.columns().size(),
      parts.train.situations(), parts.validation.situations(), parts.test.situations(), choice_words(m));
}

// The settings of the declaration, then those that the caller gave.
Settings merge_settings(const ChoiceDeclaration& declaration, const Settings& caller) {
  Settings merged;
  for (const auto& [name, value] : declaration.settings) set(merged, name, value);
  for (const SettingInfo& info : setting_list())
    if (is_given(caller, info.name)) set(merged, info.name, get(caller, info.name));
  return merged;
}

ChoiceParts parts_of(const ChoiceData& all, const Settings& settings) {
  const Split split = plan_split(all.situations(), all.persons, settings, all.context.source);
  return {exploded(select_situations(all, split.train)), exploded(select_situations(all, split.validation)),
          exploded(select_situations(all, split.test))};
}

json information_of(const ChoicePlan& plan, const ChoiceParts& parts, const FitSummary& summary) {
  json out = {{"data", {{"digest", plan.identity.data}, {"rows", plan.rows}}},
              {"split",
               {{"train", parts.train.situations()},
                {"validation", parts.validation.situations()},
                {"test", parts.test.situations()}}},
              {"training", {{"stop_cause", summary.stop_cause}, {"epochs", summary.epochs}}}};
  store_settings(plan.settings, out);
  return out;
}

void evaluate_parts(const ChoiceParts& parts, const FittedModel& model, const Context& job,
                    FitSummary& summary) {
  const auto metrics = [&](const ChoiceData& part) {
    return part.situations() == 0
               ? std::vector<Metric>()
               : choice_metrics(part, score_choices(model, part, job, UnseenLevels::missing));
  };
  summary.train = metrics(parts.train);
  summary.validation = metrics(parts.validation);
  summary.test = metrics(parts.test);
}

// What form = "smooth" stands for, where it is not said.
void make_smooth(Settings& settings) {
  for (const auto& [name, value] : kSmooth)
    if (!is_given(settings, name)) set(settings, name, value);
}

// What the fit has to say about rankings and rivals.
void note_choices(const ChoiceSchema& schema, const ChoiceData& all, const ChoiceParts& parts,
                  std::vector<std::string>& notes) {
  if (schema.ranked())
    notes.push_back(fmt::format(
        "{} rankings were exploded into {} choices: the best among all, the next among the others, and so on",
        all.situations(),
        parts.train.situations() + parts.validation.situations() + parts.test.situations()));
  if (!schema.rivals.empty()) notes.emplace_back(kRivalWords);
}

Settings settings_of(const ChoiceDeclaration& declaration, const ChoiceSchema& schema, const Settings& given,
                     const FitOptions& options) {
  validate(given);
  Settings settings = merge_settings(declaration, given);
  refuse_settings(settings);
  const bool linear = schema.linear || schema.beyond_logit();
  if (schema.smooth) make_smooth(settings);
  if (settings.fractions.given()) return settings;
  if (linear) settings.fractions = "1:0:0";
  return !linear && options.training_rows_only ? without_test_part(settings, {}) : settings;
}

}  // namespace

std::string choice_words(const StoredModel& m) {
  const ParameterLayout layout(m.architecture);
  const ChoiceSchema& schema = m.choice()->schema;
  if (schema.beyond_logit())
    return fmt::format("{}, {} parameters", beyond_words(schema), m.choice()->beyond.size());
  if (schema.linear)
    return fmt::format("linear utility, {} coefficients",
                       linear_terms(schema, m.choice()->alternatives).size());
  std::vector<std::string> widths;
  for (const LayerSpec& layer : m.architecture.layers) widths.push_back(std::to_string(layer.blocks));
  return fmt::format("network, layers [{}], {} parameters", joined(widths, ","), layout.free_count());
}

namespace {

void note_ridges(const FittedModel& model, FitSummary& summary) {
  const auto& stored = model.stored.inference;
  if (!stored) return;
  for (std::string& note : ridge_words(named_model(model), *stored)) summary.notes.push_back(std::move(note));
}

// What was learned, judged and recorded.
void conclude(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel model, FitSummary& summary) {
  model.information.update(information_of(plan, parts, summary));
  summary.plan = plan_text(model, parts);
  summary.parameters = plan.schema.beyond_logit() ? static_cast<Index>(model.choice()->beyond.size())
                                                  : ParameterLayout(model.architecture).free_count();
  summary.train_rows = static_cast<std::size_t>(parts.train.situations());
  summary.validation_rows = static_cast<std::size_t>(parts.validation.situations());
  summary.test_rows = static_cast<std::size_t>(parts.test.situations());
  const auto interim = std::make_shared<const FittedModel>(model);
  note_ridges(*interim, summary);
  if (plan.options.on_trained) plan.options.on_trained(Model(interim));
  evaluate_parts(parts, *interim, plan.job, summary);
  model.information["metrics"] = held_out_metrics(summary);
  summary.model = model_of(std::move(model));
}

FitSummary fit_table_rows(const Table& table, const ChoiceDeclaration& written, const Settings& given,
                          const FitOptions& options) {
  validate(given);
  if (!options.parts.empty() || options.start)
    throw UsageError(
        "latent classes are fitted to all rows by maximum likelihood, from their own starts; leave out "
        "validation "
        "rows and the model to go on from");
  const RowsAsChoices rows = rows_as_choices(table, written, given);
  FitSummary summary = fit_choices(table, rows.declaration, rows.settings, options);
  summary.notes.insert(summary.notes.begin(), rows.notes.begin(), rows.notes.end());
  return summary;
}

}  // namespace

FitSummary fit_choices(const Table& table, const ChoiceDeclaration& written, const Settings& given,
                       const FitOptions& options) {
  if (written.layout == kTableLayout) return fit_table_rows(table, written, given, options);
  ChoiceDeclaration declaration = written;
  ChoiceSchema schema = choice_schema(declaration);
  if (schema.scale && schema.scale->levels.empty()) {
    declaration.scale_levels = scale_levels(table, schema);
    schema = choice_schema(declaration);
  }
  const Settings settings = settings_of(declaration, schema, given, options);
  const Context job = fit_context(settings, options);
  std::vector<std::string> unused;
  if (schema.linear)
    unused = refused_or_listed(unused_settings(settings, {.linear = true}), options.list_unused);
  const ChoiceData all = read_choices(table, schema, true);
  const ChoiceParts parts = parts_of(all, settings);
  FitSummary summary{.model = Model(nullptr)};
  if (schema.linear && leave_out_reference(all, schema, declaration, summary.notes))
    schema = choice_schema(declaration);
  note_choices(schema, all, parts, summary.notes);
  summary.unused = std::move(unused);
  StoredModel model{.architecture = {},
                    .encoder = context_encoder(parts.train, schema, settings, job),
                    .parameters = {},
                    .single_precision = false,
                    .response = ChoiceResponse{.declaration = declaration,
                                               .schema = schema,
                                               .alternatives = all.alternatives,
                                               .means = {},
                                               .scales = {}}};
  const ChoicePlan plan{schema,
                        settings,
                        options,
                        job,
                        {table_digest(table), settings_json(settings).dump() + to_json(declaration).dump()},
                        table.rows};
  (schema.beyond_logit() ? fit_beyond_model
   : schema.linear       ? fit_linear_model
                         : fit_network)(parts, plan, model, summary);
  conclude(parts, plan, std::move(model), summary);
  summary.seconds = job.seconds();
  return summary;
}

}  // namespace bl
