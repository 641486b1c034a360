// A choice model beyond the logit, over a linear utility or a block, fitted by maximum likelihood.
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/beyond_estimate.hpp"
#include "choice/encoded.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "features/beyond_names.hpp"
#include "fitted/choice_utility.hpp"
#include "plan/device_plan.hpp"

namespace bl {

namespace {

// A block reads attributes as they are, as a linear utility does, so that its parameters have their units.
void plan_block(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model) {
  const Settings& s = plan.settings;
  if (!s.identifiable || !s.single)
    throw UsageError(
        "random coefficients, nests, latent classes and scales are for a linear utility or for one "
        "identifiable "
        "block; set `identifiable` and `single`, or make the utility linear");
  if (s.temperature != 1)
    throw UsageError("a `temperature` other than 1 is for networks; " + beyond_words(plan.schema) +
                     " has its scale in the block");
  model.architecture = network_architecture(s, model, parts.train.situations(), plan.job.memory());
  static_cast<void>(choice_utility(model.architecture, false));  // refuses what is no single block
  settle_settings(parts, plan, true, model);
}

}  // namespace

Trained fit_beyond_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  refuse_resume(plan.options, beyond_words(schema));
  Trained out;
  const std::string where =
      plan_device(plan.settings, 0, beyond_words(schema) + " is computed on the processor alone").note;
  if (!where.empty()) out.notes.push_back(where);
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  if (schema.linear)
    model.architecture =
        linear_architecture(linear_terms(schema, response.alternatives), parts.train.attributes.cols(),
                            static_cast<Index>(response.alternatives.size()));
  else
    plan_block(parts, plan, model);
  model.parameters.assign(static_cast<std::size_t>(ParameterLayout(model.architecture).size()), 0.0);
  out.encoded_megabytes = encoded_megabytes<double>(parts.train, 0);
  random_utility::MaximumSpec how;
  if (plan.settings.epochs > 0) how.iterations = plan.settings.epochs.value();
  Estimation found =
      estimate_beyond(model, parts.train, {}, plan.settings, how, {.person = schema.person}, plan.job);
  set_beyond(model, found.estimate.chart.raw);
  out.learned = {.parameters = {found.estimate.chart.raw},
                 .kept = {0},
                 .report = fit_report(found.estimate, found.estimate.cause)};
  for (const std::string& note : found.estimate.notes) out.notes.push_back(note);
  if (!found.estimate.converged) {
    out.notes.push_back("no standard errors: " + found.estimate.cause);
    return out;
  }
  if (!found.estimate.identification.directions.empty())
    out.notes.emplace_back(
        "some combination of parameters does not change the likelihood, so not all have standard errors; its "
        "summary names it");
  out.inference = std::move(found.stored);
  return out;
}

}  // namespace bl
