// What fits of tables and of choices share: networks learned one after the other from different seeds and
// then joined.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "artifact/checkpoint.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "model/join.hpp"
#include "training/trainer.hpp"

namespace bl {

// The first member has the seed itself; the others take far ones.
inline std::uint64_t member_seed(std::uint64_t seed, Index member) {
  return seed + static_cast<std::uint64_t>(member) * 0x9E3779B97F4A7C15U;
}

// Where a fit stands after an epoch of member `member` (from 0) of `members`, `seconds` after its start.
template <class T>
FitProgress fit_progress(const TrainingState<T>& state, Index member, Index members, std::int64_t epochs,
                         double seconds) {
  const EpochRecord& record = state.history.back();
  const double done =
      static_cast<double>(member) + static_cast<double>(state.epoch) / static_cast<double>(epochs);
  return {.member = member + 1,
          .members = members,
          .epoch = state.epoch,
          .epochs = epochs,
          .train_loss = record.train_loss,
          .validation_loss = record.validation_loss,
          .best = state.best_monitor,
          .best_epoch = state.best_epoch,
          .seconds = seconds,
          .seconds_left = seconds / done * (static_cast<double>(members) - done)};
}

// What is run for each member; where its state comes from and goes to: a checkpoint, or nowhere.
template <class T>
struct MemberPlan {
  TrainSpec spec;
  Index members = 1;
  std::function<void(Index member, TrainingState<T>& fresh)> on_start = {};
  std::function<void(Index member, const TrainingState<T>& state)> on_epoch = {};
};

// The number of threads is left out: nothing depends on it, so neither a model file nor a checkpoint may.
inline nlohmann::json settings_json(const Settings& settings) {
  nlohmann::json object = nlohmann::json::object();
  for (const SettingInfo& info : setting_list())
    if (info.name != "threads") object[std::string(info.name)] = get(settings, info.name);
  return object;
}

// A checkpoint for every member: PATH, PATH.1, PATH.2, ... They belong to these data and settings.
template <class T>
void keep_checkpoints(MemberPlan<T>& plan, const FitOptions& options, const std::string& data_digest,
                      const std::string& settings) {
  const auto checkpoint = std::make_shared<std::optional<Checkpoint<T>>>();  // of the member at hand
  plan.on_start = [=](Index member, TrainingState<T>& fresh) {
    const bool numbered = !options.checkpoint.empty() && member > 0;
    checkpoint->emplace(numbered ? fmt::format("{}.{}", options.checkpoint, member) : options.checkpoint,
                        data_digest, settings);
    if (options.resume) (*checkpoint)->load(fresh);
  };
  plan.on_epoch = [checkpoint](Index, const TrainingState<T>& state) { (*checkpoint)->save(state); };
}

struct TrainedMembers {
  std::vector<std::vector<double>> parameters;  // of each
  FitReport report;  // of the last; history and seconds are those of all, one after the other
};

// The time limit is shared; an interrupted fit keeps the members it has. NumericError where one diverged.
template <class T>
TrainedMembers train_members(const Objective<T>& training, const Objective<T>* validation,
                             const MemberPlan<T>& plan, const FitOptions& options, ThreadPool& pool) {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  TrainSpec spec = plan.spec;
  spec.time_limit /= static_cast<double>(plan.members);
  const double started = now();
  TrainedMembers result;
  for (Index member = 0; member < plan.members; ++member) {
    spec.seed = member_seed(plan.spec.seed, member);
    Trainer<T> trainer(training, validation, spec, pool);
    TrainingState<T> state = trainer.start();
    if (plan.on_start) plan.on_start(member, state);
    TrainingHooks<T> each;
    each.should_stop = options.should_stop;
    each.on_epoch = [&](const TrainingState<T>& current) {
      if (plan.on_epoch) plan.on_epoch(member, current);
      if (options.on_progress)
        options.on_progress(fit_progress(current, member, plan.members, spec.epochs, now() - started));
    };
    FitReport report = trainer.run(state, each);
    if (report.reason == StopReason::diverged) throw NumericError("training diverged: " + report.cause);
    result.parameters.emplace_back(state.parameters.begin(), state.parameters.end());
    report.history.insert(report.history.begin(), result.report.history.begin(), result.report.history.end());
    report.seconds += result.report.seconds;
    result.report = std::move(report);
    if (result.report.reason == StopReason::interrupted) break;
  }
  return result;
}

// The parameters of the joined network; `architecture` becomes its architecture.
inline std::vector<double> joined(Architecture& architecture, std::vector<std::vector<double>> members) {
  if (members.size() == 1) return std::move(members[0]);
  std::vector<double> parameters = join_parameters(architecture, members);
  architecture = joined_architecture(architecture, static_cast<Index>(members.size()));
  return parameters;
}

}  // namespace bl
