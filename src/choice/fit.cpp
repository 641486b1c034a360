#include "choice/fit.hpp"

#include <fmt/format.h>

<<<<<<< HEAD
=======
#include <array>
#include <cmath>
#include <optional>

>>>>>>> f6b3a08 (Choices: spread and warnings of network economics, form smooth, scale by data source, rankings, segments, rivals)
#include "artifact/choice_json.hpp"
#include "base/clock.hpp"
#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "choice/reference.hpp"
#include "choice/scores.hpp"
#include "features/beyond_names.hpp"
<<<<<<< HEAD
=======
#include "features/choice_ranks.hpp"
#include "fit/members.hpp"
#include "fit/minimum_progress.hpp"
#include "plan/device_plan.hpp"
>>>>>>> f6b3a08 (Choices: spread and warnings of network economics, form smooth, scale by data source, rankings, segments, rivals)
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
         "target, ignore, id or schema", "the choice schema says what the columns mean");
  refuse(!s.weight.empty() || !s.group.empty(), "weight or group", "the choice schema has weight and person");
  refuse(!s.nominal.empty() || !s.continuous.empty(), "nominal or continuous",
         "the choice schema has nominal");
  refuse(s.form == "vector", "form = 'vector'", "attributes stand inside a scalar utility");
  refuse(!s.terms.empty(), "terms", "the choice schema has [terms]");
  refuse(s.class_weight != "none", "class_weight", "use a weight");
  refuse(s.objective != "auto" && s.objective != "likelihood", "objective",
         "choices are learned by likelihood");
  refuse(s.split == "stratified", "split = 'stratified'", "use group, random or order");
}

Encoder fit_context(const ChoiceData& training, const ChoiceSchema& schema, const Settings& settings) {
  RoleOptions roles;
  for (const std::string& name : schema.nominal) roles.columns[name].type = ColumnType::nominal;
  const Schema columns = infer_schema(training.context, roles);
  return Encoder::fit(training.context, columns, choice_encode_options(settings, columns),
                      all_rows(training.context.rows));
}

<<<<<<< HEAD
std::string plan_text(const StoredModel& m, const ChoiceParts& parts) {
=======
struct Parts {
  ChoiceData train, validation, test;
};

// What a checkpoint must have been made with.
struct Identity {
  std::string data, settings;  // the settings and the schema
};

struct FitPlan {
  const ChoiceSchema& schema;
  const Settings& settings;
  const FitOptions& options;
  Identity identity;
  Index rows = 0;  // of the table
};

template <class T>
void train_network(const Parts& parts, const FitPlan& fit, StoredModel& model, FitSummary& summary) {
  const Settings& s = fit.settings;
  const ChoiceResponse& response = *model.choice();
  const EncodedChoices<T> training(parts.train, model.encoder, response);
  const Network<T> network(model.architecture);
  ObjectiveSpec spec;
  spec.temperature = s.temperature;
  const Objective<T> objective(network, spec, training.view());
  std::optional<EncodedChoices<T>> validation;
  std::optional<Objective<T>> validation_objective;
  if (parts.validation.situations() > 0) {
    validation.emplace(parts.validation, model.encoder, response);
    validation_objective.emplace(network, spec, validation->view());
  }
  MemberPlan<T> plan{.spec = plan_training(s, parts.train.situations(), false),
                     .members = plan_members(s, model.architecture)};
  const DeviceChoice where = plan_device(
      s,
      static_cast<double>(std::min<Index>(plan.spec.batch_size, objective.data().rows) * plan.members) *
          objective.numbers_per_row(),
      false);
  ThreadPool pool(static_cast<std::size_t>(s.threads), where.device);
  if (response.has_signs()) plan.spec.bounds = monotone_bounds(model.architecture, fit.schema.signs);
  keep_checkpoints(plan, fit.options, fit.identity.data, fit.identity.settings);
  TrainedMembers learned = train_members(objective, validation_objective ? &*validation_objective : nullptr,
                                         plan, fit.options, pool);
  summary.interrupted = learned.report.reason == StopReason::interrupted;
  summary.stop_cause = learned.report.cause;
  summary.notes.insert(summary.notes.end(), learned.notes.begin(), learned.notes.end());
  if (!where.note.empty()) summary.notes.push_back(where.note);
  summary.stop_reason = name(learned.report.reason);
  summary.epochs = static_cast<std::int64_t>(learned.report.history.size());
  summary.best_epoch = learned.report.best_epoch;
  model.information["members"] = learned.parameters.size();
  model.parameters = joined(model.architecture, std::move(learned.parameters));
}

Architecture network_architecture(const Settings& s, const StoredModel& model, Index train_situations) {
  Settings scalar = s;
  scalar.form = "scalar";
  return plan_architecture(scalar,
                           {.context = static_cast<Index>(model.encoder.columns().size()),
                            .values = static_cast<Index>(model.choice()->means.size()),
                            .classes = static_cast<Index>(model.choice()->alternatives.size())},
                           train_situations);
}

// Terms of the response alone never read the context by themselves, so a small degree would drop it.
void require_context_read(const ChoiceSchema& schema, const Architecture& a) {
  if (schema.context.empty() || a.layers.size() > 1) return;
  for (const Term& term : basis_terms(a.basis, a.input, a.degree()))
    for (const std::int32_t factor : term)
      if (factor < a.input.context) return;
  throw UsageError(
      "with `identifiable` and `degree` 1 the context never meets an attribute, so it would be left out; use "
      "`degree` 2, or leave out the context");
}

// The lowest minimum of several starts in canonical form, with its covariances where it is one. Keeps no
// checkpoint, as for tables.
void train_to_minimum(const Parts& parts, const FitPlan& fit, int starts, StoredModel& model,
                      FitSummary& summary) {
  const Settings& s = fit.settings;
  static_cast<void>(plan_members(s, model.architecture));  // refuses several
  inference::MinimiserSpec minimiser;
  minimiser.starts = starts;
  minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) minimiser.iterations = s.epochs;
  watch_minimiser(minimiser, fit.options);
  ThreadPool pool(static_cast<std::size_t>(s.threads));
  ChoiceEstimate found = estimate_network(model, parts.train, minimiser, {.person = fit.schema.person}, pool);
  const inference::Estimate& e = found.estimate;
  model.parameters = e.chart.raw;
  summary.interrupted = e.minimisation.interrupted;
  summary.stop_cause = fmt::format("{} of {} starts ended in the lowest minimum, gradient {:.1e}",
                                   e.minimisation.optima[0].starts, e.minimisation.starts, e.gradient);
  summary.epochs = e.minimisation.best.iterations;
  if (!e.converged) {
    summary.notes.push_back("no standard errors: " + e.cause);
    return;
  }
  model.inference = std::move(found.stored);
  model.inference->facts["digest"] = fit.identity.data;
}

