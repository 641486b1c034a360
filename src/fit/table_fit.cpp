#include "fit/table_fit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.hpp"
#include "bl/errors.hpp"
#include "features/near_numbers.hpp"
#include "fit/folds.hpp"
#include "fit/members.hpp"
#include "fit/minimum_progress.hpp"
#include "fit/smoothness.hpp"
#include "fitted/fitted_model.hpp"
#include "fitted/part_data.hpp"
#include "gibbs/utility.hpp"
#include "metrics/classification.hpp"
#include "metrics/decision.hpp"
#include "model/movement.hpp"
#include "plan/curve_plan.hpp"
#include "plan/device_plan.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/stored_settings.hpp"
#include "plan/table_plan.hpp"
#include "plan/unused_settings.hpp"
#include "plan/used_settings.hpp"
#include "plan/wide_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/unusual_rows.hpp"
#include "summary/stored_estimate.hpp"
#include "training/trainer.hpp"

namespace bl {

namespace {

using nlohmann::json;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double table_megabytes(const Table& table) {
  std::size_t bytes = 0;
  for (const Column& column : table.columns)
    bytes += column.numbers.size() * sizeof(double) + column.codes.size() * sizeof(std::int32_t);
  return static_cast<double>(bytes) / (1 << 20);
}

constexpr std::size_t kManyLevels = 20;  // fewer of them may well be kinds of things

// One for each, or one for all where they are many: the edges of images are.
std::vector<std::string> constant_notes(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> notes;
  if (names.size() <= kMost)
    for (const std::string& name : names) notes.push_back(fmt::format("'{}' is constant and left out", name));
  else
    notes.push_back(fmt::format("{} columns are constant and left out, '{}' to '{}'", names.size(),
                                names.front(), names.back()));
  return notes;
}

std::vector<std::string> encoding_notes(const Encoder& encoder, std::size_t train_rows) {
  std::vector<std::string> notes;
  const EncodingReport& report = encoder.report();
  for (std::string& note : constant_notes(report.constant)) notes.push_back(std::move(note));
  for (const FeatureEncoding& f : encoder.features())
    if (f.text)
      notes.push_back(fmt::format("'{}' is running text: {} terms in {} components", f.name,
                                  f.text->terms().size(), f.text->components()));
  for (const auto& [name, earlier] : report.duplicates)
    notes.push_back(fmt::format("'{}' repeats '{}'; consider `ignore`", name, earlier));
  for (const auto& [name, count] : report.missing)
    notes.push_back(fmt::format("'{}' has {} missing training values, filled in and flagged", name, count));
  for (const ResponseEncoding& response : encoder.responses())
    if (!response.number.plain()) notes.push_back(response.number.note(response.name));
  for (const FeatureEncoding& f : encoder.features())
    if (f.type == ColumnType::nominal && f.levels.size() > std::max(kManyLevels, train_rows / 2))
      notes.push_back(fmt::format("'{}' has {} levels in {} training rows; if it names rows, give `id` {}",
                                  f.name, f.levels.size(), train_rows, f.name));
  return notes;
}

json metrics_json(const std::vector<Metric>& metrics) {
  json object = json::object();
  for (const Metric& metric : metrics) object[metric.name] = metric.value;
  return object;
}

json history_json(const FitReport& report) {
  json list = json::array();
  for (const EpochRecord& record : report.history) {
    json one = {{"epoch", record.epoch},
                {"train_loss", record.train_loss},
                {"learning_rate", record.learning_rate},
                {"gradient_norm", record.gradient_norm}};
    if (!std::isnan(record.validation_loss)) one["validation_loss"] = record.validation_loss;
    list.push_back(one);
  }
  return list;
}

struct Prepared {
  const Table* table;
  const Settings* settings;
  Split split;
  Encoder encoder;
  ResponseSpace space;
  Architecture architecture;  // of one member
  Index members;
  bool wide;                                // by the rules for wide inputs
  double readout_unit;                      // while it is learned
  std::vector<std::vector<double>> starts;  // of each member; empty: from the seed
  std::vector<Bound> bounds;                // that curves ask for, per parameter; empty: none
  bool warm = false;                        // the starts are those of a learned model
  // Of a second part, that learns on from all rows: what the first was.
  struct First {
    std::int64_t epochs = 0;
    double seconds = 0;
    std::optional<double> smoothness = {};
  };
  std::optional<First> first = {};
  const Guidance* guidance = nullptr;
};

struct Trained {
  TrainedMembers learned;
  Support support;
  double encoded_megabytes = 0;
  std::optional<StoredInference> inference = {};
  std::vector<std::string> notes = {};
  std::optional<double> smoothness = {};   // of curves
  std::optional<double> temperature = {};  // that suits rows which members had not seen
};

// The training rows and what is minimised over them.
template <class T>
struct TrainingRows {
  PartData<T> rows;
  Support support;
  ObjectiveSpec objective;
  ObjectiveSpec judging;  // the same loss by another rule, for validation rows

