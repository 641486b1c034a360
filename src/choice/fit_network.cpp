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

void settle_settings(const ChoiceParts& parts, const ChoicePlan& fit, bool to_minimum, StoredModel& model) {
  const Settings& s = fit.settings;
  const TrainSpec spec = plan_training(s, parts.train.situations(), false);
  const FitUse use{.to_minimum = to_minimum,
                   .optimizer = spec.optimizer.kind,
                   .curves = has_bends(model.encoder),
                   .text = !model.encoder.text_features().empty()};
  fit.unused = refused_or_listed(unused_settings(s, use), fit.options.list_unused);
  model.information["used"] = used_model_settings(s, model.architecture, plan_members(s, model.architecture));
  model.information["used"].update(used_training_settings(s, spec, plan_starts(s, model.architecture)));
}

namespace {

template <class T>
Trained train_network(const ChoiceParts& parts, const ChoicePlan& fit, StoredModel& model) {
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
  Trained out;
  out.learned = train_members(objective, validation_objective ? &*validation_objective : nullptr, plan,
                              fit.options, fit.job.on(where.device));
  out.encoded_megabytes = encoded_megabytes<T>(parts.train, training.context.cols()) +
                          encoded_megabytes<T>(parts.validation, training.context.cols());
  out.notes = out.learned.notes;
  if (!where.note.empty()) out.notes.push_back(where.note);
  model.information["members"] = out.learned.parameters.size();
  model.parameters = joined(model.architecture, out.learned.parameters);
  return out;
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

Trained search_network(const ChoiceParts& parts, const ChoicePlan& fit, int starts, StoredModel& model) {
  const Settings& s = fit.settings;
  static_cast<void>(plan_members(s, model.architecture));  // refuses several
  const DeviceChoice where = choice_device(s.device.value(), model.architecture, parts.train, starts);
  Trained out =
      train_to_minimum(s, starts, fit.options, fit.job, [&](const inference::MinimiserSpec& minimiser) {
        return estimate_network(model, parts.train, minimiser, {.person = fit.schema.person},
                                fit.job.on(where.device));
      });
  out.encoded_megabytes =
      encoded_megabytes<double>(parts.train, static_cast<Index>(model.encoder.columns().size()));
  if (!where.note.empty()) out.notes.push_back(where.note);
  model.parameters = out.learned.parameters[0];
  return out;
}

}  // namespace

Trained fit_network(const ChoiceParts& parts, const ChoicePlan& fit, StoredModel& model) {
  const Settings& s = fit.settings;
  standardize(parts.train, std::get<ChoiceResponse>(model.response));
  model.temperature = s.temperature;
  model.architecture = network_architecture(s, model, parts.train.situations(), fit.job.memory());
  require_context_read(fit.schema, model.architecture);
  const int starts = plan_starts(s, model.architecture);
  settle_settings(parts, fit, starts > 0, model);
  if (starts > 0) return search_network(parts, fit, starts, model);
  Trained out = (s.precision != "float64" ? train_network<float> : train_network<double>)(parts, fit, model);
  // What is read off an identifiable model should not depend on where its training began.
  if (s.identifiable)
    model.parameters = inference::canonical_form(model.architecture, model.parameters).parameters;
  return out;
}

}  // namespace bl
