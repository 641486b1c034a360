#include "bl/demo.hpp"
#include "base/context.hpp"

#include <fmt/format.h>

#include "zoo/demo.hpp"

namespace bl {

namespace {

DemoCoefficient coefficient_of(const zoo::Coefficient& c) {
  return {c.term, c.truth, c.learned, c.standard_error};
}

std::string values_text(const std::vector<std::string>& names, const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", names[i], values[i]);
  return text;
}

}  // namespace

DemoReport run_demo(std::uint64_t seed, std::size_t threads,
                    const std::function<void(double, const std::string&)>& progress,
                    const std::function<bool()>& should_stop) {
  const zoo::DemoResult result =
      zoo::run_demo(seed, Context(threads, {.should_stop = should_stop, .on_progress = progress}));
  const zoo::PlantedProblem& problem = *result.problem;
  DemoReport report;
  report.name = problem.name;
  report.description = problem.description;
  report.response = problem.response;
  report.training_rows = static_cast<std::size_t>(result.spec.training_rows);
  report.held_out_rows = static_cast<std::size_t>(result.spec.held_out_rows);
  for (const zoo::ProblemLine& line : result.recovery.lines) {
    DemoLine one{
        std::string(letter(line.kind)), std::string(name(line.activation)), {coefficient_of(line.lambda)}};
    for (const zoo::Coefficient& term : line.terms) one.coefficients.push_back(coefficient_of(term));
    report.lines.push_back(std::move(one));
  }
  std::vector<std::string> context_names;
  for (const zoo::Column& column : problem.context) context_names.push_back(column.name);
  for (const zoo::PredictionExample& example : result.examples) {
    DemoExample one{values_text(context_names, example.context),
                    {},
                    example.true_probabilities,
                    example.learned_probabilities};
    for (const auto& attributes : example.alternatives)
      one.alternatives.push_back(values_text(problem.value_names, attributes));
    report.examples.push_back(std::move(one));
  }
  const zoo::DistributionComparison& comparison = result.recovery.comparison;
  report.true_log_likelihood = comparison.true_log_likelihood;
  report.learned_log_likelihood = comparison.learned_log_likelihood;
  report.null_log_likelihood = comparison.null_log_likelihood;
  report.divergence = comparison.divergence;
  report.total_variation = comparison.total_variation;
  report.starts = static_cast<int>(result.recovery.start_losses.size());
  report.agreeing_starts = result.recovery.agreeing_starts;
  report.seconds = result.seconds;
  return report;
}

}  // namespace bl
