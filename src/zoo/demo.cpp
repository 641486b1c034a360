#include "zoo/demo.hpp"

#include <chrono>
#include <cmath>

namespace bl::zoo {

namespace {

std::vector<PredictionExample> class_examples(const PlantedProblem& problem,
                                              std::span<const double> parameters,
                                              const SimulatedData<double>& data) {
  const GibbsLaw law(problem.architecture, parameters, problem.temperature);
  const Candidates classes = common_candidates(problem, law_panels(problem));
  LawWorkspace ws;
  std::vector<PredictionExample> examples;
  for (Index row = 0; row < data.rows; ++row) {
    PredictionExample example;
    example.context.assign(data.context.row(row), data.context.row(row) + data.context.cols());
    const auto first = data.true_probabilities.begin() + row * static_cast<Index>(classes.size());
    example.true_probabilities.assign(first, first + static_cast<Index>(classes.size()));
    law.log_density(example.context, classes, ws, example.learned_probabilities);
    for (double& value : example.learned_probabilities) value = std::exp(value);
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace

DemoResult run_demo(std::uint64_t seed, std::size_t threads, const ProgressCallback& progress) {
  constexpr Index kExamples = 5;
  const auto started = std::chrono::steady_clock::now();
  ThreadPool pool(threads);
  DemoResult result;
  result.problem = &planted_problem("shopper");
  result.spec = {.training_rows = 20000, .held_out_rows = 5000, .starts = 4, .iterations = 300, .seed = seed};
  result.recovery = recover(*result.problem, result.spec, pool, progress);
  // The first rows of the held-out data.
  const SimulatedData<double> rows = simulate(*result.problem, kExamples, 2 * seed + 1, pool);
  result.examples = class_examples(*result.problem, result.recovery.parameters, rows);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace bl::zoo
