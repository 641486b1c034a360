// What fits of tables and of choices share: networks learned from different seeds and then joined.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "artifact/checkpoint.hpp"
#include "base/context.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "fit/time_foreseen.hpp"
#include "model/join.hpp"
#include "training/trainer.hpp"

namespace bl {

// The first member has the seed itself; the others take far ones.
inline std::uint64_t member_seed(std::uint64_t seed, Index member) {
  return seed + static_cast<std::uint64_t>(member) * 0x9E3779B97F4A7C15U;
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
  // Of all that the members are part of, and which of its pieces is the first of them; null: of these alone.
  std::shared_ptr<TimeForeseen> foreseen = {};
  std::size_t first_piece = 0;
  bool trial = false;  // FitProgress::trial
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
                      const std::string& settings, const Context& job) {
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
    (*checkpoints)[static_cast<std::size_t>(member)].save(state, job);
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
  // batches: of an epoch.
  MemberWatch(const MemberPlan<T>& plan, const FitOptions& options, const Context& job, double batches)
      : plan_(&plan),
        options_(&options),
        job_(job),
        foreseen_(plan.foreseen),
        batches_(batches),
        started_(job.seconds()) {
    if (!foreseen_) {
      foreseen_ = std::make_shared<TimeForeseen>(job);
      foreseen_->add(static_cast<std::size_t>(plan.members), static_cast<double>(plan.spec.epochs), 1);
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (Index member = 0; member < plan.members; ++member)
      standing_.push_back({.progress = {.member = member + 1,
                                        .members = plan.members,
                                        .epochs = plan.spec.epochs,
                                        .train_loss = kNone,
                                        .validation_loss = kNone,
                                        .best = kNone,
                                        .trial = plan.trial}});
    told_ = foreseen_->time();
  }

  void start(Index member, TrainingState<T>& fresh) {
    const std::lock_guard lock(mutex_);
    if (plan_->on_start) plan_->on_start(member, fresh);
    at(member).progress.epoch = fresh.epoch;
    foreseen_->go_on_from(piece(member), static_cast<double>(fresh.epoch));
  }
  void batch(Index member) {
    const std::lock_guard lock(mutex_);
    Standing& now_at = at(member);
    ++now_at.batches;
    if (options_->on_progress && long_silent()) {
      now_at.progress.epoch_share = std::clamp(now_at.batches / batches_, 0.0, 1.0);
      tell(member);
    }
  }
  void epoch(Index member, const TrainingState<T>& state) {
    const std::lock_guard lock(mutex_);
    if (plan_->on_epoch) plan_->on_epoch(member, state);
    Standing& now_at = at(member);
    const EpochRecord& record = state.history.back();
    now_at.batches = 0;
    now_at.progress.epoch = state.epoch;
    now_at.progress.epoch_share = 0;
    now_at.progress.train_loss = record.train_loss;
    now_at.progress.validation_loss = record.validation_loss;
    now_at.progress.best = state.best_monitor;
    now_at.progress.best_epoch = state.best_epoch;
    foreseen_->reach(piece(member), static_cast<double>(state.epoch));
    if (options_->on_progress && (!plan_->trial || long_silent())) tell(member);
  }
  void end(Index member) {
    const std::lock_guard lock(mutex_);
    foreseen_->end(piece(member));
  }
  double seconds() const { return job_.seconds() - started_; }

 private:
  struct Standing {
    FitProgress progress;
    double batches = 0;  // of the epoch that is being run
  };

  Standing& at(Index member) { return standing_[static_cast<std::size_t>(member)]; }
  std::size_t piece(Index member) const { return plan_->first_piece + static_cast<std::size_t>(member); }
  bool long_silent() const { return foreseen_->time() - told_ >= 1; }
  void tell(Index member) {
    FitProgress& progress = at(member).progress;
    foreseen_->reach(piece(member), static_cast<double>(progress.epoch) + progress.epoch_share);
    const TimeForeseen::Left left = foreseen_->left();
    progress.seconds = told_ = foreseen_->time();
    progress.seconds_left = left.seconds;
    progress.left_at_most = left.at_most;
    options_->on_progress(progress);
  }

  const MemberPlan<T>* plan_;
  const FitOptions* options_;
  Context job_;
  std::mutex mutex_;
  std::shared_ptr<TimeForeseen> foreseen_;
  double batches_;
  std::vector<Standing> standing_;
  double started_, told_ = 0;  // on the clocks of the context and of what is foreseen
};

template <class T>
MemberFit train_member(const Objective<T>& training, const Objective<T>* validation, const TrainSpec& spec,
                       Index member, const MemberPlan<T>& plan, MemberWatch<T>& watch, Engine<T>& engine) {
  Trainer<T> trainer(training, validation, spec, engine);
  TrainingState<T> state = trainer.start();
  watch.start(member, state);
  TrainingHooks<T> each;
  each.on_batch = [&] { watch.batch(member); };
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
                             const FitOptions& options, const Context& job) {
  const Objective<T>& training = *rows[0].training;
  const auto members = static_cast<std::size_t>(plan.members);
  const double step_rows =
      static_cast<double>(plan.spec.optimizer.kind == OptimizerKind::lbfgs
                              ? training.data().rows
                              : std::min<Index>(plan.spec.batch_size, training.data().rows));
  const double numbers_per_step = step_rows * training.numbers_per_row();
  const auto engine = make_engine<T>(job);
  for (const MemberRows<T>& one : rows) {
    engine->load(*one.training);
    if (one.validation) engine->load(*one.validation);
  }
  const std::size_t at_once = engine->at_once(members, numbers_per_step);
  std::vector<MemberFit> fits(members);
  MemberWatch<T> watch(plan, options, job, std::ceil(static_cast<double>(training.data().rows) / step_rows));
  engine->together(members, numbers_per_step, [&](std::size_t i, Engine<T>& own) {
    if (i > 0 && job.should_stop()) return;
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
  if (job.stopped()) result.report.reason = StopReason::interrupted;
  if (result.report.reason == StopReason::time_limit)
    result.report.cause = fmt::format("the time limit of {} s was reached", plan.spec.time_limit);
  return result;
}

template <class T>
TrainedMembers train_members(const Objective<T>& training, const Objective<T>* validation,
                             const MemberPlan<T>& plan, const FitOptions& options, const Context& job) {
  const MemberRows<T> same{&training, validation};
  return train_members<T>(std::span<const MemberRows<T>>(&same, 1), plan, options, job);
}

// The parameters of the joined network; `architecture` becomes its architecture.
inline std::vector<double> joined(Architecture& architecture, std::vector<std::vector<double>> members) {
  if (members.size() == 1) return std::move(members[0]);
  std::vector<double> parameters = join_parameters(architecture, members);
  architecture = joined_architecture(architecture, static_cast<Index>(members.size()));
  return parameters;
}

}  // namespace bl
