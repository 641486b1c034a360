#include "bl/fit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/evaluation.hpp"
#include "api/impl.hpp"
#include "api/members.hpp"
#include "api/plan.hpp"
#include "api/table_plan.hpp"
#include "bl/errors.hpp"
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

// Encoded rows of one part, with the storage that the objectives view.
template <class T>
struct PartData {
  Encoded<T> encoded;
  std::vector<std::int32_t> classes;
  std::vector<T> weights;

  PartData(const Encoder& encoder, const ResponseSpace& space, const Table& table,
           std::span<const Index> rows, bool out_of_core)
      : encoded([&] {
          const SpillScope scope(out_of_core);
          return encoder.encode<T>(table, rows);
        }()),
        classes(space.combine(encoded.classes)) {
    weights.assign(encoded.weights.begin(), encoded.weights.end());
  }

  double megabytes() const {
    const auto numbers = encoded.features.flat().size() + encoded.continuous.flat().size() + weights.size();
    return static_cast<double>(numbers * sizeof(T) + classes.size() * sizeof(std::int32_t)) / (1 << 20);
  }

  DatasetView<T> view() const {
    return {.rows = encoded.features.rows(),
            .context = encoded.features.view(),
            .values = encoded.continuous.view(),
            .classes = classes,
            .weights = weights,
            .alternatives = {}};
  }
};

// Every class the same weight in sum; the mean weight stays what it was.
template <class T>
void balance_classes(PartData<T>& part, Index classes) {
  std::vector<double> sums(static_cast<std::size_t>(classes), 0);
  if (part.weights.empty()) part.weights.assign(part.classes.size(), T(1));
  double total = 0;
  for (std::size_t i = 0; i < part.classes.size(); ++i) {
    sums[static_cast<std::size_t>(part.classes[i])] += static_cast<double>(part.weights[i]);
    total += static_cast<double>(part.weights[i]);
  }
  double present = 0;
  for (const double sum : sums) present += sum > 0 ? 1 : 0;
  for (std::size_t i = 0; i < part.classes.size(); ++i)
    part.weights[i] *= static_cast<T>(total / (present * sums[static_cast<std::size_t>(part.classes[i])]));
}

std::vector<std::string> encoding_notes(const Encoder& encoder) {
  std::vector<std::string> notes;
  const EncodingReport& report = encoder.report();
  for (const std::string& name : report.constant)
    notes.push_back(fmt::format("'{}' is constant and left out", name));
  for (const auto& [name, earlier] : report.duplicates)
    notes.push_back(fmt::format("'{}' repeats '{}'; consider --ignore", name, earlier));
  for (const auto& [name, count] : report.missing)
    notes.push_back(fmt::format("'{}' has {} missing training values, filled in and flagged", name, count));
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
  std::vector<std::vector<double>> starts;  // of each member; empty: from the seed
};

struct Trained {
  TrainedMembers learned;
  Support support;
  double encoded_megabytes;
};

template <class T>
Trained train(const Prepared& p, const FitOptions& options) {
  const Settings& s = *p.settings;
  PartData<T> training(p.encoder, p.space, *p.table, p.split.train, s.out_of_core);
  if (s.class_weight == "balanced") {
    if (p.space.classes() == 0) throw UsageError("class_weight = 'balanced' needs a class response");
    balance_classes(training, p.space.classes());
  }
  Matrix<double> train_values(training.encoded.continuous.rows(), training.encoded.continuous.cols());
  for (std::size_t i = 0; i < train_values.flat().size(); ++i)
    train_values.flat()[i] = static_cast<double>(training.encoded.continuous.flat()[i]);
  const Support support = plan_support(s, p.encoder, p.space, train_values);
  const ObjectiveSpec spec = plan_objective(s, p.space, support);
  const Network<T> network(p.architecture);
  const Objective<T> objective(network, spec, training.view());
  std::optional<PartData<T>> validation;
  std::optional<Objective<T>> validation_objective;
  if (!p.split.validation.empty()) {
    // A level that happens to have no training row must not stop the fit.
    validation.emplace(p.encoder.with_unseen(UnseenPolicy::missing), p.space, *p.table, p.split.validation,
                       s.out_of_core);
    validation_objective.emplace(network, spec, validation->view());
  }
  const double encoded = training.megabytes() + (validation ? validation->megabytes() : 0);
  ThreadPool pool(static_cast<std::size_t>(s.threads));
  MemberPlan<T> plan{.spec = plan_training(s, static_cast<Index>(p.split.train.size())),
                     .members = p.members};
  keep_checkpoints(plan, options, table_digest(*p.table), settings_json(s).dump());
  plan.on_start = [&p, resume = plan.on_start](Index member, TrainingState<T>& fresh) {
    if (static_cast<std::size_t>(member) < p.starts.size()) {
      const std::vector<double>& start = p.starts[static_cast<std::size_t>(member)];
      fresh.parameters.assign(start.begin(), start.end());
    }
    resume(member, fresh);
  };
  return {
      train_members(objective, validation_objective ? &*validation_objective : nullptr, plan, options, pool),
      support, encoded};
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
  const StoredModel* from = options.start ? &options.start->impl().stored : nullptr;
  Encoder encoder = from ? from->encoder : Encoder::fit(table, schema, encode_options(settings), split.train);
  ResponseSpace space(encoder);
  Architecture architecture =
      plan_architecture(settings, encoder, space, static_cast<Index>(split.train.size()));
  const Index members = plan_members(settings, architecture);
  auto starts = from ? warm_starts(*from, architecture) : std::vector<std::vector<double>>{};
  return {&table,           &settings,
          std::move(split), std::move(encoder),
          std::move(space), std::move(architecture),
          members,          std::move(starts)};
}

}  // namespace

