#include "check/check_run.hpp"

#include <fmt/format.h>

#include "bl/errors.hpp"
#include "fitted/part_data.hpp"
#include "gibbs/categorical.hpp"
#include "inference/canonical.hpp"
#include "summary/inference_summary.hpp"

namespace bl {

namespace {

// The model as a problem to simulate from, with heads at their bound left out.
simulation::PlantedProblem planted_problem(const FittedModel& m) {
  simulation::PlantedProblem problem;
  problem.name = "model";
  problem.architecture = m.stored.architecture;
  problem.parameters =
      inference::canonical_form(m.stored.architecture, m.stored.parameters, {.prune = kCheckBound})
          .parameters;
  problem.class_names = m.space.class_labels;
  problem.support = m.stored.support();
  problem.temperature = m.stored.temperature;
  return problem;
}

void require_possible(const FittedModel& m, const Settings& settings) {
  if (settings.class_weight == "balanced")
    throw UsageError(
        "this model was fitted with balanced class weights, so its distribution is not that of the rows and "
        "there is "
        "nothing to recover; fit it without `class_weight`");
  if (m.space.values() > 2)
    throw UsageError(fmt::format("responses of {} numbers cannot be drawn exactly; check needs at most 2",
                                 m.space.values()));
}

// Draws responses at fixed features. Classes alone are drawn from probabilities computed once.
class ResponseSource {
 public:
  ResponseSource(const FittedModel& m, const simulation::PlantedProblem& problem,
                 const PartData<double>& part)
      : problem_(problem) {
    features_.rows = part.encoded.features.rows();
    features_.context = part.encoded.features;
    features_.weights = part.weights;
    features_.values.resize(features_.rows, 0);
    if (m.space.values() > 0) return;
    const gibbs::Utility utility(problem.architecture, problem.parameters, problem.temperature,
                                 problem.support);
    log_probabilities_.resize(features_.rows, m.space.classes());
    utility.class_log_probabilities(features_.context.view(), features_.values.view(),
                                    log_probabilities_.view());
  }

  simulation::SimulatedData<double> draw(std::uint64_t seed, const Context& job) const {
    if (log_probabilities_.rows() == 0) return simulation::simulate_responses(problem_, features_, seed, job);
    simulation::SimulatedData<double> data = features_;
    data.classes.resize(static_cast<std::size_t>(data.rows));
    gibbs::categorical_draws<double>(RandomStream(seed, Purpose::simulation), 0, log_probabilities_.view(),
                                     data.classes);
    return data;
  }

 private:
  const simulation::PlantedProblem& problem_;
  simulation::SimulatedData<double> features_;
  Matrix<double> log_probabilities_;  // empty where the response has a continuous part
};

}  // namespace

CheckReport check_table(const Model& model, const Table& table, const CheckOptions& options,
                        const Context& job) {
  const FittedModel& m = model.impl();
  const Settings settings = fit_settings(m);
  require_possible(m, settings);
  const std::vector<Index> rows = rows_of_fit(m, table);
  const PartData<double> part(m.stored.encoder.with_unseen(UnseenPolicy::missing), m.space, table, rows,
                              settings.out_of_core);
  const simulation::PlantedProblem problem = planted_problem(m);
  const ResponseSource source(m, problem, part);
  const FitObjective objective = objective_of(m, settings, part.encoded.continuous);
  return run_check({.problem = &problem,
                    .objective = objective.training,
                    .likelihood = objective.judging,
                    .draw = [&](std::uint64_t seed, const Context& on) { return source.draw(seed, on); },
                    .names =
                        [&](const std::vector<Index>& positions) {
                          return names_at(position_names(named_model(m)), positions);
                        },
                    .rows = rows.size(),
                    .response = response_name(m)},
                   options, job);
}

}  // namespace bl
