#include "inference/estimate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace bl::inference {

namespace {

constexpr int kNewtonSteps = 6;

// Largest entry of the gradient in standard deviations of a row's score, so that units do not matter.
double scaled_gradient(const Information& info) {
  double largest = 0;
  for (Index j = 0; j < info.gradient.size(); ++j) {
    const double standard_deviation = std::sqrt(info.products(j, j) / info.total_weight);
    if (standard_deviation > 0) largest = std::max(largest, std::abs(info.gradient(j)) / standard_deviation);
  }
  return largest;
}

struct Point {
  std::vector<double> raw;
  std::vector<std::string> notes;
};

// Canonical, with heads at their bound left out.
Point canonical_point(const Architecture& a, std::span<const double> raw, const EstimateSpec& spec) {
  CanonicalForm form =
      canonical_form(a, raw, {.reference = spec.minimiser.reference, .prune = spec.bound, .merge = false});
  return {std::move(form.parameters), std::move(form.notes)};
}

std::vector<std::uint8_t> held_entries(const Chart& chart) {
  std::vector<std::uint8_t> held(chart.states.size(), 1);
  for (const Index i : chart.positions) held[static_cast<std::size_t>(i)] = 0;
  return held;
}

// The chart of a point that was moved to.
using Rechart = std::function<Chart(std::vector<double> raw)>;

// Newton steps in the chart, halved while they do not lower the loss or leave the bounds. True if it moved.
bool newton_step(Loss& loss, const Rechart& rechart, Estimate& e) {
  const Eigen::VectorXd step =
      -e.information.total_weight * (e.identification.inverse * e.information.gradient);
  const ParameterLayout& layout = loss.objective().network().layout();
  for (double share = 1; share > 1e-3; share *= 0.5) {
    std::vector<double> raw = moved(layout, e.chart, share * step);
    const double value = loss(raw, {});
    if (!(value <= e.loss + 1e-14 * (1 + std::abs(e.loss)))) continue;
    Chart chart = rechart(std::move(raw));
    if (chart.positions != e.chart.positions) return false;
    e.chart = std::move(chart);
    e.loss = value;
    return true;
  }
  return false;
}

std::string cause_of(const Estimate& e, double tolerance) {
  if (!e.identification.is_minimum)
    return "the loss still falls along some direction: this point is a saddle, not a minimum; try more "
           "`starts`, or fewer heads (`heads`)";
  return fmt::format(
      "the gradient is {:.1e} standard deviations of a row's score, above {:.0e}, so this is not the "
      "minimum; "
      "try more `epochs` or `starts`, or fewer heads",
      e.gradient, tolerance);
}

// From a point near the minimum to the minimum, and what the rows say there.
void finish(Loss& loss, const Rechart& rechart, const EstimateSpec& spec, Estimate& e) {
  e.total_weight = loss.total_weight();
  e.loss = loss(e.chart.raw, {});
  for (int step = 0;; ++step) {
    e.information = information(loss, e.chart);
    e.identification = identify(e.information.hessian, e.chart);
    e.gradient = scaled_gradient(e.information);
    const bool good = e.gradient <= 0.01 * spec.tolerance || e.information.from_products;
    if (good || step == kNewtonSteps || !newton_step(loss, rechart, e)) break;
  }
  // Kinks keep the gradient from vanishing: there what counts is that no start got lower.
  const double tolerance = e.information.from_products ? 0.1 / std::sqrt(e.total_weight) : spec.tolerance;
  e.converged = e.gradient <= tolerance && e.identification.is_minimum;
  if (!e.converged) e.cause = cause_of(e, tolerance);
  e.minimisation.best.parameters = e.chart.raw;
  e.minimisation.best.loss = e.loss;
  e.minimisation.best.gradient_norm = e.gradient;
  e.covariance = covariance(loss, e.chart, e.information, e.identification, spec.covariance);
  e.entries = entry_covariance(e.chart, e.identification, e.covariance.coordinates);
}

}  // namespace

Estimate estimate_at(const Objective<double>& objective, const Minimisation& minimisation,
                     const EstimateSpec& spec, Engine<double>& engine) {
  const Architecture& a = objective.network().architecture();
  Loss loss(objective, spec.minimiser.seed, engine, 0, spec.minimiser.noise);
  Estimate e;
  e.minimisation = minimisation;
  Point point = canonical_point(a, minimisation.best.parameters, spec);
  e.notes = point.notes;
  e.chart = make_chart(a, std::move(point.raw), spec.minimiser.reference);
  // What was left out moves the minimum of the rest, and a stored point may be short of its own.
  const LocalMinimum polished = descend(loss, e.chart.raw, spec.minimiser, held_entries(e.chart));
  point = canonical_point(a, polished.parameters, spec);
  e.notes.insert(e.notes.end(), point.notes.begin(), point.notes.end());
  e.chart = make_chart(a, std::move(point.raw), spec.minimiser.reference);
  finish(
      loss,
      [&](const std::vector<double>& raw) {
        return make_chart(
            a, canonical_form(a, raw, {.reference = spec.minimiser.reference, .merge = false}).parameters,
            spec.minimiser.reference);
      },
      spec, e);
  return e;
}

Estimate estimate_entries(const Objective<double>& objective, std::vector<double> raw,
                          std::vector<Index> positions, const EstimateSpec& spec, const Context& job) {
  const Architecture& a = objective.network().architecture();
  const auto engine = make_engine<double>(job);
  Loss loss(objective, spec.minimiser.seed, *engine, 0, spec.minimiser.noise);
  const Rechart chart = [&](std::vector<double> at) { return plain_chart(a, std::move(at), positions); };
  Estimate e;
  e.chart = chart(std::move(raw));
  finish(loss, chart, spec, e);
  e.minimisation.starts = 1;
  e.minimisation.optima = {
      {.loss = e.loss, .gradient_norm = e.gradient, .starts = 1, .converged = e.converged}};
  return e;
}

Estimate estimate(const Objective<double>& objective, const EstimateSpec& spec, const Context& job) {
  const auto engine = make_engine<double>(job);
  Minimisation found = minimise(objective, spec.minimiser, *engine);
  if (!found.interrupted) return estimate_at(objective, found, spec, *engine);
  Estimate e;
  e.chart = make_chart(objective.network().architecture(), found.best.parameters, spec.minimiser.reference);
  e.loss = found.best.loss;
  e.gradient = found.best.gradient_norm;
  e.cause = "it was interrupted";
  e.minimisation = std::move(found);
  return e;
}

}  // namespace bl::inference
