#include "choice/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bl/errors.hpp"
#include "choice/encoded.hpp"
#include "choice/undetermined.hpp"
#include "inference/ridge.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

using nlohmann::json;

// A signed coefficient below this (per standard deviation of its attribute) is at zero.
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
                   const inference::EstimateSpec& fit, const ChoiceEstimateSpec& spec, const Context& job) {
  FromRows out;
  if (!e.converged) return out;
  if (!spec.person.empty() && person_count(data) > 1) {
    const auto engine = make_engine<double>(job);
    inference::Loss loss(objective, fit.minimiser.seed, *engine);
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
                             job);
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

// From attributes of standard deviation 1 to their own units: coefficient = scaled coefficient / scale.
// `scales` has one per free entry.
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

// The coefficients that are not free entries of the chart, as in_own_units does with those that are.
void in_own_units_held(const std::vector<LinearTerm>& terms, const ScaledChoices& scaled, Index weight,
                       inference::Chart& chart) {
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Index position = weight + static_cast<Index>(k);
    if (std::find(chart.positions.begin(), chart.positions.end(), position) != chart.positions.end())
      continue;
    chart.raw[static_cast<std::size_t>(position)] /= scaled.scale(terms[k]);
    chart.effective[static_cast<std::size_t>(position)] /= scaled.scale(terms[k]);
  }
}

// Which coefficients are estimated, and why the others are not.
struct Held {
  std::vector<Index> inside, at_bound;  // positions
  std::vector<double> scales;           // of those inside
  std::vector<Undetermined> lost;

  Held(const std::vector<LinearTerm>& terms, const ScaledChoices& scaled, std::vector<Undetermined> not_there,
       std::span<double> values, Index weight)
      : lost(std::move(not_there)) {
    std::vector<bool> gone(terms.size(), false);
    for (const Undetermined& one : lost) gone[one.term] = true;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (gone[k]) continue;
      const bool bound = terms[k].sign != 0 && std::abs(values[k]) < kAtBound;
      if (bound) values[k] = 0;
      (bound ? at_bound : inside).push_back(weight + static_cast<Index>(k));
      if (!bound) scales.push_back(scaled.scale(terms[k]));
    }
  }

  void write(const std::vector<LinearTerm>& terms, Index weight, StoredInference& out) const {
    if (!at_bound.empty()) out.facts["at_bound"] = at_bound;
    if (lost.empty()) return;
    for (const Undetermined& one : lost)
      out.facts["held"].push_back({weight + static_cast<Index>(one.term), one.reason});
    out.facts["notes"].push_back(undetermined_words(terms, lost));
  }
};

// Every coefficient that counts, where their own direction separates the choices.
std::vector<Undetermined> perfectly_separated(const std::vector<LinearTerm>& terms, const ChoiceData& data,
                                              const std::vector<double>& coefficients) {
  std::vector<Undetermined> out;
  if (!separates(terms, data, coefficients)) return out;
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (coefficients[k] != 0) out.push_back({k, "separated perfectly", true});
  return out;
}

// Coefficients of directions without information along which the choices are separated.
std::vector<Undetermined> separated_together(const std::vector<LinearTerm>& terms, const ChoiceData& data,
                                             const ScaledChoices& scaled, Index weight,
                                             const inference::Estimate& e) {
  std::vector<Undetermined> out;
  for (const inference::Direction& direction : e.identification.directions) {
    std::vector<double> along(terms.size(), 0), against(terms.size(), 0);
    std::vector<std::string> names;
    for (const auto& [position, value] : direction.entries) {
      const auto k = static_cast<std::size_t>(position - weight);
      along[k] = value / scaled.scale(terms[k]);
      against[k] = -along[k];
      names.push_back(terms[k].name);
    }
    if (!separates(terms, data, along) && !separates(terms, data, against)) continue;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const bool known = std::any_of(out.begin(), out.end(), [&](const auto& one) { return one.term == k; });
      if (along[k] == 0 || known) continue;
      const auto other =
          std::find_if(names.begin(), names.end(), [&](const auto& n) { return n != terms[k].name; });
      out.push_back({k, "separated together with " + (other == names.end() ? terms[k].name : *other), true});
    }
  }
  return out;
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

