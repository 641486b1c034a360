// What fits of tables and of choices share: networks learned from different seeds and then joined.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "artifact/checkpoint.hpp"
#include "base/clock.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "model/join.hpp"
#include "training/trainer.hpp"

namespace bl {

// The first member has the seed itself; the others take far ones.
inline std::uint64_t member_seed(std::uint64_t seed, Index member) {
  return seed + static_cast<std::uint64_t>(member) * 0x9E3779B97F4A7C15U;
}

// Where a fit stands after an epoch of member `member` (from 0) of `members`, `seconds` after its start, when
// `done` members' worth of epochs are behind it.
template <class T>
FitProgress fit_progress(const TrainingState<T>& state, Index member, Index members, std::int64_t epochs,
                         double seconds, double done) {
  const EpochRecord& record = state.history.back();
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

// What is run for each member; where its state comes from and goes to: a checkpoint, or nowhere. The two
// functions are called by one thread at a time.
template <class T>
struct MemberPlan {
  TrainSpec spec;
  Index members = 1;
  std::function<void(Index member, TrainingState<T>& fresh)> on_start = {};
  std::function<void(Index member, const TrainingState<T>& state)> on_epoch = {};
  std::function<void(std::vector<std::string>& notes)> on_end = {};
  std::function<double(std::span<const T> parameters)> metric = {};  // TrainingHooks::metric
};

// What a fit says whose last checkpoint could not be written.
inline void note_checkpoint(const std::string& failure, std::vector<std::string>& notes) {
  if (!failure.empty())
    notes.push_back(
        fmt::format("the last checkpoint could not be written, so an interrupted fit would go on "
                    "from an earlier one or from the start: {}",
                    failure));
}

// A checkpoint for every member: PATH, PATH.1, PATH.2, ... They belong to these data and settings; those to
// go on from are checked before any member is trained, so that a wrong one leaves the others as they are.
template <class T>
void keep_checkpoints(MemberPlan<T>& plan, const FitOptions& options, const std::string& data_digest,
                      const std::string& settings) {
  const auto checkpoints = std::make_shared<std::vector<Checkpoint<T>>>();
  for (Index member = 0; member < plan.members; ++member) {
    const bool numbered = !options.checkpoint.empty() && member > 0;
    checkpoints->emplace_back(
        numbered ? fmt::format("{}.{}", options.checkpoint, member) : options.checkpoint, data_digest,
        settings);
    if (options.resume) checkpoints->back().check();
  }
  const bool resume = options.resume;
  plan.on_start = [=](Index member, TrainingState<T>& fresh) {
    if (resume) (*checkpoints)[static_cast<std::size_t>(member)].load(fresh);
  };
  plan.on_epoch = [=](Index member, const TrainingState<T>& state) {
    (*checkpoints)[static_cast<std::size_t>(member)].save(state);
  };
  plan.on_end = [=](std::vector<std::string>& notes) {
    for (const Checkpoint<T>& checkpoint : *checkpoints) note_checkpoint(checkpoint.failure(), notes);
  };
}

// What a member learns from, and the rows that end its training (null: none).
template <class T>
struct MemberRows {
  const Objective<T>* training;
  const Objective<T>* validation;
};

struct TrainedMembers {
  std::vector<std::vector<double>> parameters;  // of each
  std::vector<std::size_t> kept;                // which members those are
  FitReport report;  // of the last; the history is that of all, one after the other, the seconds those of all
  std::vector<std::string> notes = {};  // members that diverged, members left out
};

struct MemberFit {
  std::vector<double> parameters;  // empty: not begun, or interrupted before its first epoch was over
  FitReport report;
};

// What the members that are being learned tell the outside, one at a time.
template <class T>
class MemberWatch {
 public:
  MemberWatch(const MemberPlan<T>& plan, const FitOptions& options)
      : plan_(&plan), options_(&options), done_(static_cast<std::size_t>(plan.members), 0), started_(now()) {}

  void start(Index member, TrainingState<T>& fresh) {
    const std::lock_guard lock(mutex_);
    if (plan_->on_start) plan_->on_start(member, fresh);
  }
  void epoch(Index member, const TrainingState<T>& state) {
    const std::lock_guard lock(mutex_);
    if (plan_->on_epoch) plan_->on_epoch(member, state);
    const std::int64_t epochs = plan_->spec.epochs;
    done_[static_cast<std::size_t>(member)] = static_cast<double>(state.epoch) / static_cast<double>(epochs);
    double done = 0;
    for (const double one : done_) done += one;
    if (options_->on_progress)
      options_->on_progress(fit_progress(state, member, plan_->members, epochs, now() - started_, done));
  }
  void end(Index member) {
    const std::lock_guard lock(mutex_);
    done_[static_cast<std::size_t>(member)] = 1;
  }
  bool should_stop() {
    if (!options_->should_stop) return false;
    const std::lock_guard lock(mutex_);
    return stopped_ = stopped_ || options_->should_stop();
  }
  bool stopped() const { return stopped_; }
  double seconds() const { return now() - started_; }

 private:
  const MemberPlan<T>* plan_;
  const FitOptions* options_;
  std::mutex mutex_;
  std::vector<double> done_;  // share of each member's epochs
  double started_;
  bool stopped_ = false;
};

template <class T>
MemberFit train_member(const Objective<T>& training, const Objective<T>* validation, const TrainSpec& spec,
                       Index member, const MemberPlan<T>& plan, MemberWatch<T>& watch, Engine<T>& engine) {
  Trainer<T> trainer(training, validation, spec, engine);
  TrainingState<T> state = trainer.start();
  watch.start(member, state);
  TrainingHooks<T> each;
  each.should_stop = [&] { return watch.should_stop(); };
  each.on_epoch = [&](const TrainingState<T>& current) { watch.epoch(member, current); };
  each.metric = plan.metric;
  MemberFit fit;
  fit.report = trainer.run(state, each);
  watch.end(member);
  if (fit.report.usable && (member == 0 || state.epoch > 0))
    fit.parameters.assign(state.parameters.begin(), state.parameters.end());
  return fit;
}

// Nats per validation row by which a member may be worse than the best one. Members differ by hundredths; one
// that is this far off would spoil the joined network.
inline constexpr double kRuined = 0.5;
// The same where members are judged by different rows, whose losses differ by themselves.
inline constexpr double kRuinedElsewhere = 2;
// Validation rows below which such a difference may be chance.
inline constexpr Index kEnoughToCompare = 20;

// Leaves out members that diverged before their first usable epoch and, where the losses are log-likelihoods,
// those whose validation loss is by `ruined` above the best member's. NumericError where none is left.
inline void drop_ruined(std::vector<MemberFit>& fits, bool likelihood, double ruined,
                        std::vector<std::string>& notes) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t usable = 0;
  for (const MemberFit& fit : fits) {
    if (!fit.parameters.empty()) ++usable;
    if (!fit.parameters.empty() && fit.report.best_monitor < best) best = fit.report.best_monitor;
  }
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const FitReport& report = fits[i].report;
    const std::string which = fits.size() == 1 ? "training" : fmt::format("network {}", i + 1);
    if (!report.usable && usable == 0) throw NumericError("training diverged: " + report.cause);
    if (!report.usable)
      notes.push_back(fmt::format("{} diverged and was left out: {}", which, report.cause));
    else if (report.reason == StopReason::diverged)
      notes.push_back(fmt::format("{} diverged; the model of epoch {} is kept: {}", which, report.best_epoch,
                                  report.cause));
    if (fits[i].parameters.empty() || !likelihood || !(report.best_monitor > best + ruined)) continue;
    notes.push_back(fmt::format("network {} was left out: its validation loss is {:.4g}, the best is {:.4g}",
                                i + 1, report.best_monitor, best));
    fits[i].parameters.clear();
  }
}

