// Summaries of choice models.
#include <fmt/format.h>

#include "api/choice_estimate.hpp"
#include "api/choice_naming.hpp"
#include "api/choice_reading.hpp"
#include "api/impl.hpp"
#include "api/inference_watch.hpp"
#include "bl/choice_inference.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

Index reference_of(const ChoiceModel::Impl& model, const std::string& label) {
  return label.empty() ? 0 : static_cast<Index>(model.alternative(label));
}

void check_for(const ChoiceModel::Impl& model, const InferenceOptions& options) {
  check_options(options);
  if (!model.schema.linear) return;
  if (options.standardised)
    throw UsageError("a linear utility of choices has estimates in the units of its attributes alone");
  if (!options.reference.empty())
    throw UsageError(
        "the reference of a linear utility is that of its choice schema; change it there and fit");
  if (options.starts > 0)
    throw UsageError("the likelihood of a linear utility has one maximum; leave out starts");
}

// Columns by which scores are summed; by person where none is named.
std::vector<std::string> cluster_columns(const ChoiceModel::Impl& model, const InferenceOptions& options) {
  if (!options.cluster.empty() || options.covariance != "cluster") return options.cluster;
  if (model.schema.person.empty())
    throw UsageError("the choice schema names no person to cluster by; give a column with `cluster`");
  return {model.schema.person};
}

// A number for every situation: that of its value in the column, which must be the same on all of its lines.
std::vector<std::int32_t> cluster_numbers(const ChoiceModel::Impl& model, const Data& data,
                                          const std::string& column) {
  ChoiceSchema schema = model.schema;
  schema.person = column;
  const ChoiceData all = read_choices(data.impl().table, schema, true);
  return select_situations(all, fit_situations(model, data)).persons;
}

ChoiceEstimate estimate_of(const ChoiceModel::Impl& model, const ChoiceData& choices,
                           const InferenceOptions& options, const ChoiceEstimateSpec& spec,
                           InferenceWatch& watch) {
  ThreadPool pool(options.threads);
  const Settings settings = choice_settings(model);
  if (!model.schema.linear) {
    inference::MinimiserSpec minimiser;
    minimiser.starts = options.starts;
    minimiser.given = {model.stored.parameters};
    minimiser.seed = static_cast<std::uint64_t>(settings.seed);
    minimiser.reference = reference_of(model, options.reference);
    watch.attach(minimiser);
    return estimate_network(model.stored, model.schema, choices, minimiser, spec, pool);
  }
  const auto terms = linear_terms(model.schema, model.stored.alternatives);
  Settings again = settings;
  again.threads = static_cast<std::int64_t>(options.threads);
  FitOptions fit_options;
  fit_options.should_stop = [&watch, iterations = Index{0}]() mutable {
    watch.tell("iterations", ++iterations, 0);
    return watch.stopped();
  };
  Checkpoint<double> none("", "", "");
  const LinearFit fit = fit_linear(terms, choices, again, fit_options, none);
  watch.require_going();
  if (!fit.converged)
    throw NumericError("standard errors hold at the maximum of the likelihood, and none was reached: " +
                       fit.cause + "; an attribute may separate the choices perfectly");
  return estimate_linear(terms, fit.coefficients, choices, spec, pool);
}

// The model at what was found.
StoredChoice with_estimate(const ChoiceModel::Impl& model, const ChoiceEstimate& found,
                           const std::string& digest) {
  StoredChoice out = model.stored;
  out.parameters = found.estimate.chart.raw;
  if (model.schema.linear) {
    const auto terms = linear_terms(model.schema, out.alternatives);
    out.coefficients = coefficient_errors(terms, out.parameters, found.stored);
    out.covariance = coefficient_covariance(terms.size(), found.stored);
  }
  out.inference = found.stored;
  out.inference->facts["digest"] = digest;
  return out;
}

}  // namespace

bool has_inference(const ChoiceModel& model) {
  return model.impl().stored.inference.has_value();
}

InferenceSummary stored_inference(const ChoiceModel& model, const InferenceOptions& options) {
  const ChoiceModel::Impl& m = model.impl();
  check_for(m, options);
  if (!m.stored.inference) throw NeedsData("this model stores no standard errors; give the data");
  if (!options.cluster.empty() || options.bootstrap > 0)
    throw NeedsData("clusters and bootstraps are computed from rows; give the data");
  const StoredInference& stored = *m.stored.inference;
  const NamedModel named = named_model(m);
  InferenceSummary out = make_summary({.model = &named,
                                       .parameters = &m.stored.parameters,
                                       .stored = &stored,
                                       .covariance = stored_covariance(stored, options.covariance)},
                                      options);
  describe_stored_covariance(stored, options.covariance, out);
  out.response = response_name(m);
  return out;
}

ChoiceInference infer(const ChoiceModel& model, const Data& data, const InferenceOptions& options) {
  const ChoiceModel::Impl& m = model.impl();
  check_for(m, options);
  const std::vector<std::string> columns = cluster_columns(m, options);
  ChoiceData choices = read_part(m, data, Part::all, true);
  choices = select_situations(choices, fit_situations(m, data));
  ChoiceEstimateSpec spec{.bootstrap = options.bootstrap, .seed = options.seed, .person = m.schema.person};
  spec.covariance.kind = columns.empty() ? inference::covariance_from_name(options.covariance)
                                         : inference::CovarianceKind::cluster;
  for (const std::string& column : columns)
    spec.covariance.clusters.push_back(cluster_numbers(m, data, column));
  InferenceWatch watch(options);
  spec.on_step = watch.on_step();
  const ChoiceEstimate found = estimate_of(m, choices, options, spec, watch);
  watch.require_going();
  const NamedModel named = named_model(m);
  require_minimum(found.estimate, named);

  StoredChoice stored = with_estimate(m, found, table_digest(data.impl().table));
  const inference::Bootstrap* resampled = found.resampled ? &*found.resampled : nullptr;
  InferenceSummary out = make_summary({.model = &named,
                                       .parameters = &stored.parameters,
                                       .stored = &*stored.inference,
                                       .covariance = found.estimate.entries,
                                       .bootstrap = resampled},
                                      options);
  describe_covariance(
      {.estimate = &found.estimate, .kind = spec.covariance.kind, .columns = columns, .bootstrap = resampled},
      out);
  out.response = response_name(m);
  return {ChoiceModel(std::make_shared<const ChoiceModel::Impl>(std::move(stored))), std::move(out)};
}

CanonicalChoice canonical(const ChoiceModel& model, const std::string& reference) {
  const ChoiceModel::Impl& m = model.impl();
  if (m.schema.linear)
    throw UsageError("a linear utility of choices has no other form; bl canonical is for networks");
  inference::CanonicalForm form = inference::canonical_form(m.stored.architecture, m.stored.parameters,
                                                            {.reference = reference_of(m, reference)});
  StoredChoice stored = m.stored;
  stored.parameters = std::move(form.parameters);
  stored.inference.reset();
  return {ChoiceModel(std::make_shared<const ChoiceModel::Impl>(std::move(stored))), std::move(form.notes)};
}

}  // namespace bl