void fit_network(const Parts& parts, const FitPlan& fit, StoredModel& model, FitSummary& summary) {
  const Settings& s = fit.settings;
  standardize(parts.train, std::get<ChoiceResponse>(model.response));
  model.temperature = s.temperature;
  model.architecture = network_architecture(s, model, parts.train.situations());
  require_context_read(fit.schema, model.architecture);
  const int starts = plan_starts(s, model.architecture);
  const TrainSpec spec = plan_training(s, parts.train.situations(), false);
  summary.unused = refused_or_listed(unused_settings(s, {.to_minimum = starts > 0,
                                                         .optimizer = spec.optimizer.kind,
                                                         .text = !model.encoder.text_features().empty()}),
                                     fit.options.list_unused);
  model.information["used"] = used_model_settings(s, model.architecture, plan_members(s, model.architecture));
  model.information["used"].update(used_training_settings(s, spec, starts));
  if (starts > 0) return train_to_minimum(parts, fit, starts, model, summary);
  if (s.precision != "float64")
    train_network<float>(parts, fit, model, summary);
  else
    train_network<double>(parts, fit, model, summary);
  // What is read off an identifiable model should not depend on where its training began.
  if (s.identifiable)
    model.parameters = inference::canonical_form(model.architecture, model.parameters).parameters;
}

void fit_linear_model(const Parts& parts, const FitPlan& plan, StoredModel& model, FitSummary& summary) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  const auto terms = linear_terms(schema, response.alternatives);
  model.architecture = linear_architecture(terms, parts.train.attributes.cols(),
                                           static_cast<Index>(response.alternatives.size()));
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  Checkpoint<double> checkpoint(plan.options.checkpoint, plan.identity.data, plan.identity.settings);
  const LinearFit fit = fit_linear(terms, parts.train, plan.settings, plan.options, checkpoint);
  note_checkpoint(checkpoint.failure(), summary.notes);
  summary.interrupted = fit.interrupted;
  summary.stop_cause = fit.cause;
  summary.epochs = fit.iterations;
  model.parameters = fit.coefficients;
  model.parameters.push_back(1);  // lambda
  if (!fit.converged && !separates(terms, parts.train, fit.coefficients)) {
    summary.notes.push_back("the likelihood was not maximal yet, so there are no standard errors");
    return;
  }
  ThreadPool pool(static_cast<std::size_t>(plan.settings.threads));
  ChoiceEstimate found =
      estimate_linear(terms, fit.coefficients, parts.train, {.person = schema.person}, pool);
  model.parameters = found.estimate.chart.raw;
  if (!found.estimate.converged) {
    summary.notes.push_back("no standard errors: " + found.estimate.cause);
    return;
  }
  for (const json& note : found.stored.facts["notes"]) summary.notes.push_back(note.get<std::string>());
  model.inference = std::move(found.stored);
  model.inference->facts["digest"] = plan.identity.data;
}

