#include "artifact/checkpoint.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/beyond_estimate.hpp"
#include "choice/estimate.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "choice/undetermined.hpp"
#include "fit/members.hpp"
#include "plan/device_plan.hpp"

namespace bl {

using nlohmann::json;

void fit_linear_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model,
                      FitSummary& summary) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  const auto terms = linear_terms(schema, response.alternatives);
  model.architecture = linear_architecture(terms, parts.train.attributes.cols(),
                                           static_cast<Index>(response.alternatives.size()));
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  Checkpoint<double> checkpoint(plan.options.checkpoint, plan.identity.data, plan.identity.settings);
  const std::string where =
      plan_device(plan.settings, 0, "a linear utility of choices is fitted on the processor alone").note;
  if (!where.empty()) summary.notes.push_back(where);
  const LinearFit fit =
      fit_linear(terms, parts.train, plan.settings, plan.options.resume, checkpoint, plan.job);
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
  ChoiceEstimate found =
      estimate_linear(terms, fit.coefficients, parts.train, {.person = schema.person}, plan.job);
  model.parameters = found.estimate.chart.raw;
  if (!found.estimate.converged) {
    summary.notes.push_back("no standard errors: " + found.estimate.cause);
    return;
  }
  for (const json& note : found.stored.facts["notes"]) summary.notes.push_back(note.get<std::string>());
  model.inference = std::move(found.stored);
  model.inference->facts["digest"] = plan.identity.data;
}

}  // namespace bl