Estimation estimate_linear(const std::vector<LinearTerm>& terms, const std::vector<double>& coefficients,
                           const ChoiceData& data, const ChoiceEstimateSpec& spec, const Context& job) {
  const ScaledChoices scaled(terms, data);
  std::vector<double> raw(static_cast<std::size_t>(scaled.network.layout().size()), 1.0);  // lambda
  const Index weight = scaled.network.layout().tensor("layers/0/U/weight").offset;
  const auto values = std::span(raw).subspan(static_cast<std::size_t>(weight), terms.size());
  for (std::size_t k = 0; k < terms.size(); ++k) values[k] = coefficients[k] * scaled.scale(terms[k]);
  inference::EstimateSpec fit;
  fit.covariance = spec.covariance;
  std::vector<Undetermined> lost = perfectly_separated(terms, data, coefficients);
  if (lost.empty()) {
    lost = undetermined_terms(terms, data);
    for (Undetermined& one : separated_at(terms, data, coefficients, lost)) lost.push_back(std::move(one));
  }
  Estimation out;
  for (;;) {
    const Held held(terms, scaled, lost, values, weight);
    if (held.inside.empty()) {
      out.estimate.chart = inference::plain_chart(scaled.network.architecture(), raw, {});
      in_own_units_held(terms, scaled, weight, out.estimate.chart);
      out.estimate.cause = lost.empty() ? "every coefficient is held at the bound of its sign"
                                        : undetermined_words(terms, lost);
      return out;
    }
    out.estimate = inference::estimate_entries(scaled.objective, raw, held.inside, fit, job);
    const auto more = separated_together(terms, data, scaled, weight, out.estimate);
    if (!more.empty()) {
      lost.insert(lost.end(), more.begin(), more.end());
      continue;
    }
    FromRows rows = from_rows(scaled.objective, out.estimate, data, fit, spec, job);
    in_own_units(held.scales, out.estimate, rows);
    in_own_units_held(terms, scaled, weight, out.estimate.chart);
    out.estimate.minimisation.best.parameters = out.estimate.chart.raw;
    out.stored = stored_choice(out.estimate, scaled.objective, data, rows, spec, 0);
    if (out.estimate.converged) held.write(terms, weight, out.stored);
    out.resampled = std::move(rows.resampled);
    return out;
  }
}

Estimation estimate_network(const StoredModel& model, const ChoiceData& data,
                            const inference::MinimiserSpec& minimiser, const ChoiceEstimateSpec& spec,
                            const Context& job) {
  const ChoiceResponse& response = *model.choice();
  if (response.has_signs())
    throw UsageError(
        "a network whose attributes have signs is held within bounds that standard errors do not account "
        "for; "
        "leave out signs, or use a linear utility");
  const EncodedChoices<double> encoded(data, model.encoder, response);
  const Network<double> network(model.architecture);
  ObjectiveSpec objective_spec;
  objective_spec.temperature = model.temperature;
  const Objective<double> objective(network, objective_spec, encoded.view());
  inference::EstimateSpec fit;
  fit.minimiser = minimiser;
  fit.covariance = spec.covariance;
  Estimation out;
  out.estimate = inference::estimate(objective, fit, job);
  FromRows rows = from_rows(objective, out.estimate, data, fit, spec, job);
  out.stored = stored_choice(out.estimate, objective, data, rows, spec, minimiser.reference);
  const auto running = inference::weights_that_run_away(objective, out.estimate, minimiser, job);
  if (!running.empty() && out.estimate.converged) out.stored.facts["runs_away"] = running;
  if (!running.empty() && !out.estimate.converged)
    out.estimate.cause =
        "a weight (lambda) runs away along a ridge that leads to infinity: at ten times its value, with all "
        "else at its best, the likelihood is as high; a simpler utility, such as a linear one, may say the "
        "same";
  out.resampled = std::move(rows.resampled);
  return out;
}

DeviceChoice choice_device(const std::string& device, const Architecture& architecture,
                           const ChoiceData& data, int fits) {
  if (device == "cpu") return {};
  const Network<double> network(architecture);
  return plan_device(device,
                     static_cast<double>(data.begin.back()) *
                         static_cast<double>(network.numbers_per_point()) *
                         side_by_side(static_cast<std::size_t>(std::max(fits, 1))),
                     architecture, {});
}

}  // namespace bl
