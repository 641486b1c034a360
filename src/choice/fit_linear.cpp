#include "artifact/checkpoint.hpp"
#include "choice/encoded.hpp"
#include "choice/estimate.hpp"
#include "choice/fit_kinds.hpp"
#include "choice/linear.hpp"
#include "choice/undetermined.hpp"
#include "fit/members.hpp"
#include "plan/device_plan.hpp"

namespace bl {

using nlohmann::json;

Trained fit_linear_model(const ChoiceParts& parts, const ChoicePlan& plan, StoredModel& model) {
  const ChoiceSchema& schema = plan.schema;
  ChoiceResponse& response = std::get<ChoiceResponse>(model.response);
  const auto terms = linear_terms(schema, response.alternatives);
  model.architecture = linear_architecture(terms, parts.train.attributes.cols(),
                                           static_cast<Index>(response.alternatives.size()));
  response.means.assign(schema.attributes.size(), 0);
  response.scales.assign(schema.attributes.size(), 1);
  Checkpoint<double> checkpoint(plan.options.checkpoint, plan.identity.data, plan.identity.settings);
  Trained out;
  out.encoded_megabytes = encoded_megabytes<double>(parts.train, 0);
  const std::string where =
      plan_device(plan.settings, 0, "a linear utility of choices is fitted on the processor alone").note;
  if (!where.empty()) out.notes.push_back(where);
  const LinearFit fit =
      fit_linear(terms, parts.train, plan.settings, plan.options.resume, checkpoint, plan.job);
  note_checkpoint(checkpoint.failure(), out.notes);
  out.learned = {.parameters = {fit.coefficients}, .kept = {0}, .report = fit.report};
  model.parameters = fit.coefficients;
  model.parameters.push_back(1);  // lambda
  if (!fit.converged() && !separates(terms, parts.train, fit.coefficients)) {
    out.notes.emplace_back("the likelihood was not maximal yet, so there are no standard errors");
    return out;
  }
  Estimation found =
      estimate_linear(terms, fit.coefficients, parts.train, {.person = schema.person}, plan.job);
  model.parameters = found.estimate.chart.raw;
  if (!found.estimate.converged) {
    out.notes.push_back("no standard errors: " + found.estimate.cause);
    return out;
  }
  for (const json& note : found.stored.facts["notes"]) out.notes.push_back(note.get<std::string>());
  out.inference = std::move(found.stored);
  return out;
}

}  // namespace bl
