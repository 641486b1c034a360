#include "choice/estimation.hpp"

#include "bl/errors.hpp"
#include "choice/beyond_estimate.hpp"
#include "choice/estimate.hpp"
#include "choice/reading.hpp"
#include "choice/undetermined.hpp"
#include "features/beyond_names.hpp"

namespace bl {

namespace {

// Columns by which scores are summed; by person where none is named.
std::vector<std::string> cluster_columns(const ChoiceSchema& schema, const InferenceOptions& options) {
  if (!options.cluster.empty() || options.covariance != "cluster") return options.cluster;
  if (schema.person.empty())
    throw UsageError("the choice schema names no person to cluster by; give a column with `cluster`");
  return {schema.person};
}

Estimation estimate_again(const FittedModel& model, const ChoiceData& choices,
                          const InferenceOptions& options, const ChoiceEstimateSpec& spec,
                          const Context& job) {
  const auto terms = linear_terms(model.choice().schema, model.choice().alternatives);
  const DeviceChoice where =
      choice_device(options.device, model.stored.architecture, choices, options.bootstrap);
  Checkpoint<double> none("", "", "");
  const LinearFit fit = fit_linear(terms, choices, fit_settings(model), false, none, job);
  job.require_going();
  if (!fit.converged() && !separates(terms, choices, fit.coefficients))
    throw NumericError("standard errors hold at the maximum of the likelihood, and none was reached: " +
                       fit.report.cause);
  Estimation out = estimate_linear(terms, fit.coefficients, choices, spec, job.on(where.device));
  out.device_note = where.note;
  return out;
}

Estimation estimate_beyond_again(const FittedModel& model, const ChoiceData& choices,
                                 const InferenceOptions& options, const ChoiceEstimateSpec& spec,
                                 const Context& job) {
  const std::string note =
      plan_device(options.device, 0,
                  beyond_words(model.choice().schema) + " is computed on the processor alone")
          .note;
  Estimation out =
      estimate_beyond(model.stored, choices, model.choice().beyond, fit_settings(model), {}, spec, job);
  out.device_note = note;
  return out;
}

Estimation estimate_from_parameters(const FittedModel& model, const ChoiceData& choices,
                                    const InferenceOptions& options, const ChoiceEstimateSpec& spec,
                                    const Context& job) {
  inference::MinimiserSpec minimiser;
  minimiser.starts = options.starts;
  minimiser.given = {model.stored.parameters};
  minimiser.seed = static_cast<std::uint64_t>(fit_settings(model).seed);
  minimiser.reference = class_of(model, options.reference);
  const DeviceChoice where =
      choice_device(options.device, model.stored.architecture, choices, options.starts + options.bootstrap);
  Estimation out = estimate_network(model.stored, choices, minimiser, spec, job.on(where.device));
  out.device_note = where.note;
  return out;
}

}  // namespace

void check_for_choice(const ChoiceResponse& choice, const InferenceOptions& options) {
  const bool beyond = choice.schema.beyond_logit();
  if (!choice.schema.linear && !beyond) return;
  const std::string what = choice.schema.linear ? "a linear utility of choices" : beyond_words(choice.schema);
  if (options.standardised) throw UsageError(what + " has estimates in the units of its attributes alone");
  if (!options.reference.empty())
    throw UsageError(
        choice.schema.linear
            ? "the reference of a linear utility is that of its choice schema; change it there and fit"
            : what + " has a coefficient of every alternative in every head, and no reference");
  if (options.starts > 0 && !choice.schema.linear)
    throw UsageError(what + " begins at its own estimates again; leave out `starts`, or fit again");
  if (options.starts > 0)
    throw UsageError("the likelihood of a linear utility has one maximum; leave out `starts`");
}

Estimation estimate_choice(const FittedModel& model, const Table& table, const InferenceOptions& options,
                           const Context& job) {
  const ChoiceSchema& schema = model.choice().schema;
  const std::vector<std::string> columns = cluster_columns(schema, options);
  const ChoiceData choices = read_for_estimates(model, table, true);
  ChoiceEstimateSpec spec{.bootstrap = options.bootstrap, .seed = options.seed, .person = schema.person};
  spec.covariance.kind = columns.empty() ? inference::covariance_from_name(options.covariance)
                                         : inference::CovarianceKind::cluster;
  for (const std::string& column : columns)
    spec.covariance.clusters.push_back(group_codes(table, schema, column, choices.rows, "person"));
  Estimation out = (schema.beyond_logit() ? estimate_beyond_again
                    : schema.linear       ? estimate_again
                                          : estimate_from_parameters)(model, choices, options, spec, job);
  out.kind = spec.covariance.kind;
  out.columns = columns;
  return out;
}

}  // namespace bl
