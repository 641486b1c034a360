#include "check/check_run.hpp"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "base/clock.hpp"
#include "bl/errors.hpp"
#include "check/recovery.hpp"

namespace bl {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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
  const double started = now();
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
    const double seconds = now() - started;
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
  return (model.is_choice() ? check_choices : check_table)(model, data.impl().table, options, progress);
}

}  // namespace bl