// Small members are learned side by side, large ones one after the other, with the same result. The time
// limit is shared; an interrupted fit keeps the members that have seen an epoch. NumericError where all
// diverged without a usable epoch.
// rows: of each member, or once for all of them.
template <class T>
TrainedMembers train_members(std::span<const MemberRows<T>> rows, const MemberPlan<T>& plan,
                             const FitOptions& options, ThreadPool& pool) {
  const Objective<T>& training = *rows[0].training;
  const auto members = static_cast<std::size_t>(plan.members);
  const double step_rows =
      static_cast<double>(plan.spec.optimizer.kind == OptimizerKind::lbfgs
                              ? training.data().rows
                              : std::min<Index>(plan.spec.batch_size, training.data().rows));
  const double numbers_per_step = step_rows * training.numbers_per_row();
  const auto engine = make_engine<T>(pool);
  for (const MemberRows<T>& one : rows) {
    engine->load(*one.training);
    if (one.validation) engine->load(*one.validation);
  }
  const std::size_t at_once = engine->at_once(members, numbers_per_step);
  std::vector<MemberFit> fits(members);
  MemberWatch<T> watch(plan, options);
  engine->together(members, numbers_per_step, [&](std::size_t i, Engine<T>& own) {
    if (i > 0 && watch.should_stop()) return;
    TrainSpec spec = plan.spec;
    const auto rounds = (members + at_once - 1) / at_once;
    spec.time_limit /= static_cast<double>(rounds);
    spec.seed = member_seed(plan.spec.seed, static_cast<Index>(i));
    const MemberRows<T>& own_rows = rows[rows.size() == 1 ? 0 : i];
    fits[i] =
        train_member(*own_rows.training, own_rows.validation, spec, static_cast<Index>(i), plan, watch, own);
  });
  TrainedMembers result;
  const Objective<T>* judged = rows[0].validation;
  const bool comparable =
      training.spec().kind == ObjectiveKind::likelihood && judged && judged->data().rows >= kEnoughToCompare;
  drop_ruined(fits, comparable, rows.size() == 1 ? kRuined : kRuinedElsewhere, result.notes);
  if (plan.on_end) plan.on_end(result.notes);
  for (std::size_t i = 0; i < members; ++i) {
    MemberFit& fit = fits[i];
    if (fit.parameters.empty()) continue;
    result.kept.push_back(i);
    result.parameters.push_back(std::move(fit.parameters));
    fit.report.history.insert(fit.report.history.begin(), result.report.history.begin(),
                              result.report.history.end());
    result.report = std::move(fit.report);
  }
  result.report.seconds = watch.seconds();
  if (watch.stopped()) result.report.reason = StopReason::interrupted;
  if (result.report.reason == StopReason::time_limit)
    result.report.cause = fmt::format("the time limit of {} s was reached", plan.spec.time_limit);
  return result;
}

template <class T>
TrainedMembers train_members(const Objective<T>& training, const Objective<T>* validation,
                             const MemberPlan<T>& plan, const FitOptions& options, ThreadPool& pool) {
  const MemberRows<T> same{&training, validation};
  return train_members<T>(std::span<const MemberRows<T>>(&same, 1), plan, options, pool);
}

// The parameters of the joined network; `architecture` becomes its architecture.
inline std::vector<double> joined(Architecture& architecture, std::vector<std::vector<double>> members) {
  if (members.size() == 1) return std::move(members[0]);
  std::vector<double> parameters = join_parameters(architecture, members);
  architecture = joined_architecture(architecture, static_cast<Index>(members.size()));
  return parameters;
}

}  // namespace bl
