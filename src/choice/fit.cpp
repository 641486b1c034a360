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
  for (const auto& [name, value] : declaration.settings) {
    try {
      set(merged, name, value);
    } catch (const UsageError& error) {
      throw UsageError(declaration.place("settings/" + name) + ": " + error.what());
    }
  }
  for (const SettingInfo& info : setting_list())
    if (is_given(caller, info.name)) set(merged, info.name, get(caller, info.name));
  return merged;
}

// Draws and latent classes have a seed of their own, and the search for classes its starts: those of the
// settings, unless the declaration says others. Returns whether the seed is that of the settings.
bool hand_over(Settings& settings, ChoiceDeclaration& d) {
  const auto takes = [&](ChoiceDeclaration::Named& section, const std::string& name) {
    if (!is_given(settings, name)) return false;
    const std::string value = get(settings, name);
    const auto own =
        std::find_if(section.begin(), section.end(), [&](const auto& one) { return one.first == name; });
    if (own != section.end()) return own->second == value;
    section.emplace_back(name, value);
    return true;
  };
  if (!d.random.empty()) return takes(d.draws, "seed");
  if (d.latent.empty()) return false;
  const bool linear = d.form.empty() || d.form == "linear";  // a block has starts of its own as well
  if (takes(d.latent, "starts") && linear) settings.starts = Settings().starts;
  return takes(d.latent, "seed");
}

ChoiceParts parts_of(const ChoiceData& all, const Settings& settings) {
  const Split split = plan_split(all.situations(), all.persons, settings, all.context.source);
  return {exploded(select_situations(all, split.train)), exploded(select_situations(all, split.validation)),
          exploded(select_situations(all, split.test))};
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

// Where nobody gave fractions.
void plan_fractions(const ChoiceSchema& schema, const FitOptions& options, Settings& settings) {
  if (settings.fractions.given()) return;
  if (schema.linear || schema.beyond_logit())
    set_default(settings, "fractions", "1:0:0");
  else if (options.training_rows_only)
    settings = without_test_part(settings, {});
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

// What was learned is judged and recorded.
void conclude(const ChoiceParts& parts, const ChoicePlan& plan, const Table& table, Trained trained,
              StoredModel model, FitSummary& summary) {
  trained.learned.report.seconds = plan.job.seconds();
  const auto count = [](const ChoiceData& part) { return static_cast<std::size_t>(part.situations()); };
  const FitSource from{
      plan.settings,    table, plan.identity.data, table.rows, count(parts.train), count(parts.validation),
      count(parts.test)};
  model.information.update(information_of(from, trained.learned));
  model.inference = std::move(trained.inference);
  if (model.inference) model.inference->facts["digest"] = plan.identity.data;
  summary.plan = plan_text(model, parts);
  summary.parameters = plan.schema.beyond_logit() ? static_cast<Index>(model.choice()->beyond.size())
                                                  : ParameterLayout(model.architecture).free_count();
  summary.notes.insert(summary.notes.end(), trained.notes.begin(), trained.notes.end());
  const auto interim = std::make_shared<const FittedModel>(model);
  note_ridges(*interim, summary);
  if (plan.options.on_trained) plan.options.on_trained(Model(interim));
  evaluate_parts(parts, *interim, plan.job, summary);
  model.information["metrics"] = held_out_metrics(summary);
  summary.model = model_of(std::move(model));
  describe_fit(from, trained, summary);
}

FitSummary fit_table_rows(const Table& table, const ChoiceDeclaration& written, const Settings& given,
                          const FitOptions& options) {
  const RowsAsChoices rows = rows_as_choices(table, written, given);
  FitSummary summary = fit_choices(table, rows.declaration, rows.settings, options);
  summary.notes.insert(summary.notes.begin(), rows.notes.begin(), rows.notes.end());
  return summary;
}

}  // namespace

FitSummary fit_choices(const Table& table, const ChoiceDeclaration& written, const Settings& given,
                       const FitOptions& options) {
  if (!options.parts.empty() || options.start)
    throw UsageError(
        "choices are learned from their own starts, in parts that `fractions` cut; leave out validation rows "
        "and the model to go on from");
  validate(given);
  if (written.layout == kTableLayout) return fit_table_rows(table, written, given, options);
  ChoiceDeclaration declaration = written;
  Settings settings = merge_settings(declaration, given);
  const bool seeded = hand_over(settings, declaration);
  ChoiceSchema schema = choice_schema(declaration);
  if (schema.scale && schema.scale->levels.empty()) {
    declaration.scale_levels = scale_levels(table, schema);
    schema = choice_schema(declaration);
  }
  refuse_settings(settings);
  if (schema.smooth) make_smooth(settings);
  plan_fractions(schema, options, settings);
  const Context job = fit_context(settings, options);
  FitSummary summary{.model = Model(nullptr)};
  if (schema.linear)
    summary.unused =
        refused_or_listed(unused_settings(settings, {.linear = true, .seeded = seeded}), options.list_unused);
  const ChoiceData all = read_choices(table, schema, true);
  const ChoiceParts parts = parts_of(all, settings);
  if (schema.linear && leave_out_reference(all, schema, declaration, summary.notes))
    schema = choice_schema(declaration);
  note_choices(schema, all, parts, summary.notes);
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
                        summary.unused};
  Trained trained = (schema.beyond_logit() ? fit_beyond_model
                     : schema.linear       ? fit_linear_model
                                           : fit_network)(parts, plan, model);
  conclude(parts, plan, table, std::move(trained), std::move(model), summary);
  return summary;
}

}  // namespace bl
