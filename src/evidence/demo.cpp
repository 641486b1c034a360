#include "bl/demo.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/context.hpp"
#include "bl/errors.hpp"
#include "evidence/known_models.hpp"
#include "inference/estimate.hpp"
#include "simulation/simulate.hpp"

namespace bl {

namespace {

using simulation::PlantedProblem, simulation::SimulatedData;

constexpr Index kTrainingRows = 20000, kHeldOutRows = 5000, kExamples = 5;
// Most starting values leave an inequality asleep: nowhere violated, never learned.
constexpr int kTries = 24, kStarts = 2;

// Heads line by line, in canonical form as they are learned and as they were planted.
std::vector<DemoLine> lines_of(const PlantedProblem& problem, const inference::Estimate& learned) {
  const Architecture& a = problem.architecture;
  const inference::ParameterMap map(a);
  const std::vector<double> truth = map.effective(problem.parameters);
  const std::vector<double> free = inference::standard_errors(learned.entries);
  std::vector<double> errors(truth.size(), 0.0);
  for (std::size_t k = 0; k < free.size(); ++k)
    errors[static_cast<std::size_t>(learned.chart.positions[k])] = free[k];
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::vector<DemoLine> lines;
  for (const inference::HeadPlace& head : map.heads()) {
    DemoLine line{std::string(letter(head.kind)), std::string(name(a.activation(head.kind))), {}};
    const auto add = [&](const std::string& term, Index position) {
      const auto at = static_cast<std::size_t>(position);
      line.coefficients.push_back({term, truth[at], learned.chart.effective[at], errors[at]});
    };
    add("lambda", head.lambda);
    for (Index c = 0; c < head.columns; ++c)
      add(simulation::term_name(problem, terms[static_cast<std::size_t>(c)]), head.weights + c);
    if (head.bias >= 0) add("1", head.bias);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string values_text(const std::vector<std::string>& names, const double* values) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", names[i], values[i]);
  return text;
}

// Choices that were not learned from, with the probabilities of both: their means and the first of them.
void compare(const PlantedProblem& problem, const std::vector<double>& learned,
             const SimulatedData<double>& data, DemoReport& report) {
  const simulation::GibbsDistribution distribution(problem.architecture, learned, problem.temperature);
  simulation::DistributionWorkspace ws;
  simulation::Candidates candidates;
  std::vector<double> log_q;
  std::vector<std::string> context_names;
  for (const simulation::Column& column : problem.context) context_names.push_back(column.name);
  const double share = 1 / static_cast<double>(data.rows);
  for (Index row = 0; row < data.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    alternatives_of(data, row, candidates);
    distribution.log_density({data.context.row(row), context_names.size()}, candidates, ws, log_q);
    const double* p = data.true_probabilities.data() + data.begin[at];
    DemoExample example{values_text(context_names, data.context.row(row)), {}, {p, p + log_q.size()}, {}};
    for (std::size_t j = 0; j < log_q.size(); ++j) {
      const double q = std::exp(log_q[j]);
      report.divergence += share * p[j] * (std::log(p[j]) - log_q[j]);
      report.total_variation += share * 0.5 * std::abs(p[j] - q);
      example.learned_probabilities.push_back(q);
      example.alternatives.push_back(
          values_text(problem.value_names, candidates.values.row(static_cast<Index>(j))));
    }
    if (row < kExamples) report.examples.push_back(std::move(example));
    report.true_log_likelihood += share * data.true_log_likelihood[at];
    report.learned_log_likelihood += share * log_q[static_cast<std::size_t>(data.chosen[at])];
    report.null_log_likelihood -= share * std::log(static_cast<double>(log_q.size()));
  }
}

}  // namespace

DemoReport run_demo(std::uint64_t seed, std::size_t threads,
                    const std::function<void(double, const std::string&)>& progress,
                    const std::function<bool()>& should_stop) {
  const Context job(threads, {.should_stop = should_stop, .on_progress = progress});
  const PlantedProblem& problem = simulation::shopper();
  const SimulatedData<double> training = simulate(problem, kTrainingRows, 2 * seed, job),
                              held_out = simulate(problem, kHeldOutRows, 2 * seed + 1, job);
  const Network<double> network(problem.architecture);
  const Objective<double> objective(network, likelihood_objective(problem), training.view());
  const inference::Estimate learned =
      inference::estimate(objective, {.minimiser = {.starts = kStarts, .tries = kTries, .seed = seed}}, job);
  job.require_going();
  if (!learned.converged) throw NumericError("the demonstration was not learned: " + learned.cause);
  DemoReport report;
  report.name = problem.name;
  report.description = problem.description;
  report.response = problem.response;
  report.training_rows = static_cast<std::size_t>(training.rows);
  report.held_out_rows = static_cast<std::size_t>(held_out.rows);
  report.lines = lines_of(problem, learned);
  compare(problem, learned.chart.raw, held_out, report);
  report.starts = learned.minimisation.starts;
  report.agreeing_starts = learned.minimisation.optima.front().starts;
  report.seconds = job.seconds();
  return report;
}

}  // namespace bl
