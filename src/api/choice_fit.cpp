// From a file of choices and its schema to a model: linear utilities by maximum likelihood, networks by the
// trainer.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "api/choice_encoded.hpp"
#include "api/choice_estimate.hpp"
#include "api/choice_impl.hpp"
#include "api/choice_linear.hpp"
#include "api/impl.hpp"
#include "api/members.hpp"
#include "api/minimum_progress.hpp"
#include "api/plan.hpp"
#include "api/table_plan.hpp"
#include "api/unused_settings.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "training/trainer.hpp"

namespace bl {

namespace {

constexpr std::size_t kLargestSchema = 16U << 20;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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
  refuse(!s.terms.empty(), "terms", "make an attribute of the product");
  refuse(s.class_weight != "none", "class_weight", "use a weight");
  refuse(s.objective != "auto" && s.objective != "likelihood", "objective",
         "choices are learned by likelihood");
  refuse(s.split == "stratified", "split = 'stratified'", "use group, random or order");
}

// Of the training situations' entries; a constant attribute keeps scale 1.
void standardize(const ChoiceData& data, StoredChoice& model) {
  const auto n = static_cast<double>(data.attributes.rows());
  for (Index k = 0; k < data.attributes.cols(); ++k) {
    double mean = 0, squares = 0;
    for (Index i = 0; i < data.attributes.rows(); ++i) mean += data.attributes(i, k) / n;
    for (Index i = 0; i < data.attributes.rows(); ++i)
      squares += (data.attributes(i, k) - mean) * (data.attributes(i, k) - mean) / n;
    model.means.push_back(mean);
    model.scales.push_back(squares > 0 ? std::sqrt(squares) : 1);
  }
}

Encoder fit_context(const ChoiceData& training, const ChoiceSchema& schema, const Settings& settings) {
  RoleOptions roles;
  for (const std::string& name : schema.nominal) roles.columns[name].type = ColumnType::nominal;
  const Schema columns = infer_schema(training.context, roles);
  return Encoder::fit(training.context, columns, choice_encode_options(settings, columns), all_rows(training.context.rows));
}

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
};

template <class T>
void train_network(const Parts& parts, const FitPlan& fit, StoredChoice& model, ChoiceFitSummary& summary) {
  const Settings& s = fit.settings;
  const EncodedChoices<T> training(parts.train, model);
  const Network<T> network(model.architecture);
  ObjectiveSpec spec;
  spec.temperature = s.temperature;
  const Objective<T> objective(network, spec, training.view());
  std::optional<EncodedChoices<T>> validation;
  std::optional<Objective<T>> validation_objective;
  if (parts.validation.situations() > 0) {
    validation.emplace(parts.validation, model);
    validation_objective.emplace(network, spec, validation->view());
  }
  ThreadPool pool(static_cast<std::size_t>(s.threads));
  MemberPlan<T> plan{.spec = plan_training(s, parts.train.situations(), false),
                     .members = plan_members(s, model.architecture)};
  const std::vector<int>& signs = fit.schema.signs;
  if (std::any_of(signs.begin(), signs.end(), [](int sign) { return sign != 0; }))
    plan.spec.bounds = monotone_bounds(model.architecture, signs);
  keep_checkpoints(plan, fit.options, fit.identity.data, fit.identity.settings);
  TrainedMembers learned = train_members(objective, validation_objective ? &*validation_objective : nullptr,
                                         plan, fit.options, pool);
  summary.interrupted = learned.report.reason == StopReason::interrupted;
  summary.stop_cause = learned.report.cause;
  summary.epochs = static_cast<std::int64_t>(learned.report.history.size());
  model.parameters = joined(model.architecture, std::move(learned.parameters));
}

// The plan of a fit needs to know how many values and classes stand in the utility, and no more.
Architecture network_architecture(const Settings& s, const StoredChoice& model, Index train_situations) {
  ResponseSpace space(model.encoder);
  space.class_labels = model.alternatives;
  space.class_name = "alternative";
  for (std::size_t k = 0; k < model.means.size(); ++k) space.continuous_responses.push_back(k);
  Settings scalar = s;
  scalar.form = "scalar";
  return plan_architecture(scalar, model.encoder, space, train_situations);
}

