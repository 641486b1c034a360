#include "choice/estimate.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include "bl/errors.hpp"
#include "choice/encoded.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

using nlohmann::json;

// A signed coefficient below this (per deviation of its attribute) is at zero.
constexpr double kAtBound = 1e-5;

std::size_t person_count(const ChoiceData& data) {
  return std::set<std::int32_t>(data.persons.begin(), data.persons.end()).size();
}

// What is computed where the objective can still be evaluated.
struct FromRows {
  std::optional<inference::Covariance> by_person = {};
  std::optional<inference::Bootstrap> resampled = {};
};

FromRows from_rows(const Objective<double>& objective, const inference::Estimate& e, const ChoiceData& data,
                   const inference::EstimateSpec& fit, const ChoiceEstimateSpec& spec, ThreadPool& pool) {
  FromRows out;
  if (!e.converged) return out;
  if (!spec.person.empty() && person_count(data) > 1) {
    inference::Loss loss(objective, fit.minimiser.seed, pool);
    loss.watch(fit.on_step);
    out.by_person =
        inference::covariance(loss, e.chart, e.information, e.identification,
                              {.kind = inference::CovarianceKind::cluster, .clusters = {data.persons}});
  }
  if (spec.bootstrap > 0)
    out.resampled =
        inference::bootstrap(objective, e, fit,
                             {.resamples = spec.bootstrap,
                              .seed = spec.seed,
                              .clusters = spec.covariance.clusters.empty() ? std::vector<std::int32_t>()
                                                                           : spec.covariance.clusters[0]},
                             pool);
  return out;
}

StoredInference stored_choice(const inference::Estimate& e, const Objective<double>& objective,
                              const ChoiceData& data, const FromRows& rows, const ChoiceEstimateSpec& spec,
                              Index reference) {
  if (!e.converged) return {};
  StoredInference out = stored_of(e, objective, reference);
  out.facts["choice"] = choice_facts(data);
  if (!rows.by_person) return out;
  out.cluster = row_major(entry_covariance(e.chart, e.identification, rows.by_person->coordinates));
  out.facts["cluster"] = {{"column", spec.person},
                          {"count", rows.by_person->cluster_counts[0]},
                          {"factor", rows.by_person->factor}};
  return out;
}

// From attributes of deviation 1 to their own units: coefficient = scaled coefficient / scale. `scales` has
// one per free entry.
void in_own_units(const std::vector<double>& scales, inference::Estimate& e, FromRows& rows) {
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const auto position = static_cast<std::size_t>(e.chart.positions[k]);
    e.chart.raw[position] /= scales[k];
    e.chart.effective[position] /= scales[k];
    e.chart.tangent.row(static_cast<Index>(k)) /= scales[k];
    if (rows.resampled) rows.resampled->draws.col(static_cast<Index>(k)) /= scales[k];
  }
  e.identification = inference::identify(e.information.hessian, e.chart);
  e.entries = entry_covariance(e.chart, e.identification, e.covariance.coordinates);
  e.minimisation.best.parameters = e.chart.raw;
}

}  // namespace

json choice_facts(const ChoiceData& data) {
  double null = 0;
  for (Index i = 0; i < data.situations(); ++i) {
    const double weight = data.weights.empty() ? 1 : data.weights[static_cast<std::size_t>(i)];
    null -= weight * std::log(static_cast<double>(data.size(i)));
  }
  return {{"alternatives", data.alternatives.size()},
          {"persons", person_count(data)},
          {"null_log_likelihood", null}};
}

ChoiceEstimate estimate_linear(const std::vector<LinearTerm>& terms, const std::vector<double>& coefficients,
                               const ChoiceData& data, const ChoiceEstimateSpec& spec, ThreadPool& pool) {
  const ScaledChoices scaled(terms, data);
  std::vector<double> raw(static_cast<std::size_t>(scaled.network.layout().size()), 1.0);  // lambda
  const Index weight = scaled.network.layout().tensor("layers/0/U/weight").offset;
  std::vector<Index> inside, at_bound;  // positions
  std::vector<double> scales;           // of those inside
  for (std::size_t k = 0; k < terms.size(); ++k) {
    double& value = raw[static_cast<std::size_t>(weight) + k];
    value = coefficients[k] * scaled.scale(terms[k]);
    const bool bound = terms[k].sign != 0 && std::abs(value) < kAtBound;
    if (bound) value = 0;
    (bound ? at_bound : inside).push_back(weight + static_cast<Index>(k));
    if (!bound) scales.push_back(scaled.scale(terms[k]));
  }
  ChoiceEstimate out;
  if (inside.empty()) {
    out.estimate.chart = inference::plain_chart(scaled.network.architecture(), std::move(raw), {});
    out.estimate.cause = "every coefficient is held at the bound of its sign";
    return out;
  }
  inference::EstimateSpec fit;
  fit.covariance = spec.covariance;
  fit.on_step = spec.on_step;
  out.estimate = inference::estimate_entries(scaled.objective, std::move(raw), inside, fit, pool);
  FromRows rows = from_rows(scaled.objective, out.estimate, data, fit, spec, pool);
  in_own_units(scales, out.estimate, rows);
  out.stored = stored_choice(out.estimate, scaled.objective, data, rows, spec, 0);
  if (out.estimate.converged && !at_bound.empty()) out.stored.facts["at_bound"] = at_bound;
  out.resampled = std::move(rows.resampled);
  return out;
}

ChoiceEstimate estimate_network(const StoredModel& model, const ChoiceData& data,
                                const inference::MinimiserSpec& minimiser, const ChoiceEstimateSpec& spec,
                                ThreadPool& pool) {
  const ChoiceResponse& response = *model.choice();
  if (response.has_signs())
    throw UsageError(
        "a network whose attributes have signs is held within bounds that standard errors do not know of; "
        "leave out signs, or use a linear utility");
  const EncodedChoices<double> encoded(data, model.encoder, response);
  const Network<double> network(model.architecture);
  ObjectiveSpec objective_spec;
  objective_spec.temperature = model.temperature;
  const Objective<double> objective(network, objective_spec, encoded.view());
  inference::EstimateSpec fit;
  fit.minimiser = minimiser;
  fit.covariance = spec.covariance;
  fit.on_step = spec.on_step;
  ChoiceEstimate out;
  out.estimate = inference::estimate(objective, fit, pool);
  FromRows rows = from_rows(objective, out.estimate, data, fit, spec, pool);
  out.stored = stored_choice(out.estimate, objective, data, rows, spec, minimiser.reference);
  out.resampled = std::move(rows.resampled);
  return out;
}

}  // namespace bl
