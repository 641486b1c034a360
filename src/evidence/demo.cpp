#include "evidence/demo.hpp"

#include <cmath>

#include "evidence/problems.hpp"

namespace bl::simulation {

namespace {

std::vector<PredictionExample> choice_examples(const PlantedProblem& problem,
                                               std::span<const double> parameters,
                                               const SimulatedData<double>& data) {
  const GibbsDistribution truth(problem.architecture, problem.parameters, problem.temperature);
  const GibbsDistribution learned(problem.architecture, parameters, problem.temperature);
  DistributionWorkspace ws;
  Candidates candidates;
  std::vector<PredictionExample> examples;
  for (Index row = 0; row < data.rows; ++row) {
    alternatives_of(data, row, candidates);
    PredictionExample example;
    example.context.assign(data.context.row(row), data.context.row(row) + data.context.cols());
    for (Index j = 0; j < candidates.values.rows(); ++j)
      example.alternatives.emplace_back(candidates.values.row(j),
                                        candidates.values.row(j) + candidates.values.cols());
    truth.log_density(example.context, candidates, ws, example.true_probabilities);
    learned.log_density(example.context, candidates, ws, example.learned_probabilities);
    for (double& value : example.true_probabilities) value = std::exp(value);
    for (double& value : example.learned_probabilities) value = std::exp(value);
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace

DemoResult run_demo(std::uint64_t seed, const Context& job) {
  constexpr Index kExamples = 5;
  DemoResult result;
  result.problem = &planted_problem("shopper");
  result.spec.training_rows = 20000;
  result.spec.held_out_rows = 5000;
  result.spec.seed = seed;
  result.recovery = recover(*result.problem, result.spec, job);
  // The first rows of the held-out data.
  const SimulatedData<double> rows = simulate(*result.problem, kExamples, held_out_seed(result.spec), job);
  result.examples = choice_examples(*result.problem, result.recovery.parameters, rows);
  result.seconds = job.seconds();
  return result;
}

}  // namespace bl::simulation
