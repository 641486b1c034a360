#include "fit/fit_record.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>

#include "inference/canonical.hpp"
#include "plan/plan.hpp"
#include "plan/stored_settings.hpp"
#include "plan/table_plan.hpp"
#include "plan/used_settings.hpp"
#include "plan/wide_plan.hpp"

namespace bl {

using nlohmann::json;

namespace {

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

}  // namespace

FitSource source_of(const Prepared& p) {
  return {.settings = *p.settings,
          .table = p.shared ? p.shared->own : *p.table,
          .digest = p.digest,
          .rows = p.table->rows,
          .train = p.split.train.size(),
          .validation = p.split.validation.size(),
          .test = p.split.test.size()};
}

json information_of(const FitSource& from, const TrainedMembers& learned) {
  const FitReport& report = learned.report;
  json out = {{"data", {{"digest", from.digest}, {"rows", from.rows}}},
              {"split", {{"train", from.train}, {"validation", from.validation}, {"test", from.test}}},
              {"training",
               {{"stop_reason", std::string(name(report.reason))},
                {"stop_cause", report.cause},
                {"members", learned.parameters.size()},
                {"epochs", report.epochs},
                {"best_epoch", report.best_epoch},
                {"final_loss", report.final_loss},
                {"gradient_norm", report.gradient_norm},
                {"history", history_json(report)}}}};
  store_settings(from.settings, out);
  return out;
}

void describe_fit(const FitSource& from, const Trained& trained, FitSummary& summary) {
  const FitReport& report = trained.learned.report;
  summary.stop_reason = name(report.reason);
  summary.stop_cause = report.cause;
  summary.interrupted = report.reason == StopReason::interrupted;
  summary.epochs = report.epochs;
  summary.best_epoch = report.best_epoch;
  summary.seconds = report.seconds;
  summary.peak_megabytes = peak_megabytes();
  summary.table_megabytes = table_megabytes(from.table);
  summary.encoded_megabytes = trained.encoded_megabytes;
  summary.train_rows = from.train;
  summary.validation_rows = from.validation;
  summary.test_rows = from.test;
}

json held_out_metrics(const FitSummary& summary) {
  const auto by_name = [](const std::vector<Metric>& metrics) {
    json object = json::object();
    for (const Metric& metric : metrics) object[metric.name] = metric.value;
    return object;
  };
  return {{"validation", by_name(summary.validation)}, {"test", by_name(summary.test)}};
}

json used_settings(const Prepared& p, const Trained& trained, const FitUse& use, int starts) {
  const Settings& s = *p.settings;
  json out = used_model_settings(s, p.architecture, p.members);
  out.update(used_table_settings(s, p.encoder, use.objective, p.knots));
  out.update(used_training_settings(s, training_spec(p), starts));
  if (s.monitor == "auto") {
    const Monitor monitor = plan_monitor(s, p.wide);
    out["monitor"] = monitor == Monitor::loss ? "loss" : monitor == Monitor::accuracy ? "accuracy" : "none";
  }
  if (s.shifts == "auto") out["shifts"] = p.shifts ? "pixel" : "none";
  if (s.refit == "auto") out["refit"] = plan_refit(s, p.wide, false) ? "all" : "none";
  if (trained.smoothness) out["smoothness"] = fmt::format("{}", *trained.smoothness);
  if (trained.decay) out["weight_decay"] = fmt::format("{}", *trained.decay);
  return out;
}

StoredModel stored_model(Prepared& p, Trained& trained, bool to_minimum, const FitOptions& options) {
  const bool single_precision = p.settings->precision != "float64" && !to_minimum;
  p.members = static_cast<Index>(trained.learned.parameters.size());
  json information = information_of(source_of(p), trained.learned);
  if (!options.parts.empty()) information["split"]["given"] = true;
  if (p.first) information["split"]["refit"] = true;
  if (p.table->image) information["data"]["image"] = {p.table->image->height, p.table->image->width};
  if (trained.smoothness) information["training"]["smoothness"] = *trained.smoothness;
  if (trained.temperature) information["training"]["fold_temperature"] = *trained.temperature;
  if (trained.inference) trained.inference->facts["digest"] = p.digest;
  std::vector<double> parameters = learned_parameters(p, trained, to_minimum, single_precision);
  return {.architecture = p.architecture,
          .encoder = p.encoder,
          .parameters = std::move(parameters),
          .single_precision = single_precision,
          .response = trained.support,
          .temperature = p.settings->temperature,
          .information = std::move(information),
          .inference = std::move(trained.inference)};
}

}  // namespace bl