  explicit TrainingRows(const Prepared& p)
      : rows(p.encoder, p.space, *p.table, p.split.train, p.settings->out_of_core) {
    const Settings& s = *p.settings;
    if (s.class_weight == "balanced") {
      if (p.space.classes() == 0) throw UsageError("class_weight = 'balanced' needs a class response");
      balance_classes(rows, p.space.classes());
    }
    if (p.guidance && p.guidance->log_probabilities)
      spread_classes(rows, *p.guidance->log_probabilities, p.guidance->share);
    Matrix<double> values(rows.encoded.continuous.rows(), rows.encoded.continuous.cols());
    for (std::size_t i = 0; i < values.flat().size(); ++i)
      values.flat()[i] = static_cast<double>(rows.encoded.continuous.flat()[i]);
    support = plan_support(s, p.encoder, p.space, values);
    // Smooth heads of an identifiable model make no such peaks, and its summary is taken by the plain rule.
    const auto repeated = s.identifiable ? std::vector<double>{} : repeated_values(values);
    objective = plan_objective(s, p.space, support, repeated);
    objective.temperature /= p.readout_unit;
    judging = plan_objective(s, p.space, support, repeated, NormaliserUse::judging);
    judging.temperature = objective.temperature;
    use_exact_normaliser(s, p.architecture, p.encoder, support, objective);
    use_exact_normaliser(s, p.architecture, p.encoder, support, judging);
  }
};

// Folds for the members of a number learned from few rows; null where there are none. Members that start from a
// learned model have seen all rows already.
template <class T>
std::unique_ptr<FoldRows<T>> fold_rows(const Prepared& p, const TrainingRows<T>& training,
                                       const Network<T>& network) {
  constexpr Index kLeastMembers = 4;
  constexpr std::size_t kSparingRows = 160;
  const Settings& s = *p.settings;
  if (!training.objective.exact || p.members < kLeastMembers || p.split.train.size() >= kFewRowsForNumber ||
      s.out_of_core || p.warm)
    return nullptr;
  // What members leave out tells more than enough where there are some hundred rows of it.
  const Index spared = p.split.train.size() >= kSparingRows ? 2 : 1;
  auto folds = plan_folds(*p.table, p.encoder.schema(), s, p.split.train, spared * p.members);
  if (folds.empty()) return nullptr;
  folds.resize(static_cast<std::size_t>(p.members));
  auto rows = std::make_unique<FoldRows<T>>(network, training.objective,
                                            FoldSource{p.encoder, p.space, *p.table}, p.split, folds);
  return rows->weighty() ? std::move(rows) : nullptr;
}

// Utilities divided by the temperature that suits rows which members had not seen.
template <class T>
void correct_certainty(const FoldRows<T>& folds, const Architecture& architecture, ThreadPool& pool,
                       Trained& trained) {
  constexpr double kNoticeable = 1.05;
  trained.temperature = folds.temperature(architecture, trained.learned, pool);
  for (auto& parameters : trained.learned.parameters)
    scale_utility(architecture, 1 / *trained.temperature, parameters);
  if (*trained.temperature > kNoticeable)
    trained.notes.push_back(
        fmt::format("the networks were too certain about rows they had not seen; their distribution was "
                    "widened (temperature {:.2f})",
                    *trained.temperature));
}

// How the parameters are trained: by the settings, the shapes, and what came before.
TrainSpec training_spec(const Prepared& p) {
  const Settings& s = *p.settings;
  const auto rows = static_cast<Index>(p.split.train.size());
  TrainSpec spec = plan_training(s, rows, p.space.single_continuous(), has_bends(p.encoder));
  if (p.wide) plan_wide_training(s, rows, spec);
  if (p.first) spec = refit_training(s, std::move(spec), p.first->epochs);
  if (p.first && s.time_limit > 0) spec.time_limit = std::max(1e-3, s.time_limit - p.first->seconds);
  return spec;
}

// The share of validation rows whose class is not the likeliest.
template <class T>
std::function<double(std::span<const T>)> error_rate(const Prepared& p, const PartData<T>& validation,
                                                     ThreadPool& pool) {
  const auto context = std::make_shared<Matrix<double>>(validation.encoded.features.rows(),
                                                        validation.encoded.features.cols());
  std::copy(validation.encoded.features.flat().begin(), validation.encoded.features.flat().end(),
            context->data());
  return [&p, &validation, &pool, context](std::span<const T> parameters) {
    const std::vector<double> at(parameters.begin(), parameters.end());
    const gibbs::Utility utility(p.architecture, at, p.settings->temperature, {});
    constexpr Index kRows = 64;
    std::vector<std::int32_t> likeliest(validation.classes.size());
    pool.run((likeliest.size() + kRows - 1) / kRows, [&](std::size_t task) {
      const Index from = static_cast<Index>(task) * kRows, count = std::min(kRows, context->rows() - from);
      Matrix<double> u(count, p.space.classes());
      utility.utilities(std::as_const(*context).view().row_range(from, count), {nullptr, count, 0, 0},
                        u.view());
      const auto top = metrics::top_class(u.view());
      std::copy(top.begin(), top.end(), likeliest.begin() + from);
    });
    return 1 - metrics::accuracy(validation.classes, likeliest, validation.encoded.weights);
  };
}

// What decides about the epoch that is kept, where it is not the validation loss.
template <class T>
std::function<double(std::span<const T>)> monitored(const Prepared& p,
                                                    const std::optional<PartData<T>>& validation,
                                                    ThreadPool& pool) {
  const Monitor monitor = plan_monitor(*p.settings, p.wide);
  if (monitor == Monitor::loss || !validation) return {};
  if (monitor == Monitor::accuracy) return error_rate<T>(p, *validation, pool);
  return [](std::span<const T>) { return std::numeric_limits<double>::quiet_NaN(); };
}

template <class T>
Trained train(const Prepared& p, const FitOptions& options) {
  const Settings& s = *p.settings;
  const TrainingRows<T> training(p);
  const Network<T> network(p.architecture);
  const Objective<T> objective(network, training.objective, training.rows.view());
  std::optional<PartData<T>> validation;
  std::optional<Objective<T>> validation_objective;
  if (!p.split.validation.empty()) {
    // A level that happens to have no training row must not stop the fit.
    validation.emplace(p.encoder.with_unseen(UnseenPolicy::missing), p.space, *p.table, p.split.validation,
                       s.out_of_core);
    validation_objective.emplace(network, training.judging, validation->view());
  }
  const double encoded = training.rows.megabytes() + (validation ? validation->megabytes() : 0);
  const TrainSpec spec = training_spec(p);
  const DeviceChoice where =
      plan_device(s,
                  static_cast<double>(std::min<Index>(spec.batch_size, objective.data().rows) * p.members) *
                      objective.numbers_per_row(),
                  objective.spec().exact.has_value());
  ThreadPool pool(static_cast<std::size_t>(s.threads), where.device);
  const bool curves = has_bends(p.encoder);
  MemberPlan<T> plan{.spec = spec, .members = p.members, .metric = monitored<T>(p, validation, pool)};
  std::optional<double> smoothness = p.first ? p.first->smoothness : std::nullopt;
  plan.spec.bounds = p.guidance ? joint_bounds(p.bounds, p.guidance->bounds) : p.bounds;
  if (curves) {
    const bool classes = p.space.values() == 0;
    const auto decay = [&](double of_bends) {
      const double of_weights =
          classes && s.weight_decay < 0 ? of_bends / kBendsAgainstLine : plan.spec.optimizer.weight_decay;
      return plan_decay(p.architecture, p.encoder, of_weights, of_bends);
    };
    const Strengths tried =
        classes ? class_smoothness(static_cast<double>(p.split.train.size())) : kNumberSmoothness;
    const Objective<T>* held_out = validation_objective ? &*validation_objective : nullptr;
    if (!smoothness)
      smoothness = s.smoothness >= 0
                       ? s.smoothness.value()
                       : chosen_smoothness<T>(objective, held_out, plan.spec, tried, decay, options, pool);
    plan.spec.optimizer.decay = decay(*smoothness);
  }
  if (!p.first) keep_checkpoints(plan, options, table_digest(*p.table), settings_json(s).dump());
  plan.on_start = [&p, resume = plan.on_start](Index member, TrainingState<T>& fresh) {
    if (static_cast<std::size_t>(member) < p.starts.size()) {
      const std::vector<double>& start = p.starts[static_cast<std::size_t>(member)];
      fresh.parameters.assign(start.begin(), start.end());
    }
    if (resume) resume(member, fresh);
  };
  const std::unique_ptr<FoldRows<T>> folds = fold_rows(p, training, network);
  const MemberRows<T> same{&objective, validation_objective ? &*validation_objective : nullptr};
  const auto rows = folds ? folds->of_members(p.members) : std::vector<MemberRows<T>>{same};
  Trained trained{train_members<T>(rows, plan, options, pool), training.support, encoded};
  if (folds) correct_certainty(*folds, p.architecture, pool, trained);
  trained.notes.insert(trained.notes.begin(), trained.learned.notes.begin(), trained.learned.notes.end());
  if (!where.note.empty()) trained.notes.push_back(where.note);
  trained.smoothness = smoothness;
  if (p.readout_unit != 1)
    for (auto& parameters : trained.learned.parameters)
      scale_utility(p.architecture, p.readout_unit, parameters);
  return trained;
}

// The lowest minimum of several starts in canonical form, with its covariances where it is one. Keeps no
// checkpoint: starts run side by side, and a fit that is run again ends with the same bytes.
Trained train_to_minimum(const Prepared& p, int starts, const FitOptions& options) {
  const Settings& s = *p.settings;
  const double started = now();
  const TrainingRows<double> training(p);
  const Network<double> network(p.architecture);
  const Objective<double> objective(network, training.objective, training.rows.view());
  ThreadPool pool(
      static_cast<std::size_t>(s.threads),
      plan_device(s, static_cast<double>(objective.data().rows * starts) * objective.numbers_per_row(),
                  objective.spec().exact.has_value())
          .device);
  inference::EstimateSpec spec;
  spec.minimiser.starts = starts;
  spec.minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) spec.minimiser.iterations = s.epochs;
  watch_minimiser(spec.minimiser, options);
  const inference::Estimate e = inference::estimate(objective, spec, pool);
  Trained out{.learned = {}, .support = training.support, .encoded_megabytes = training.rows.megabytes()};
  FitReport& report = out.learned.report;
  report.reason = e.minimisation.interrupted ? StopReason::interrupted
                  : e.converged              ? StopReason::converged
                                             : StopReason::no_descent;
  report.cause = fmt::format("{} of {} starts ended in the lowest minimum, gradient {:.1e}",
                             e.minimisation.optima[0].starts, e.minimisation.starts, e.gradient);
  report.epochs = report.best_epoch = e.minimisation.best.iterations;
  report.final_loss = e.loss;
  report.gradient_norm = e.minimisation.best.gradient_norm;
  report.seconds = now() - started;
  out.learned.parameters = {e.chart.raw};
  if (e.converged) {
    out.inference = stored_of(e, objective, 0);
    out.inference->facts["digest"] = table_digest(*p.table);
  } else {
    out.notes.push_back("no standard errors: " + e.cause);
  }
  return out;
}

std::string plan_text(const Prepared& p) {
  const Architecture& a = p.architecture;
  std::string layers;
  for (const LayerSpec& layer : a.layers)
    layers += (layers.empty() ? "" : ",") + std::to_string(layer.blocks);
  std::string responses;
  for (const ResponseEncoding& response : p.encoder.responses()) {
    responses +=
        (responses.empty() ? "" : ", ") + response.name +
        (response.is_class() ? fmt::format(" ({} classes)", response.levels.size()) : " (continuous)");
  }
  const ParameterLayout layout(a);
  const std::string joined = p.members > 1 ? fmt::format(" ({} networks joined)", p.members) : "";
  return fmt::format(
      "response  {}\nfeatures  {} columns, encoded as {}\nrows      {} training, {} validation, {} test\n"
      "model     {} form, {}{}, {} parameters",
      responses, p.encoder.features().size(), p.encoder.columns().size(), p.split.train.size(),
      p.split.validation.size(), p.split.test.size(), a.form == Form::scalar ? "scalar" : "vector",
      a.readout.present ? "layers [" + layers + "]" : fmt::format("single block of degree {}", a.degree()),
      joined, layout.free_count());
}

// The parameters of each member of the model to go on from.
std::vector<std::vector<double>> warm_starts(const StoredModel& from, const Architecture& architecture) {
  const Index blocks = from.architecture.layers.empty() ? 0 : from.architecture.layers[0].blocks;
  const Index own = architecture.layers[0].blocks;
  const Index joined = architecture.readout.present && blocks % own == 0 ? blocks / own : 1;
  const Architecture expected = joined > 1 ? joined_architecture(architecture, joined) : architecture;
  if (!(from.architecture == expected))
    throw UsageError(
        "the model to start from has another architecture than these settings make of these data; fit "
        "afresh");
  if (joined == 1) return {from.parameters};
  return split_parameters(architecture, joined, from.parameters);
}

Prepared prepare(const Table& table, const Schema& schema, const Settings& settings,
                 const FitOptions& options) {
  Split split =
      options.parts.empty() ? plan_split(table, schema, settings) : given_split(options.parts, table.rows);
  const StoredModel* from = options.start ? &of_table(*options.start, "a start").stored : nullptr;
  EncodeOptions encoding = encode_options(settings, schema);
  encoding.number = plan_number_policy(settings, schema);
  Encoder encoder = from ? from->encoder : Encoder::fit(table, schema, encoding, split.train);
  ResponseSpace space(encoder);
  const UtilityInputs inputs = utility_inputs(encoder, space);
  const auto train_rows = static_cast<Index>(split.train.size());
  Architecture architecture = plan_architecture(settings, inputs, train_rows);
  const auto directions = feature_directions(encoding.curves, encoder, space);
  const bool to_minimum = plan_starts(settings, architecture) > 0;
  architecture = with_curve_terms(settings, std::move(architecture), encoder, directions, to_minimum);
  require_steps(directions, plan_starts(settings, architecture) > 0);
  refuse_products_of_curves(architecture, encoder);
  const bool wide = plans_wide(settings, inputs, train_rows);
  const Index members =
      plan_members(settings, architecture, wide ? 1 : automatic_members(settings, encoder, train_rows));
  const double readout_unit = plan_readout_unit(settings, space.single_continuous());
  auto starts = from ? warm_starts(*from, architecture) : std::vector<std::vector<double>>{};
  if (readout_unit != 1)
    for (auto& parameters : starts) scale_utility(architecture, 1 / readout_unit, parameters);
  if (!from && space.single_continuous() && plans_exact_number(settings))
    for (Index member = 0; member < members; ++member)
      starts.push_back(exact_starting_values(architecture,
                                             member_seed(static_cast<std::uint64_t>(settings.seed), member)));
  std::vector<Bound> bounds = curve_bounds(architecture, encoder, directions);
  if (!bounds.empty())
    for (auto& parameters : starts) project<double>(bounds, parameters);
  return {.table = &table,
          .settings = &settings,
          .split = std::move(split),
          .encoder = std::move(encoder),
          .space = std::move(space),
          .architecture = std::move(architecture),
          .members = members,
          .wide = wide,
          .readout_unit = readout_unit,
          .starts = std::move(starts),
          .bounds = std::move(bounds),
          .warm = from != nullptr};
}

// The members joined into one, as they are stored; the architecture becomes that of all.
std::vector<double> learned_parameters(Prepared& p, Trained& trained, bool to_minimum,
                                       bool single_precision) {
  std::vector<double> parameters = joined(p.architecture, std::move(trained.learned.parameters));
  // What is read off an identifiable model should not depend on where its training began.
  if (p.settings->identifiable && !to_minimum)
    parameters = inference::canonical_form(p.architecture, parameters).parameters;
  // The model that is evaluated is the one that is stored.
  if (single_precision)
    for (double& value : parameters) value = static_cast<double>(static_cast<float>(value));
  return parameters;
}

// What the model file says about where it comes from.
json information_of(const Prepared& p, const FitReport& report, const FitOptions& options) {
  json out = json::object();
  out["settings"] = settings_json(*p.settings);
  out["data"] = {{"digest", table_digest(*p.table)}, {"rows", p.table->rows}};
  out["split"] = {{"train", p.split.train.size()},
                  {"validation", p.split.validation.size()},
                  {"test", p.split.test.size()}};
  if (!options.parts.empty()) out["split"]["given"] = true;
  if (p.first) out["split"]["refit"] = true;
  if (p.table->image) out["data"]["image"] = {p.table->image->height, p.table->image->width};
  out["training"] = {{"stop_reason", std::string(name(report.reason))},
                     {"stop_cause", report.cause},
                     {"members", p.members},
                     {"epochs", report.epochs},
                     {"best_epoch", report.best_epoch},
                     {"final_loss", report.final_loss},
                     {"gradient_norm", report.gradient_norm},
                     {"history", history_json(report)}};
  return out;
}

// What was decided where the settings left the choice; the architecture is still that of one member.
json used_settings(const Prepared& p, std::optional<double> smoothness, const FitUse& use, int starts) {
  const Settings& s = *p.settings;
  json out = used_model_settings(s, p.architecture, p.members);
  out.update(used_table_settings(s, p.encoder, use.objective));
  out.update(used_training_settings(s, training_spec(p), starts));
  if (s.monitor == "auto") {
    const Monitor monitor = plan_monitor(s, p.wide);
    out["monitor"] = monitor == Monitor::loss ? "loss" : monitor == Monitor::accuracy ? "accuracy" : "none";
  }
  if (s.refit == "auto") out["refit"] = plan_refit(s, p.wide, false) ? "all" : "none";
  if (smoothness) out["smoothness"] = fmt::format("{}", *smoothness);
  return out;
}

// A row that cannot be judged after training is an error before it. Validation rows are encoded first anyway.
void check_held_out(const Prepared& p) {
  if (!p.split.test.empty())
    static_cast<void>(p.encoder.with_unseen(UnseenPolicy::missing).encode<float>(*p.table, p.split.test));
}

// Of the rows that were held out.
void evaluate_parts(const Prepared& p, const FittedModel& model, FitSummary& summary) {
  ThreadPool pool(static_cast<std::size_t>(p.settings->threads));
  const SpillScope scope(p.settings->out_of_core);
  const Encoder lenient = p.encoder.with_unseen(UnseenPolicy::missing);
  if (!p.split.validation.empty())
    summary.validation = evaluate_rows(model, lenient, *p.table, p.split.validation, model.utility, pool);
  if (!p.split.test.empty())
    summary.test = evaluate_rows(model, lenient, *p.table, p.split.test, model.utility, pool);
}

// Weights of classes for decisions by macro F1. Found by the probabilities of validation rows alone.
json found_decisions(const Prepared& p, const FittedModel& model) {
  if (p.space.classes() < 2 || p.space.values() > 0 || p.split.validation.empty()) return nullptr;
  ThreadPool pool(static_cast<std::size_t>(p.settings->threads));
  const SpillScope scope(p.settings->out_of_core);
  const Encoded<double> rows =
      p.encoder.with_unseen(UnseenPolicy::missing).encode<double>(*p.table, p.split.validation);
  const Matrix<double> log_p = class_log_probabilities(model, model.utility, rows.features, pool);
  return {{"macro_f1", metrics::macro_f1_log_weights(log_p.view(), rows.weights)}};
}

// Where held-out rows say that a distribution is not to be trusted as it stands.
std::vector<std::string> distribution_notes(const std::vector<Metric>& metrics, std::size_t rows) {
  constexpr double kNominal = 0.9, kNoticeable = 0.05, kStandardErrors = 3, kWild = -1;
  std::vector<std::string> notes;
  for (const Metric& metric : metrics) {
    const double error = std::sqrt(kNominal * (1 - kNominal) / static_cast<double>(rows));
    if (metric.name == "coverage_90" &&
        std::abs(metric.value - kNominal) > std::max(kNoticeable, kStandardErrors * error))
      notes.push_back(
          fmt::format("90% intervals cover {:.0f}% of the {} test rows: the learned distribution is too {}",
                      100 * metric.value, rows, metric.value < kNominal ? "narrow" : "wide"));
    if (metric.name == "log_likelihood" && metric.value == -std::numeric_limits<double>::infinity())
      notes.emplace_back(
          "test rows lie where the learned distribution has no mass, so their log-likelihood is minus "
          "infinity; "
          "give a wider `support`");
    if (metric.name == "r2" && metric.value < kWild)
      notes.emplace_back(
          "means are dominated by the tail of the distribution and predict badly; use the median or other "
          "quantiles");
  }
  return notes;
}

// What a distribution learned from a handful of rows is worth.
std::optional<std::string> few_rows_note(const Prepared& p) {
  constexpr std::size_t kFewToLearn = 50, kFewToJudge = 20;
  const std::size_t learned = p.split.train.size(), judged = p.split.validation.size() + p.split.test.size();
  if (!p.space.single_continuous() || (learned >= kFewToLearn && judged >= kFewToJudge)) return std::nullopt;
  return fmt::format(
      "{} training, {} validation and {} test rows are few: intervals and figures of this fit "
      "may be off by chance; other values of `seed` show how far",
      learned, p.split.validation.size(), p.split.test.size());
}

void describe_fit(const Prepared& p, const Trained& trained, FitSummary& summary) {
  const FitReport& report = trained.learned.report;
  summary.plan = plan_text(p);
  if (p.settings->schema.empty())
    summary.notes = near_number_notes(*p.table, p.encoder.schema(), split_list(p.settings->nominal));
  const std::vector<std::string> of_encoding = encoding_notes(p.encoder, p.split.train.size());
  summary.notes.insert(summary.notes.end(), of_encoding.begin(), of_encoding.end());
  summary.notes.insert(summary.notes.end(), trained.notes.begin(), trained.notes.end());
  if (const auto few = few_rows_note(p)) summary.notes.push_back(*few);
  for (std::string& note : distribution_notes(summary.test, p.split.test.size()))
    summary.notes.push_back(std::move(note));
  if (report.epochs == 0)
    summary.notes.emplace_back("training ended before one pass over the rows: the model has hardly learned");
  summary.stop_reason = name(report.reason);
  summary.stop_cause = report.cause;
  summary.interrupted = report.reason == StopReason::interrupted;
  summary.epochs = report.epochs;
  summary.best_epoch = report.best_epoch;
  summary.parameters = ParameterLayout(p.architecture).free_count();
  summary.seconds = report.seconds;
  summary.peak_megabytes = peak_megabytes();
  summary.table_megabytes = table_megabytes(*p.table);
  summary.encoded_megabytes = trained.encoded_megabytes;
  summary.train_rows = p.split.train.size();
  summary.validation_rows = p.split.validation.size();
  summary.test_rows = p.split.test.size();
}

// The model as it is stored; `prepared` takes the architecture of all members.
StoredModel stored_model(Prepared& p, Trained& trained, bool to_minimum, const FitOptions& options) {
  const bool single_precision = p.settings->precision != "float64" && !to_minimum;
  p.members = static_cast<Index>(trained.learned.parameters.size());
  std::vector<double> parameters = learned_parameters(p, trained, to_minimum, single_precision);
  StoredModel stored{.architecture = p.architecture,
                     .encoder = p.encoder,
                     .parameters = std::move(parameters),
                     .single_precision = single_precision,
                     .response = trained.support,
                     .temperature = p.settings->temperature,
                     .information = information_of(p, trained.learned.report, options),
                     .inference = std::move(trained.inference)};
  if (trained.smoothness) stored.information["training"]["smoothness"] = *trained.smoothness;
  if (trained.temperature) stored.information["training"]["fold_temperature"] = *trained.temperature;
  return stored;
}

Trained train_steps(const Prepared& p, const FitOptions& options) {
  return p.settings->precision != "float64" ? train<float>(p, options) : train<double>(p, options);
}

// The second part of a fit whose model is to have seen all rows: on from where the first ended.
StoredModel learned_from_all(Prepared p, const Trained& before, std::vector<std::vector<double>> members,
                             const FitOptions& options, Trained& trained) {
  const Split held_out = p.split;
  p.split.train = all_rows(p.table->rows);
  p.split.validation = p.split.test = {};
  const FitReport& report = before.learned.report;
  p.first = {.epochs = report.best_epoch, .seconds = report.seconds, .smoothness = before.smoothness};
  p.starts = std::move(members);
  if (p.readout_unit != 1)
    for (auto& parameters : p.starts) scale_utility(p.architecture, 1 / p.readout_unit, parameters);
  trained = train_steps(p, options);
  trained.learned.report.history.insert(trained.learned.report.history.begin(), report.history.begin(),
                                        report.history.end());
  StoredModel stored = stored_model(p, trained, false, options);
  stored.information["split"]["validation"] = held_out.validation.size();
  stored.information["split"]["test"] = held_out.test.size();
  return stored;
}

// Where new rows stand among those that a model of classes has learned from.
void keep_scores(const Prepared& p, StoredModel& stored, bool all) {
  if (p.space.classes() == 0 || p.space.values() > 0) return;
  ThreadPool pool(static_cast<std::size_t>(p.settings->threads));
  json quantiles = score_quantiles(FittedModel(stored), p.encoder.with_unseen(UnseenPolicy::missing),
                                   *p.table, all ? all_rows(p.table->rows) : p.split.train, pool);
  if (!quantiles.is_null()) stored.information["training_scores"] = std::move(quantiles);
}

}  // namespace

