#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bl/errors.hpp"
#include "choice/column_moments.hpp"
#include "choice/encoded.hpp"
#include "choice/estimate.hpp"
#include "choice/fit_kinds.hpp"
#include "fit/members.hpp"
#include "inference/canonical.hpp"
#include "plan/device_plan.hpp"
#include "plan/plan.hpp"
#include "plan/unused_settings.hpp"
#include "plan/used_settings.hpp"
#include "training/trainer.hpp"

namespace bl {

void standardize(const ChoiceData& data, ChoiceResponse& response) {
  ColumnMoments moments = column_moments(data.attributes);
  response.means = std::move(moments.means);
  response.scales = std::move(moments.scales);
}

Architecture network_architecture(const Settings& s, const StoredModel& model, Index train_situations,
                                  double memory) {
  Settings scalar = s;
  scalar.form = "scalar";
  return plan_architecture(scalar,
                           {.context = static_cast<Index>(model.encoder.columns().size()),
                            .values = static_cast<Index>(model.choice()->means.size()),
                            .classes = static_cast<Index>(model.choice()->alternatives.size())},
                           train_situations, memory);
}

void settle_settings(const ChoiceParts& parts, const ChoicePlan& fit, bool to_minimum, StoredModel& model,
                     FitSummary& summary) {
  const Settings& s = fit.settings;
  const TrainSpec spec = plan_training(s, parts.train.situations(), false);
  const FitUse use{.to_minimum = to_minimum,
                   .optimizer = spec.optimizer.kind,
                   .curves = has_bends(model.encoder),
                   .text = !model.encoder.text_features().empty()};
  summary.unused = refused_or_listed(unused_settings(s, use), fit.options.list_unused);
  model.information["used"] = used_model_settings(s, model.architecture, plan_members(s, model.architecture));
  model.information["used"].update(used_training_settings(s, spec, plan_starts(s, model.architecture)));
}

namespace {

template <class T>
void train_network(const ChoiceParts& parts, const ChoicePlan& fit, StoredModel& model, FitSummary& summary) {
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
      model.architecture, spec);
  if (response.has_signs()) plan.spec.bounds = monotone_bounds(model.architecture, fit.schema.signs);
  keep_checkpoints(plan, fit.options, fit.identity.data, fit.identity.settings, fit.job);
  TrainedMembers learned = train_members(objective, validation_objective ? &*validation_objective : nullptr,
                                         plan, fit.options, fit.job.on(where.device));
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
void train_to_minimum(const ChoiceParts& parts, const ChoicePlan& fit, int starts, StoredModel& model,
                      FitSummary& summary) {
  const Settings& s = fit.settings;
  static_cast<void>(plan_members(s, model.architecture));  // refuses several
  inference::MinimiserSpec minimiser;
  minimiser.starts = starts;
  minimiser.seed = static_cast<std::uint64_t>(s.seed);
  if (s.epochs > 0) minimiser.iterations = s.epochs;
  const DeviceChoice where = choice_device(s.device.value(), model.architecture, parts.train, starts);
  if (!where.note.empty()) summary.notes.push_back(where.note);
  ChoiceEstimate found = estimate_network(model, parts.train, minimiser, {.person = fit.schema.person},
                                          fit.job.on(where.device));
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

}  // namespace

void fit_network(const ChoiceParts& parts, const ChoicePlan& fit, StoredModel& model, FitSummary& summary) {
  const Settings& s = fit.settings;
  standardize(parts.train, std::get<ChoiceResponse>(model.response));
  model.temperature = s.temperature;
  model.architecture = network_architecture(s, model, parts.train.situations(), fit.job.memory());
  require_context_read(fit.schema, model.architecture);
  const int starts = plan_starts(s, model.architecture);
  settle_settings(parts, fit, starts > 0, model, summary);
  if (starts > 0) return train_to_minimum(parts, fit, starts, model, summary);
  if (s.precision != "float64")
    train_network<float>(parts, fit, model, summary);
  else
    train_network<double>(parts, fit, model, summary);
  // What is read off an identifiable model should not depend on where its training began.
  if (s.identifiable)
    model.parameters = inference::canonical_form(model.architecture, model.parameters).parameters;
}

}  // namespace bl
