// A choice model beyond the logit, over a linear utility or a block, fitted by maximum likelihood.
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/beyond_estimate.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "features/beyond_names.hpp"
#include "fitted/choice_utility.hpp"
#include "plan/device_plan.hpp"

namespace bl {

namespace {

// A block reads attributes as they are, as a linear utility does, so that its parameters have their units.
void plan_block(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model, FitSummary& summary) {
  const Settings& s = plan.settings;
  if (!s.identifiable || !s.single)
    throw UsageError(
        "random coefficients, nests, latent classes and scales are for a linear utility or for one "
        "identifiable "
        "block; set `identifiable` and `single`, or leave out `network`");
  if (s.temperature != 1)
    throw UsageError("a `temperature` other than 1 is for networks; " + beyond_words(plan.schema) +
                     " has its scale in the block");
  model.architecture = network_architecture(s, model, parts.train.situations(), plan.job.memory());
  static_cast<void>(choice_utility(model.architecture, false));  // refuses what is no single block
  settle_settings(parts, plan, true, model, summary);
}

}  // namespace

void fit_beyond_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model,
                      FitSummary& summary) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  if (plan.options.resume)
    throw UsageError(beyond_words(schema) + ": such a fit begins anew; leave out `resume`");
  const std::string where =
      plan_device(plan.settings, 0, beyond_words(schema) + " is computed on the processor alone").note;
  if (!where.empty()) summary.notes.push_back(where);
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  if (schema.linear)
    model.architecture =
        linear_architecture(linear_terms(schema, response.alternatives), parts.train.attributes.cols(),
                            static_cast<Index>(response.alternatives.size()));
  else
    plan_block(parts, plan, model, summary);
  model.parameters.assign(static_cast<std::size_t>(ParameterLayout(model.architecture).size()), 0.0);
  random_utility::MaximumSpec how;
  if (plan.settings.epochs > 0) how.iterations = plan.settings.epochs.value();
  ChoiceEstimate found = estimate_beyond(model, parts.train, {}, plan.settings, how,
                                         {.person = schema.person}, plan.job);
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

}  // namespace bl