void fit_beyond_model(const Parts& parts, const FitPlan& plan, StoredModel& model, FitSummary& summary) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  if (plan.options.resume)
    throw UsageError(beyond_words(schema) + ": such a fit begins anew; leave out `resume`");
  const auto terms = linear_terms(schema, response.alternatives);
  model.architecture = linear_architecture(terms, parts.train.attributes.cols(),
                                           static_cast<Index>(response.alternatives.size()));
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  random_utility::MaximumSpec how;
  if (plan.settings.epochs > 0) how.iterations = plan.settings.epochs.value();
  how.should_stop = plan.options.should_stop;
  ChoiceEstimate found =
      estimate_beyond(schema, parts.train, {}, plan.settings, how, {.person = schema.person});
  set_beyond(model, found.estimate.chart.raw);
  summary.interrupted = found.estimate.minimisation.interrupted;
  summary.stop_cause = found.estimate.cause;
  summary.epochs = found.estimate.minimisation.best.iterations;
  for (const std::string& note : found.estimate.notes) summary.notes.push_back(note);
  if (!found.estimate.converged) {
    summary.notes.push_back("no standard errors: " + found.estimate.cause);
    return;
  }
  if (!found.estimate.identification.directions.empty())
    summary.notes.push_back(
        "some combination of parameters does not change the likelihood, so not all have standard errors; its "
        "summary names it");
  model.inference = std::move(found.stored);
  model.inference->facts["digest"] = plan.identity.data;
}

std::string plan_text(const StoredModel& m, const Parts& parts) {
>>>>>>> f6b3a08 (Choices: spread and warnings of network economics, form smooth, scale by data source, rankings, segments, rivals)
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
  return {{"settings", settings_json(plan.settings)},
          {"data", {{"digest", plan.identity.data}, {"rows", plan.rows}}},
          {"split",
           {{"train", parts.train.situations()},
            {"validation", parts.validation.situations()},
            {"test", parts.test.situations()}}},
          {"training", {{"stop_cause", summary.stop_cause}, {"epochs", summary.epochs}}}};
}

void evaluate_parts(const ChoiceParts& parts, const Settings& settings, FitSummary& summary) {
  ThreadPool pool(static_cast<std::size_t>(settings.threads));
  const FittedModel& model = summary.model.impl();
  const auto metrics = [&](const ChoiceData& part) {
    return part.situations() == 0 ? std::vector<Metric>()
                                  : choice_metrics(part, score_choices(model, part, pool, Part::train));
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
void note_choices(const ChoiceSchema& schema, const ChoiceData& all, const Parts& parts,
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
  const bool linear = schema.linear;
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

void note_ridges(FitSummary& summary) {
  const FittedModel& model = summary.model.impl();
  const auto& stored = model.stored.inference;
  if (!stored || !stored->facts.contains("runs_away")) return;
  for (std::string& note : ridge_words(named_model(model), *stored)) summary.notes.push_back(std::move(note));
}

}  // namespace

FitSummary fit_choices(const Table& table, const ChoiceDeclaration& written, const Settings& given,
                       const FitOptions& options) {
  const double started = now();
  ChoiceDeclaration declaration = written;
  ChoiceSchema schema = choice_schema(declaration);
  if (schema.scale && schema.scale->levels.empty()) {
    declaration.scale_levels = scale_levels(table, schema);
    schema = choice_schema(declaration);
  }
  const Settings settings = settings_of(declaration, schema, given, options);
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
                    .encoder = fit_context(parts.train, schema, settings),
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
                        {table_digest(table), settings_json(settings).dump() + to_json(declaration).dump()},
                        table.rows};
  (schema.beyond_logit() ? fit_beyond_model
   : schema.linear       ? fit_linear_model
                         : fit_network)(parts, plan, model, summary);
  model.information.update(information_of(plan, parts, summary));
  summary.plan = plan_text(model, parts);
  summary.parameters = schema.beyond_logit() ? static_cast<Index>(model.choice()->beyond.size())
                                             : ParameterLayout(model.architecture).free_count();
  summary.train_rows = static_cast<std::size_t>(parts.train.situations());
  summary.validation_rows = static_cast<std::size_t>(parts.validation.situations());
  summary.test_rows = static_cast<std::size_t>(parts.test.situations());
  summary.model = model_of(std::move(model));
  note_ridges(summary);
  if (options.on_trained) options.on_trained(summary.model);
  evaluate_parts(parts, settings, summary);
  summary.seconds = now() - started;
  return summary;
}

}  // namespace bl
