#include "check/check_run.hpp"

#include <fmt/format.h>

#include <atomic>

#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "check/recovery.hpp"
#include "check/recovery_round.hpp"
#include "plan/device_plan.hpp"

namespace bl {

namespace {

std::vector<double> bound_of(const simulation::Replicator& replicator, const ObjectiveSpec& likelihood,
                             const simulation::SimulatedData<double>& data, const Context& job) {
  if (likelihood.kind != ObjectiveKind::likelihood)
    return std::vector<double>(replicator.positions().size(), kUnknown);
  return replicator.information_bound(data, likelihood, job);
}

DeviceChoice device_of(const simulation::Replicator& replicator, const ObjectiveSpec& spec,
                       const simulation::SimulatedData<double>& rows, const CheckOptions& options) {
  const Objective<double> objective(replicator.network(), spec, rows.view());
  return plan_device(options.device,
                     static_cast<double>(objective.data().rows) * objective.numbers_per_row() *
                         side_by_side(options.replications),
                     replicator.network().architecture(), spec);
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

CheckReport run_check(const CheckRun& run, const CheckOptions& options, const Context& given) {
  if (options.replications < 2) throw UsageError("a check needs at least 2 replications");
  const simulation::Replicator replicator(*run.problem,
                                          {.objective = run.objective, .starts = options.starts});
  const std::uint64_t first_seed = options.seed * 0x9E3779B97F4A7C15ULL;
  const simulation::SimulatedData<double> first = run.draw(first_seed, given);
  const DeviceChoice where = device_of(replicator, run.objective, first, options);
  const Context job = given.on(where.device);
  std::vector<simulation::Replication> replications(options.replications);
  std::atomic<std::int64_t> done = 0;
  constexpr double kShortStep = 0;  // replications run side by side whatever their length
  const auto engine = make_engine<double>(job);
  engine->together(replications.size(), kShortStep, [&](std::size_t r, Engine<double>& own) {
    const std::uint64_t seed = first_seed + r;
    replications[r] = replicator.run(run.draw(seed, own.context()), seed, own);
    job.tell("refits", ++done, static_cast<std::int64_t>(replications.size()));
  });
  CheckReport report;
  report.response = run.response;
  report.objective = run.objective.kind == ObjectiveKind::likelihood       ? "likelihood"
                     : run.objective.kind == ObjectiveKind::score_matching ? "score matching"
                                                                           : "hybrid";
  report.recovery = recovery_round(run.rows, replications,
                                   {run.names(replicator.positions()), replicator.truth(),
                                    bound_of(replicator, run.likelihood, first, job)});
  judge(report);
  if (!where.note.empty()) report.findings.push_back(where.note);
  return report;
}

CheckReport check_model(const Model& model, const Data& data, const CheckOptions& options) {
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  return (model.is_choice() ? check_choices : check_table)(model, data.impl().table, options, job);
}

}  // namespace bl