// The lowest minimum of several starts in canonical form, with its covariances where it is one. Keeps no
// checkpoint, as for tables.
void train_to_minimum(const Parts& parts, const FitPlan& fit, int starts, StoredChoice& model,
                      ChoiceFitSummary& summary) {
  const Settings& s = fit.settings;
  static_cast<void>(plan_members(s, model.architecture));  // refuses several
  inference::MinimiserSpec minimiser;
  minimiser.starts = starts;
  minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) minimiser.iterations = s.epochs;
  watch_minimiser(minimiser, fit.options);
  ThreadPool pool(static_cast<std::size_t>(s.threads));
  ChoiceEstimate found =
      estimate_network(model, fit.schema, parts.train, minimiser, {.person = fit.schema.person}, pool);
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

void fit_network(const Parts& parts, const FitPlan& fit, StoredChoice& model, ChoiceFitSummary& summary) {
  const Settings& s = fit.settings;
  standardize(parts.train, model);
  model.temperature = s.temperature;
  model.architecture = network_architecture(s, model, parts.train.situations());
  const int starts = plan_starts(s, model.architecture);
  refuse_unused(s, {.to_minimum = starts > 0,
                    .optimizer = plan_training(s, parts.train.situations(), false).optimizer.kind});
  if (starts > 0) return train_to_minimum(parts, fit, starts, model, summary);
  if (s.precision == "float32")
    train_network<float>(parts, fit, model, summary);
  else
    train_network<double>(parts, fit, model, summary);
  // What is read off an identifiable model should not depend on where its training began.
  if (s.identifiable)
    model.parameters = inference::canonical_form(model.architecture, model.parameters).parameters;
}

void fit_linear_model(const Parts& parts, const FitPlan& plan, StoredChoice& model,
                      ChoiceFitSummary& summary) {
  const ChoiceSchema& schema = plan.schema;
  const auto terms = linear_terms(schema, model.alternatives);
  model.architecture = linear_architecture(terms, parts.train.attributes.cols(),
                                           static_cast<Index>(model.alternatives.size()));
  model.means.assign(schema.attributes.size(), 0);
  model.scales.assign(schema.attributes.size(), 1);
  Checkpoint<double> checkpoint(plan.options.checkpoint, plan.identity.data, plan.identity.settings);
  const LinearFit fit = fit_linear(terms, parts.train, plan.settings, plan.options, checkpoint);
  summary.interrupted = fit.interrupted;
  summary.stop_cause = fit.cause;
  summary.epochs = fit.iterations;
  ThreadPool pool(static_cast<std::size_t>(plan.settings.threads));
  ChoiceEstimate found;
  if (fit.converged)
    found = estimate_linear(terms, fit.coefficients, parts.train, {.person = schema.person}, pool);
  else
    summary.notes.push_back(
        "the likelihood was not maximal yet, so there are no standard errors; an attribute may separate the "
        "choices perfectly");
  model.parameters = found.estimate.chart.raw;
  if (!fit.converged) {
    model.parameters = fit.coefficients;
    model.parameters.push_back(1);  // lambda
  }
  model.coefficients = coefficient_errors(terms, model.parameters, found.stored);
  model.covariance = coefficient_covariance(terms.size(), found.stored);
  if (!found.estimate.identification.directions.empty())
    summary.notes.push_back(
        "some combination of coefficients does not change the probabilities, so not all have standard "
        "errors; bl summary names it, leave out a constant or an attribute");
  if (!found.estimate.converged) return;
  model.inference = std::move(found.stored);
  model.inference->facts["digest"] = plan.identity.data;
}

std::string plan_text(const ChoiceSchema& schema, const StoredChoice& m, const Parts& parts) {
  std::string names, layers;
  for (const std::string& name : m.alternatives) names += (names.empty() ? "" : ", ") + name;
  for (const LayerSpec& layer : m.architecture.layers)
    layers += (layers.empty() ? "" : ",") + std::to_string(layer.blocks);
  const std::string kind = schema.linear
                               ? fmt::format("linear utility, {} coefficients", m.coefficients.size())
                               : fmt::format("network, layers [{}], {} parameters", layers,
                                             ParameterLayout(m.architecture).free_count());
  return fmt::format(
      "choice    among {}\ncontext   {} columns, encoded as {}\nrows      {} training, {} validation, {} "
      "test situations\nmodel     {}",
      names, schema.context.size(), m.encoder.columns().size(), parts.train.situations(),
      parts.validation.situations(), parts.test.situations(), kind);
}

}  // namespace

