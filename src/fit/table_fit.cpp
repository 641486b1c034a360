#include "fit/table_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bl/errors.hpp"
#include "features/shared_encoder.hpp"
#include "fit/fit_notes.hpp"
#include "fit/fit_record.hpp"
#include "fit/prepared.hpp"
#include "fit/trained.hpp"
#include "metrics/decision.hpp"
#include "model/join.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"
#include "plan/unused_settings.hpp"
#include "plan/wide_plan.hpp"
#include "predict/evaluation.hpp"
#include "predict/unusual_rows.hpp"

namespace bl {

namespace {

using nlohmann::json;

// Of the rows that were held out; returns what is to be known about the figures.
std::vector<std::string> evaluate_parts(const Prepared& p, const FittedModel& model, const Context& job,
                                        FitSummary& summary) {
  const SpillScope scope(p.settings->out_of_core);
  const Encoder lenient = p.encoder.with_unseen(UnseenPolicy::missing);
  RowNotes notes;
  if (!p.split.validation.empty())
    summary.validation =
        evaluate_rows(model, lenient, *p.table, p.split.validation, model.utility, job, &notes, p.shared);
  if (!p.split.test.empty())
    summary.test =
        evaluate_rows(model, lenient, *p.table, p.split.test, model.utility, job, &notes, p.shared);
  if (p.shared) notes.join(*p.shared->ranks);
  return notes.texts();
}

// Weights of classes for decisions by macro F1. Found by the probabilities of validation rows alone.
json found_decisions(const Prepared& p, const FittedModel& model, const Context& job) {
  if (p.space.classes() < 2 || p.space.values() > 0 || p.split.validation.empty()) return nullptr;
  const SpillScope scope(p.settings->out_of_core);
  const PredictedRows rows(p.encoder.with_unseen(UnseenPolicy::missing), *p.table, p.shared,
                           p.split.validation);
  const Matrix<double> log_p = class_log_probabilities(model, model.utility, rows, job);
  return {{"macro_f1", metrics::macro_f1_log_weights(log_p.view(), rows.encoded().weights)}};
}

// The second part of a fit whose model is to have seen all rows: on from where the first ended. `trained` is
// the first part and becomes the second.
StoredModel learned_from_all(Prepared p, std::vector<std::vector<double>> members, const FitOptions& options,
                             const Context& job, Trained& trained) {
  const Trained before = std::move(trained);
  const Split held_out = p.split;
  p.split.train = rows_of_all_parts(held_out);
  p.split.validation = p.split.test = {};
  const FitReport& report = before.learned.report;
  p.first = {.epochs = report.best_epoch,
             .seconds = report.seconds,
             .smoothness = before.smoothness,
             .decay = before.decay};
  p.starts = std::move(members);
  if (p.readout_unit != 1)
    for (auto& parameters : p.starts) scale_utility(p.architecture, 1 / p.readout_unit, parameters);
  trained = train_steps(p, options, job);
  FitReport& second = trained.learned.report;
  second.history.insert(second.history.begin(), report.history.begin(), report.history.end());
  StoredModel stored = stored_model(p, trained, false, options);
  stored.information["split"]["validation"] = held_out.validation.size();
  stored.information["split"]["test"] = held_out.test.size();
  trained.notes = before.notes;
  trained.notes.push_back(
      fmt::format("the model that is kept went on to learn from all {} rows for {} epochs; the metrics are "
                  "those before. `refit` = none leaves that out",
                  p.split.train.size(), second.epochs));
  second.seconds += report.seconds;
  trained.encoded_megabytes = std::max(trained.encoded_megabytes, before.encoded_megabytes);
  return stored;
}

// Where new rows stand among those that a model of classes has learned from.
void keep_scores(const Prepared& p, bool all, const Context& job, StoredModel& stored) {
  if (p.space.classes() == 0 || p.space.values() > 0) return;
  json quantiles = score_quantiles(FittedModel(stored), p.encoder.with_unseen(UnseenPolicy::missing),
                                   *p.table, all ? rows_of_all_parts(p.split) : p.split.train, job, p.shared);
  if (!quantiles.is_null()) stored.information["training_scores"] = std::move(quantiles);
}

// Whether what was learned goes on to learn from all rows.
bool goes_on(const Prepared& p, const Trained& trained) {
  const StopReason stop = trained.learned.report.reason;
  return p.rows_later > 0 && stop != StopReason::interrupted && stop != StopReason::time_limit;
}

// Learns, judges and records what was prepared. asked: the settings as they were given.
FitSummary fit_prepared(Prepared prepared, const Settings& asked, const FitOptions& options,
                        const Context& job) {
  const Settings& settings = *prepared.settings;
  check_held_out(prepared);

  const int starts = plan_starts(settings, prepared.architecture);
  FitUse use = fit_use(settings, prepared.space, static_cast<Index>(prepared.split.train.size()), starts,
                       prepared.encoder);
  use.parts = !options.parts.empty();
  if (options.start) use.start = fit_settings(options.start->impl());
  std::vector<std::string> unused = refused_or_listed(unused_settings(asked, use), options.list_unused);
  const Architecture of_member = prepared.architecture;
  // To the minimum it has seen all rows.
  if (prepared.refits && starts == 0) prepared.rows_later = rows_of_all_parts(prepared.split).size();
  Trained trained =
      starts > 0 ? train_to_minimum(prepared, starts, options, job) : train_steps(prepared, options, job);
  std::vector<std::vector<double>> members = trained.learned.parameters;
  json used = used_settings(prepared, trained, use, starts);
  StoredModel stored = stored_model(prepared, trained, starts > 0, options);
  stored.information["used"] = used;
  const auto interim = std::make_shared<const FittedModel>(stored);
  FitSummary summary{.model = Model(interim)};
  summary.unused = std::move(unused);
  if (options.on_trained) options.on_trained(summary.model);
  json decisions;
  try {
    for (std::string& note : evaluate_parts(prepared, *interim, job, summary))
      trained.notes.push_back(std::move(note));
    decisions = found_decisions(prepared, *interim, job);
  } catch (const NumericError& error) {
    trained.notes.push_back(fmt::format("held-out metrics could not be computed: {}", error.what()));
  }
  const bool refit = goes_on(prepared, trained);
  if (refit) {
    Prepared again = prepared;
    again.rows_later = 0;
    again.architecture = of_member;
    stored = learned_from_all(std::move(again), std::move(members), options, job, trained);
    stored.information["used"] = used;
  }
  keep_scores(prepared, refit, job, stored);
  if (!decisions.is_null()) stored.information["decide"] = std::move(decisions);
  stored.information["metrics"] = held_out_metrics(summary);
  summary.model = Model(std::make_shared<const FittedModel>(std::move(stored)));
  describe_fit(source_of(prepared), trained, summary);
  summary.plan = plan_text(prepared);
  summary.notes = fit_notes(prepared, trained, summary.test);
  summary.parameters = ParameterLayout(prepared.architecture).free_count();
  return summary;
}

// Why the rows of a fit cannot lie with several ranks; empty: they can.
std::string why_whole(const Schema& schema, const FitOptions& options) {
  for (const SchemaColumn* column : schema.with_role(Role::feature))
    if (column->type == ColumnType::text) return fmt::format("'{}' is running text", column->name);
  if (schema.with_role(Role::feature).empty()) return "the model has no features";
  if (schema.with_role(Role::response).size() > 1) return "the model has several responses";
  return options.start ? "the fit goes on from a model" : "";
}

std::string why_whole(const Prepared& p) {
  if (plan_starts(*p.settings, p.architecture) > 0) return "the fit goes to the minimum";
  if (p.wide) return "the inputs are wide";
  const bool few = p.space.single_continuous() && p.split.train.size() < kFewRowsForNumber;
  return few ? "a number is learned from few rows" : "";
}

FitSummary fit_gathered(const SharedTable& shared, const Settings& given, const FitOptions& options,
                        const Context& job, const std::string& why) {
  FitSummary summary = fit_table(shared.gathered(), given, options, job);
  summary.notes.push_back(fmt::format("every rank holds all rows: {}", why));
  return summary;
}

}  // namespace

Context fit_context(const Settings& settings, const FitOptions& options) {
  validate(settings);
  ContextHooks hooks{.should_stop = options.should_stop, .keeps = true};
  if (options.on_progress)
    hooks.on_progress = [tell = options.on_progress](double seconds, const std::string& text) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      tell({.text = text,
            .train_loss = kNone,
            .validation_loss = kNone,
            .best = kNone,
            .seconds = seconds,
            .seconds_left = kNone});
    };
  return Context(static_cast<std::size_t>(settings.threads), std::move(hooks));
}

FitSummary fit_table(const Table& table, const Settings& given, const FitOptions& options, const Context& job,
                     const Guidance* guidance) {
  validate(given);
  const Schema schema = plan_schema(table, given);
  const Settings settings = options.training_rows_only ? without_test_part(given, schema) : given;
  Prepared prepared = prepare(table, schema, settings, given, options, job);
  prepared.guidance = guidance;
  return fit_prepared(std::move(prepared), given, options, job);
}

FitSummary fit_table(const SharedTable& shared, const Settings& given, const FitOptions& options,
                     const Context& job) {
  validate(given);
  Table known = shared.head();
  const Schema schema = plan_schema(known, given, shared.whole_columns());
  if (const std::string why = why_whole(schema, options); !why.empty())
    return fit_gathered(shared, given, options, job, why);
  gather_known(shared, schema, known);
  const Settings settings = options.training_rows_only ? without_test_part(given, schema) : given;
  Prepared prepared = prepare(known, schema, settings, given, options, job, &shared);
  if (const std::string why = why_whole(prepared); !why.empty())
    return fit_gathered(shared, given, options, job, why);
  return fit_prepared(std::move(prepared), given, options, job);
}

}  // namespace bl
