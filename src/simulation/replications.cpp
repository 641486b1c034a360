#include "simulation/replications.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/unknown.hpp"
#include "bl/errors.hpp"

namespace bl::simulation {

namespace {

// rows x draws * values.
Matrix<double> balanced_noise(const ObjectiveSpec& objective, const SimulatedData<double>& data) {
  const Index dims = data.values.cols();
  Matrix<double> noise(data.rows, objective.draws * dims);
  for (Index row = 0; row < noise.rows(); ++row)
    for (Index k = 0; k < noise.cols(); ++k) noise(row, k) = k / dims % 2 == 0 ? 1 : -1;
  return noise;
}

}  // namespace

Replicator::Replicator(const PlantedProblem& problem, ReplicationSpec spec)
    : problem_(&problem), spec_(std::move(spec)), network_(problem.architecture) {
  chart_ = inference::make_chart(
      problem.architecture,
      inference::canonical_form(problem.architecture, problem.parameters, {.reference = spec_.reference})
          .parameters,
      spec_.reference);
  for (const Index position : chart_.positions)
    truth_.push_back(chart_.effective[static_cast<std::size_t>(position)]);
  if (truth_.empty()) throw UsageError("this model has no parameter that data could determine");
}

inference::Minimisation Replicator::minimum(const Objective<double>& objective,
                                            const inference::EstimateSpec& spec, Engine<double>& engine,
                                            StartsEnd& random_starts) const {
  inference::MinimiserSpec from_truth = spec.minimiser;
  from_truth.starts = 0;
  from_truth.given = {chart_.raw};
  inference::Minimisation near = inference::minimise(objective, from_truth, engine);
  if (spec_.starts == 0) return near;
  inference::MinimiserSpec random = spec.minimiser;
  random.starts = spec_.starts;
  inference::Minimisation far = inference::minimise(objective, random, engine);
  if (inference::same_optimum(problem_->architecture, far.best, near.best))
    random_starts = StartsEnd::same;
  else
    random_starts = far.best.loss < near.best.loss ? StartsEnd::lower : StartsEnd::higher;
  return random_starts == StartsEnd::lower ? far : near;
}

Replication Replicator::run(const SimulatedData<double>& data, std::uint64_t seed,
                            Engine<double>& engine) const {
  const Objective<double> objective(network_, spec_.objective, data.view());
  inference::EstimateSpec spec;
  spec.minimiser.seed = seed;
  spec.minimiser.reference = spec_.reference;
  const Matrix<double> noise =
      spec_.balanced_noise ? balanced_noise(spec_.objective, data) : Matrix<double>();
  if (spec_.balanced_noise) spec.minimiser.noise = noise.view();
  Replication out;
  const inference::Minimisation lowest = minimum(objective, spec, engine, out.random_starts);
  engine.context().require_going();  // else it would count as one that did not converge
  const inference::Estimate e = inference::estimate_at(objective, lowest, spec, engine);
  for (const Index position : positions())
    out.values.push_back(e.chart.effective[static_cast<std::size_t>(position)]);
  out.errors.assign(positions().size(), kUnknown);
  out.classical_errors = out.errors;
  if (!e.converged)
    out.end = ReplicationEnd::not_converged;
  else if (e.chart.positions != chart_.positions)
    out.end = ReplicationEnd::at_bound;
  else if (!e.identification.directions.empty())
    out.end = ReplicationEnd::unidentified;
  if (out.end != ReplicationEnd::found) return out;
  out.errors = inference::standard_errors(e.entries);
  if (spec_.objective.kind == ObjectiveKind::likelihood)
    out.classical_errors = inference::standard_errors(
        inference::entry_covariance(e.chart, e.identification, e.identification.inverse));
  return out;
}

std::vector<double> Replicator::information_bound(const SimulatedData<double>& data,
                                                  const ObjectiveSpec& likelihood, const Context& job) const {
  const Objective<double> objective(network_, likelihood, data.view());
  const auto engine = make_engine<double>(job.silent());
  const inference::Loss loss(objective, 0, *engine);
  // Products of scores, not the Hessian: their sampling error is relative in every direction, however flat.
  const inference::Identification known =
      inference::identify(inference::score_products(loss, chart_, {}), chart_);
  std::vector<double> bound =
      inference::standard_errors(inference::entry_covariance(chart_, known, known.inverse));
  for (double& one : bound) one *= std::sqrt(loss.total_weight());
  return bound;
}

}  // namespace bl::simulation