FitSummary fit(const Data& data, const Settings& given, const FitOptions& options) {
  const Table& table = data.impl().table;
  const Schema schema = plan_schema(table, given);
  const Settings settings = options.training_rows_only ? without_test_part(given, schema) : given;
  Prepared prepared = prepare(table, schema, settings, options);

  const bool single_precision = settings.precision == "float32";
  Trained trained = single_precision ? train<float>(prepared, options) : train<double>(prepared, options);
  std::vector<double> parameters = joined(prepared.architecture, std::move(trained.learned.parameters));
  // The model that is evaluated is the one that is stored.
  if (single_precision)
    for (double& value : parameters) value = static_cast<double>(static_cast<float>(value));
  const FitReport& report = trained.learned.report;

  const ParameterLayout layout(prepared.architecture);
  StoredModel stored{.architecture = prepared.architecture,
                     .encoder = prepared.encoder,
                     .parameters = std::move(parameters),
                     .single_precision = single_precision,
                     .support = std::move(trained.support),
                     .temperature = settings.temperature,
                     .information = json::object()};
  stored.information["settings"] = settings_json(settings);
  stored.information["data"] = {{"digest", table_digest(table)}, {"rows", table.rows}};
  stored.information["split"] = {{"train", prepared.split.train.size()},
                                 {"validation", prepared.split.validation.size()},
                                 {"test", prepared.split.test.size()}};
  if (!options.parts.empty()) stored.information["split"]["given"] = true;
  stored.information["training"] = {{"stop_reason", std::string(name(report.reason))},
                                    {"stop_cause", report.cause},
                                    {"members", prepared.members},
                                    {"epochs", report.epochs},
                                    {"best_epoch", report.best_epoch},
                                    {"final_loss", report.final_loss},
                                    {"gradient_norm", report.gradient_norm},
                                    {"history", history_json(report)}};
  const auto interim = std::make_shared<const Model::Impl>(stored);
  FitSummary summary{.model = Model(interim)};
  ThreadPool pool(static_cast<std::size_t>(settings.threads));
  const SpillScope scope(settings.out_of_core);
  const Encoder lenient = prepared.encoder.with_unseen(UnseenPolicy::missing);
  if (!prepared.split.validation.empty())
    summary.validation =
        evaluate_rows(*interim, lenient, table, prepared.split.validation, interim->utility, pool);
  if (!prepared.split.test.empty())
    summary.test = evaluate_rows(*interim, lenient, table, prepared.split.test, interim->utility, pool);
  stored.information["metrics"] = {{"validation", metrics_json(summary.validation)},
                                   {"test", metrics_json(summary.test)}};
  summary.model = Model(std::make_shared<const Model::Impl>(std::move(stored)));
  summary.plan = plan_text(prepared);
  summary.notes = encoding_notes(prepared.encoder);
  summary.stop_reason = name(report.reason);
  summary.stop_cause = report.cause;
  summary.interrupted = report.reason == StopReason::interrupted;
  summary.epochs = report.epochs;
  summary.best_epoch = report.best_epoch;
  summary.parameters = layout.free_count();
  summary.seconds = report.seconds;
  summary.peak_megabytes = peak_megabytes();
  summary.table_megabytes = table_megabytes(table);
  summary.encoded_megabytes = trained.encoded_megabytes;
  summary.train_rows = prepared.split.train.size();
  summary.validation_rows = prepared.split.validation.size();
  summary.test_rows = prepared.split.test.size();
  return summary;
}

}  // namespace bl