Settings merge_settings(const ChoiceSchema& schema, const Settings& given, bool& explicit_fractions) {
  Settings merged;
  explicit_fractions = false;
  for (const auto& [name, value] : schema.settings) {
    set(merged, name, value);
    explicit_fractions |= name == "fractions";
  }
  for (const SettingInfo& info : setting_list()) {
    const std::string value = get(given, info.name);
    if (value == info.default_value) continue;
    set(merged, info.name, value);
    explicit_fractions |= info.name == "fractions";
  }
  return merged;
}

std::vector<Index> choice_part(const ChoiceData& data, const Settings& settings, Part part) {
  if (part == Part::all) return all_rows(data.situations());
  if (settings.split == "group" && data.persons.empty())
    throw UsageError("split = 'group' needs a person in the choice schema's [data]");
  // Situations take the place of rows, persons that of groups.
  Table situations;
  Schema schema;
  situations.rows = data.situations();
  if (!data.persons.empty()) {
    situations.columns.push_back({.name = "person",
                                  .raw = RawType::numeric,
                                  .numbers = {data.persons.begin(), data.persons.end()},
                                  .codes = {},
                                  .levels = {}});
    schema.columns.push_back({.name = "person",
                              .role = Role::group,
                              .type = ColumnType::nominal,
                              .raw = RawType::numeric,
                              .levels = {}});
  }
  const Split split = plan_split(situations, schema, settings);
  return part == Part::train ? split.train : part == Part::validation ? split.validation : split.test;
}

ChoiceFitSummary fit_choice(const Data& data, const std::string& schema_path, const Settings& given,
                            const FitOptions& options) {
  return fit_choice_text(data, read_whole_file(schema_path, kLargestSchema), schema_path, given, options);
}

ChoiceFitSummary fit_choice_text(const Data& data, const std::string& schema_text, const std::string& name,
                                 const Settings& given, const FitOptions& options) {
  const double started = now();
  const Table& table = data.impl().table;
  const ChoiceSchema schema = read_choice_schema(schema_text, name);
  bool explicit_fractions = false;
  Settings settings = merge_settings(schema, given, explicit_fractions);
  refuse_settings(settings);
  if (schema.linear) refuse_unused(settings, {.linear = true});
  if (schema.linear && !explicit_fractions) settings.fractions = "1:0:0";
  if (!schema.linear && !explicit_fractions && options.training_rows_only)
    settings = without_test_part(settings, {});
  const ChoiceData all = read_choices(table, schema, true);
  const Parts parts{select_situations(all, choice_part(all, settings, Part::train)),
                    select_situations(all, choice_part(all, settings, Part::validation)),
                    select_situations(all, choice_part(all, settings, Part::test))};
  ChoiceFitSummary summary{.model = ChoiceModel(nullptr)};
  StoredChoice model{.schema_text = schema_text,
                     .schema_name = name,
                     .alternatives = all.alternatives,
                     .architecture = {},
                     .encoder = fit_context(parts.train, schema, settings),
                     .means = {},
                     .scales = {},
                     .parameters = {},
                     .temperature = 1,
                     .coefficients = {},
                     .covariance = {},
                     .information = nlohmann::json::object()};
  const FitPlan plan{
      schema, settings, options, {table_digest(table), settings_json(settings).dump() + schema_text}};
  (schema.linear ? fit_linear_model : fit_network)(parts, plan, model, summary);
  model.information = {{"settings", settings_json(settings)},
                       {"digest", plan.identity.data},
                       {"situations",
                        {{"train", parts.train.situations()},
                         {"validation", parts.validation.situations()},
                         {"test", parts.test.situations()}}},
                       {"stop_cause", summary.stop_cause},
                       {"epochs", summary.epochs}};
  summary.plan = plan_text(schema, model, parts);
  const auto impl = std::make_shared<const ChoiceModel::Impl>(std::move(model));
  summary.model = ChoiceModel(impl);
  ThreadPool pool(static_cast<std::size_t>(settings.threads));
  const auto metrics = [&](const ChoiceData& part) {
    return part.situations() == 0 ? std::vector<Metric>()
                                  : choice_metrics(part, score_choices(*impl, part, pool, Part::train));
  };
  summary.train = metrics(parts.train);
  summary.validation = metrics(parts.validation);
  summary.test = metrics(parts.test);
  summary.seconds = now() - started;
  return summary;
}

}  // namespace bl
