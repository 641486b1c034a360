#include "zoo/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/errors.hpp"
#include "zoo/alignment.hpp"
#include "zoo/standard_errors.hpp"

namespace bl::zoo {

namespace {

struct Fit {
  FitReport report;
  std::vector<double> parameters;
};

Fit fit_from(const Objective<double>& objective, const RecoverySpec& spec, int start, ThreadPool& pool,
             const ProgressCallback& progress) {
  TrainSpec train;
  train.optimizer.kind = OptimizerKind::lbfgs;
  train.epochs = spec.iterations;
  train.seed = spec.seed;
  Trainer<double> trainer(objective, nullptr, train, pool);
  TrainingState<double> state = trainer.start();
  const Network<double>& network = objective.network();
  // Only the starting values differ between starts: the noise of score matching stays that of the seed.
  starting_values<double>(network.architecture(), network.layout(),
                          spec.seed * 1000 + static_cast<std::uint64_t>(start), state.parameters);
  TrainingHooks<double> hooks;
  if (progress)
    hooks.on_epoch = [&](const TrainingState<double>& now) {
      progress({start + 1, spec.starts, now.epoch, now.history.back().train_loss});
    };
  FitReport report = trainer.run(state, hooks);
  return {std::move(report), std::move(state.parameters)};
}

// Effective standard error of a raw lambda: softplus has slope 1 - exp(-softplus).
double effective_error(double raw_error, double lambda, Sign sign) {
  return sign == Sign::non_negative ? raw_error * -std::expm1(-lambda) : raw_error;
}

std::vector<ProblemLine> problem_lines(const PlantedProblem& problem, const Block& learned,
                                       const std::vector<double>& errors) {
  const Architecture& a = problem.architecture;
  const ParameterLayout layout(a);
  const Block truth = block_of(a, problem.parameters);
  const std::vector<Term> basis = basis_terms(a.basis, a.input, a.degree());
  const auto error_of = [&](HeadKind kind, const char* what, std::size_t index) {
    const auto offset = layout.tensor(fmt::format("layers/0/{}/{}", letter(kind), what)).offset;
    return errors[static_cast<std::size_t>(offset) + index];
  };
  std::vector<ProblemLine> lines;
  for (const HeadKind kind : kHeadKinds) {
    const auto at = static_cast<std::size_t>(kind);
    if (!truth[at]) continue;
    ProblemLine line{.kind = kind, .activation = a.activation(kind), .lambda = {}, .terms = {}};
    line.lambda = {"lambda", truth[at]->lambda, learned[at]->lambda,
                   effective_error(error_of(kind, "lambda", 0), truth[at]->lambda, a.lambda)};
    for (std::size_t t = 0; t < basis.size(); ++t)
      line.terms.push_back({term_name(problem, basis[t]), truth[at]->coefficients[t],
                            learned[at]->coefficients[t], error_of(kind, "weight", t)});
    if (!a.basis.response_only)
      line.terms.push_back({"1", truth[at]->bias, learned[at]->bias, error_of(kind, "bias", 0)});
    lines.push_back(std::move(line));
  }
  return lines;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

ObjectiveSpec fitting_objective(const PlantedProblem& problem) {
  constexpr int kPanelsOneDimension = 16;
  constexpr int kPanelsTwoDimensions = 3;
  ObjectiveSpec spec;
  spec.temperature = problem.temperature;
  if (problem.kind() == ResponseKind::continuous)
    spec.rule = composite_rule(problem.support,
                               problem.support.dimension() == 2 ? kPanelsTwoDimensions : kPanelsOneDimension);
  if (problem.kind() == ResponseKind::hybrid) {
    // Score matching learns the law blurred by sigma; draws make up for the variance of a small one.
    spec.kind = ObjectiveKind::hybrid;
    spec.sigma = 0.1;
    spec.draws = 16;
  }
  return spec;
}

RecoveryResult recover(const PlantedProblem& problem, const RecoverySpec& spec, ThreadPool& pool,
                       const ProgressCallback& progress) {
  if (spec.starts < 1) throw UsageError(fmt::format("a fit needs at least one start, not {}", spec.starts));
  const SimulatedData<double> training = simulate(problem, spec.training_rows, 2 * spec.seed, pool);
  const SimulatedData<double> held_out = simulate(problem, spec.held_out_rows, 2 * spec.seed + 1, pool);
  const Network<double> network(problem.architecture);
  const Objective<double> objective(network, fitting_objective(problem), training.view());
  RecoveryResult result;
  Fit best;
  for (int start = 0; start < spec.starts; ++start) {
    Fit fit = fit_from(objective, spec, start, pool, progress);
    result.starting_losses.push_back(fit.report.final_loss);
    if (start == 0 || fit.report.final_loss < best.report.final_loss) best = std::move(fit);
  }
  const double lowest = best.report.final_loss;
  if (!std::isfinite(lowest)) throw NumericError("no start reached a finite loss: " + best.report.cause);
  result.agreeing_starts =
      static_cast<int>(std::count_if(result.starting_losses.begin(), result.starting_losses.end(),
                                     [&](double loss) { return loss - lowest <= 1e-5; }));
  result.fit = std::move(best.report);
  const Block learned = aligned(problem, block_of(problem.architecture, best.parameters));
  result.parameters = raw_parameters(problem.architecture, learned);
  result.lines = problem_lines(problem, learned, standard_errors(problem, objective, spec.seed, pool));
  result.comparison = compare_with_truth(problem, result.parameters, held_out, pool);
  result.comparison.null_log_likelihood = mean(null_log_likelihood(problem, training, held_out));
  return result;
}

}  // namespace bl::zoo
