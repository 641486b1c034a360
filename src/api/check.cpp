#include "bl/check.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "api/check_run.hpp"
#include "api/inference_model.hpp"
#include "api/model_rows.hpp"
#include "api/part_data.hpp"
#include "api/plan.hpp"
#include "api/recovery.hpp"
#include "bl/errors.hpp"
#include "gibbs/categorical.hpp"

namespace bl {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The model as a problem to simulate from, with heads at their bound left out.
zoo::PlantedProblem problem_of(const Model::Impl& m) {
  zoo::PlantedProblem problem;
  problem.name = "model";
  problem.architecture = m.stored.architecture;
  problem.parameters =
      inference::canonical_form(m.stored.architecture, m.stored.parameters, {.prune = kCheckBound})
          .parameters;
  problem.class_names = m.space.class_labels;
  problem.support = m.stored.support;
  problem.temperature = m.stored.temperature;
  return problem;
}

void require_possible(const Model::Impl& m, const Settings& settings) {
  if (settings.class_weight == "balanced")
    throw UsageError(
        "this model was fitted with balanced class weights, so its law is not that of the rows and there is "
        "nothing to recover; fit it without `class_weight`");
  if (m.space.values() > 2)
    throw UsageError(fmt::format("responses of {} numbers cannot be drawn exactly; check needs at most 2",
                                 m.space.values()));
}

// Draws responses at fixed features. Classes alone are drawn from probabilities computed once.
class ResponseSource {
 public:
  ResponseSource(const Model::Impl& m, const zoo::PlantedProblem& problem, const PartData<double>& part)
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

  zoo::SimulatedData<double> draw(std::uint64_t seed) const {
    ThreadPool own(1);
    if (log_probabilities_.rows() == 0) return zoo::simulate_responses(problem_, features_, seed, own);
    zoo::SimulatedData<double> data = features_;
    data.classes.resize(static_cast<std::size_t>(data.rows));
    gibbs::categorical_draws<double>(RandomStream(seed, Purpose::simulation), 0, log_probabilities_.view(),
                                     data.classes);
    return data;
  }

 private:
  const zoo::PlantedProblem& problem_;
  zoo::SimulatedData<double> features_;
  Matrix<double> log_probabilities_;  // empty where the response has a continuous part
};

std::vector<double> bound_of(const zoo::Replicator& replicator, const ObjectiveSpec& objective,
                             const zoo::SimulatedData<double>& data, ThreadPool& pool) {
  if (objective.kind != ObjectiveKind::likelihood)
    return std::vector<double>(replicator.positions().size(), kUnknown);
  return replicator.information_bound(data, objective.rule, pool);
}

}  // namespace

std::vector<std::string> names_at(const std::map<Index, std::string>& names,
                                  const std::vector<Index>& positions) {
  std::vector<std::string> out;
  for (const Index position : positions) {
    const auto found = names.find(position);
    out.push_back(found == names.end() ? fmt::format("parameter {}", position) : found->second);
  }
  return out;
}

CheckReport run_check(const CheckRun& run, const CheckOptions& options, const CheckProgress& progress) {
  if (options.replications < 2) throw UsageError("a check needs at least 2 replications");
  const auto started = std::chrono::steady_clock::now();
  const zoo::Replicator replicator(*run.problem, {.objective = run.objective, .starts = options.starts});
  ThreadPool pool(options.threads);
  std::vector<zoo::Replication> replications(options.replications);
  std::mutex mutex;
  std::size_t done = 0;
  pool.run(replications.size(), [&](std::size_t r) {
    const std::uint64_t seed = options.seed * 0x9E3779B97F4A7C15ULL + r;
    replications[r] = replicator.run(run.draw(seed), seed);
    if (!progress) return;
    const std::lock_guard<std::mutex> lock(mutex);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double share = static_cast<double>(++done) / static_cast<double>(replications.size());
    progress(seconds,
             fmt::format("{} of {} refits, {}", done, replications.size(), time_left(seconds, share)));
  });
  CheckReport report;
  report.response = run.response;
  report.objective = run.objective.kind == ObjectiveKind::likelihood       ? "likelihood"
                     : run.objective.kind == ObjectiveKind::score_matching ? "score matching"
                                                                           : "hybrid";
  const std::vector<double> bound =
      bound_of(replicator, run.objective, run.draw(options.seed * 0x9E3779B97F4A7C15ULL), pool);
  report.recovery = recovery_round(
      zoo::size_evidence(static_cast<Index>(run.rows), replications, replicator.truth(), bound),
      run.names(replicator.positions()));
  judge(report);
  return report;
}

CheckReport check_model(const Model& model, const Data& data, const CheckOptions& options,
                        const std::function<void(double, const std::string&)>& progress) {
  const Model::Impl& m = model.impl();
  const Table& table = data.impl().table;
  Settings settings = fit_settings(m);
  require_possible(m, settings);
  settings.temperature = m.stored.temperature;
  const std::vector<Index> rows = rows_of_part(m, table, is_fit_data(m, table) ? Part::train : Part::all);
  const PartData<double> part(m.stored.encoder.with_unseen(UnseenPolicy::missing), m.space, table, rows,
                              settings.out_of_core);
  const zoo::PlantedProblem problem = problem_of(m);
  const ResponseSource source(m, problem, part);
  CheckRun run{.problem = &problem,
               .objective = plan_objective(settings, m.space, m.stored.support),
               .draw = [&](std::uint64_t seed) { return source.draw(seed); },
               .names =
                   [&](const std::vector<Index>& positions) {
                     return names_at(position_names(named_model(m)), positions);
                   },
               .rows = rows.size(),
               .response = {}};
  for (const ResponseEncoding& one : m.stored.encoder.responses())
    run.response += (run.response.empty() ? "" : ", ") + one.name;
  return run_check(run, options, progress);
}

}  // namespace bl