FitSummary fit_table(const Table& table, const Settings& given, const FitOptions& options,
                     const Guidance* guidance) {
  validate(given);
  const Schema schema = plan_schema(table, given);
  const Settings settings = options.training_rows_only ? without_test_part(given, schema) : given;
  Prepared prepared = prepare(table, schema, settings, options);
  prepared.guidance = guidance;
  check_held_out(prepared);

  const int starts = plan_starts(settings, prepared.architecture);
  const FitUse use = fit_use(settings, prepared.space, static_cast<Index>(prepared.split.train.size()),
                             starts, prepared.encoder);
  std::vector<std::string> unused = refused_or_listed(unused_settings(settings, use), options.list_unused);
  const Architecture of_member = prepared.architecture;
  Trained trained = starts > 0 ? train_to_minimum(prepared, starts, options) : train_steps(prepared, options);
  std::vector<std::vector<double>> members = trained.learned.parameters;
  json used = used_settings(prepared, trained.smoothness, use, starts);
  StoredModel stored = stored_model(prepared, trained, starts > 0, options);
  stored.information["used"] = used;
  const auto interim = std::make_shared<const FittedModel>(stored);
  FitSummary summary{.model = Model(interim)};
  summary.unused = std::move(unused);
  if (options.on_trained) options.on_trained(summary.model);
  json decisions;
  try {
    evaluate_parts(prepared, *interim, summary);
    decisions = found_decisions(prepared, *interim);
  } catch (const NumericError& error) {
    trained.notes.push_back(fmt::format("held-out metrics could not be computed: {}", error.what()));
  }
  const bool held_out = !prepared.split.validation.empty() || !prepared.split.test.empty();
  const StopReason stop = trained.learned.report.reason;
  const bool refit = held_out && starts == 0 && stop != StopReason::interrupted &&
                     stop != StopReason::time_limit &&
                     plan_refit(given, prepared.wide, !options.parts.empty());
  if (refit) {
    Prepared again = prepared;
    again.architecture = of_member;
    Trained second;
    stored = learned_from_all(std::move(again), trained, std::move(members), options, second);
    stored.information["used"] = used;
    second.notes = trained.notes;
    second.notes.push_back(
        fmt::format("the model that is kept went on to learn from all {} rows for {} epochs; the metrics are "
                    "those before. `refit` = none leaves that out",
                    table.rows, second.learned.report.epochs));
    second.learned.report.seconds += trained.learned.report.seconds;
    second.encoded_megabytes = std::max(second.encoded_megabytes, trained.encoded_megabytes);
    trained = std::move(second);
  }
  keep_scores(prepared, stored, refit);
  if (!decisions.is_null()) stored.information["decide"] = std::move(decisions);
  stored.information["metrics"] = {{"validation", metrics_json(summary.validation)},
                                   {"test", metrics_json(summary.test)}};
  summary.model = Model(std::make_shared<const FittedModel>(std::move(stored)));
  describe_fit(prepared, trained, summary);
  return summary;
}

}  // namespace bl
