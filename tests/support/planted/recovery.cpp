#include "support/planted/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/errors.hpp"
#include "evidence/known_models.hpp"
#include "support/planted/alignment.hpp"
#include "support/planted/standard_errors.hpp"

namespace bl::simulation {

namespace {

struct Fit {
  FitReport report;
  std::vector<double> parameters;
};

// Kinks keep the gradient from vanishing and the line search busy: a loss that no longer falls is the end.
constexpr std::size_t kStallIterations = 5;
constexpr double kStallDecrease = 1e-6;

bool has_stalled(const std::vector<EpochRecord>& history) {
  if (history.size() <= kStallIterations) return false;
  return history[history.size() - 1 - kStallIterations].train_loss - history.back().train_loss <
         kStallDecrease;
}

TrainSpec lbfgs_spec(std::int64_t iterations, std::uint64_t seed) {
  TrainSpec spec;
  spec.optimizer.kind = OptimizerKind::lbfgs;
  spec.epochs = iterations;
  spec.seed = seed;
  return spec;
}

// Trains on from `parameters`. The noise of score matching is that of the seed, the same for every start.
Fit fit_from(const Objective<double>& objective, const TrainSpec& spec, std::vector<double> parameters,
             Engine<double>& engine, const std::function<void(const EpochRecord&)>& on_iteration) {
  Trainer<double> trainer(objective, nullptr, spec, engine);
  TrainingState<double> state = trainer.start();
  state.parameters = std::move(parameters);
  bool stalled = false;
  const TrainingHooks<double> hooks{
      .on_epoch = [&](const TrainingState<double>& now) { on_iteration(now.history.back()); },
      .converged = [&](const TrainingState<double>& now) { return stalled = has_stalled(now.history); }};
  FitReport report = trainer.run(state, hooks);
  engine.context().require_going();
  if (stalled)
    report.cause =
        fmt::format("the loss fell by less than {} over {} iterations", kStallDecrease, kStallIterations);
  return {std::move(report), std::move(state.parameters)};
}

// Lower is better; a loss that is not a number is worst.
bool is_lower(const Fit& a, const Fit& b) {
  if (std::isnan(a.report.final_loss)) return false;
  return std::isnan(b.report.final_loss) || a.report.final_loss < b.report.final_loss;
}

// The most promising starting values, after a short fit to the first rows.
std::vector<Fit> promising_starts(const PlantedProblem& problem, const Network<double>& network,
                                  const RecoverySpec& spec, const Context& job) {
  const Index rows = std::min(spec.try_rows, spec.training_rows);
  const SimulatedData<double> data = simulate(problem, rows, training_seed(spec), job);
  const Objective<double> objective(network, fitting_objective(problem), data.view());
  const auto engine = make_engine<double>(job);
  const auto silent = [](const EpochRecord&) {};
  std::vector<Fit> fits;
  for (int i = 0; i < spec.tries; ++i) {
    std::vector<double> parameters(problem.parameters.size());
    starting_values<double>(
        problem.architecture, network.layout(),
        spec.seed * static_cast<std::uint64_t>(spec.tries) + static_cast<std::uint64_t>(i), parameters);
    fits.push_back(fit_from(objective, lbfgs_spec(spec.try_iterations, spec.seed), std::move(parameters),
                            *engine, silent));
  }
  std::stable_sort(fits.begin(), fits.end(), is_lower);
  fits.resize(static_cast<std::size_t>(std::min(spec.starts, spec.tries)));
  return fits;
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
    line.lambda = {"lambda", truth[at]->lambda, learned[at]->lambda, error_of(kind, "lambda", 0)};
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

std::uint64_t training_seed(const RecoverySpec& spec) {
  return 2 * spec.seed;
}
std::uint64_t held_out_seed(const RecoverySpec& spec) {
  return 2 * spec.seed + 1;
}

ObjectiveSpec fitting_objective(const PlantedProblem& problem) {
  constexpr int kPanelsOneDimension = 16;
  constexpr int kPanelsTwoDimensions = 3;
  ObjectiveSpec spec;
  spec.temperature = problem.temperature;
  if (problem.kind() == ResponseKind::continuous)
    spec.rule = composite_rule(problem.support,
                               problem.support.dimension() == 2 ? kPanelsTwoDimensions : kPanelsOneDimension);
  if (problem.kind() == ResponseKind::hybrid) {
    // Score matching learns the distribution blurred by sigma; draws make up for the variance of a small one.
    spec.kind = ObjectiveKind::hybrid;
    spec.sigma = 0.1;
    spec.draws = 16;
  }
  return spec;
}

RecoveryResult recover(const PlantedProblem& problem, const RecoverySpec& spec, const Context& job) {
  if (spec.starts < 1 || spec.tries < 1)
    throw UsageError(fmt::format("a fit needs at least one start of at least one try, not {} of {}",
                                 spec.starts, spec.tries));
  const SimulatedData<double> training = simulate(problem, spec.training_rows, training_seed(spec), job);
  const SimulatedData<double> held_out = simulate(problem, spec.held_out_rows, held_out_seed(spec), job);
  const Network<double> network(problem.architecture);
  const Objective<double> objective(network, fitting_objective(problem), training.view());
  std::vector<Fit> fits = promising_starts(problem, network, spec, job);
  const auto engine = make_engine<double>(job);
  RecoveryResult result;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto tell = [&](const EpochRecord& record) {
      job.tell(fmt::format("start {} of {}, iteration {}, loss {:.6f}", i + 1, fits.size(), record.epoch,
                           record.train_loss));
    };
    fits[i] = fit_from(objective, lbfgs_spec(spec.iterations, spec.seed), fits[i].parameters, *engine, tell);
    result.start_losses.push_back(fits[i].report.final_loss);
  }
  Fit& best = *std::min_element(fits.begin(), fits.end(), is_lower);
  const double lowest = best.report.final_loss;
  if (!std::isfinite(lowest)) throw NumericError("no start reached a finite loss: " + best.report.cause);
  result.agreeing_starts =
      static_cast<int>(std::count_if(result.start_losses.begin(), result.start_losses.end(),
                                     [&](double loss) { return loss - lowest <= 1e-5; }));
  const Block learned = aligned(problem, block_of(problem.architecture, best.parameters));
  result.fit = std::move(best.report);
  result.parameters = raw_parameters(problem.architecture, learned);
  result.lines = problem_lines(problem, learned, standard_errors(problem, objective, spec.seed, job));
  result.comparison = compare_with_truth(problem, result.parameters, held_out, job);
  result.comparison.null_log_likelihood = mean(null_log_likelihood(problem, training, held_out));
  return result;
}

}  // namespace bl::simulation
