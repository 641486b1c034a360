// The training loop: which rows when, when to stop, and the report of what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "training/lbfgs.hpp"

namespace bl {

enum class ScheduleKind { constant, cosine, plateau };
std::string_view name(ScheduleKind kind);
ScheduleKind schedule_from_name(std::string_view name);  // throws UsageError

// What is validated and kept is the running mean of the parameters, where there is one.
struct TrainSpec : UpdateSpec {
  ScheduleKind schedule = ScheduleKind::constant;
  double plateau_factor = 0.5;
  std::int64_t plateau_patience = 5;
  std::int64_t epochs = 200;  // L-BFGS: iterations
  std::int64_t batch_size = 256;
  std::int64_t patience = 20;        // epochs without improvement of the monitored value; 0: never stop early
  double gradient_tolerance = 1e-6;  // L-BFGS: converged when the gradient's norm is below
  double sigma_final = 0;  // score matching: sigma moves geometrically to this over the epochs; 0: constant
  double time_limit = 0;   // seconds; 0: none
  std::uint64_t seed = 0;
};

enum class StopReason {
  converged,
  early_stopping,
  max_epochs,
  time_limit,
  interrupted,
  no_descent,
  diverged
};
std::string_view name(StopReason reason);

struct EpochRecord {
  std::int64_t epoch = 0;  // from 1
  double train_loss = 0;
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double monitor = std::numeric_limits<double>::quiet_NaN();  // what early stopping watches; lower is better
  double gradient_norm = 0;
  double learning_rate = 0;
};

// Complete at the end of every epoch: saving it and running on gives results bit-identical to those without a
// stop.
template <class T>
struct TrainingState : LearnerState<T> {
  std::int64_t epoch = 0;
  std::vector<T> best_parameters;  // empty until something was monitored
  double best_monitor = std::numeric_limits<double>::infinity();
  std::int64_t best_epoch = 0;
  std::int64_t stale_epochs = 0;    // since the best
  std::int64_t plateau_epochs = 0;  // since the best or the last cut of the rate
  double rate_factor = 1;
  LbfgsState<T> lbfgs;
  std::vector<EpochRecord> history;
};

struct FitReport {
  StopReason reason = StopReason::max_epochs;
  std::string cause;  // in words
  std::int64_t epochs = 0;
  std::int64_t best_epoch = 0;
  double final_loss = 0;  // training loss of the last epoch
  double best_monitor = std::numeric_limits<double>::quiet_NaN();
  bool usable = true;        // false: training diverged before an epoch worth keeping was over
  double gradient_norm = 0;  // of the last batch, before clipping; L-BFGS: at the final point
  double seconds = 0;
  std::vector<EpochRecord> history;
};

template <class T>
struct TrainingHooks {
  std::function<void(const TrainingState<T>&)> on_epoch = {};   // progress, checkpoints
  std::function<void()> on_batch = {};                          // after every step of an epoch
  std::function<bool(const TrainingState<T>&)> converged = {};  // after every epoch: whether it is enough
  // Replaces the validation loss as the monitored value; lower is better.
  std::function<double(std::span<const T> parameters)> metric = {};
};

template <class T>
class Trainer {
 public:
  // validation may be null. The objectives and the engine must outlive the trainer; the engine's context ends
  // the run early.
  Trainer(const Objective<T>& training, const Objective<T>* validation, TrainSpec spec, Engine<T>& engine);

  // A fresh state from the seed.
  TrainingState<T> start() const;
  // Runs until a reason to stop; on return state.parameters are the best where something was monitored. A run
  // that diverges ends with the best epoch, or without a monitor with the last whole one.
  FitReport run(TrainingState<T>& state, const TrainingHooks<T>& hooks = {});

 private:
  struct EpochOutcome {
    double loss = 0;
    double gradient_norm = 0;
    std::optional<StopReason> stop;
    std::string cause;
  };
  void cut_batches();
  // Why to end the run between two steps, if at all.
  std::optional<StopReason> asked_to_stop() const;
  EpochOutcome stochastic_epoch(TrainingState<T>& state, const TrainingHooks<T>& hooks);
  EpochOutcome lbfgs_iteration(TrainingState<T>& state);
  const std::vector<T>& kept(const TrainingState<T>& state) const;  // what is validated
  double learning_rate(const TrainingState<T>& state) const;
  double sigma(std::int64_t epoch) const;
  double validation_loss(std::span<const T> parameters);
  // Updates the best, the patience and the plateau; true when patience has run out.
  bool monitor(TrainingState<T>& state, double value);
  bool out_of_time() const;

  const Objective<T>* training_;
  const Objective<T>* validation_;
  TrainSpec spec_;
  Lbfgs<T> lbfgs_;
  Engine<T>* engine_;
  RowSet training_rows_ = 0, validation_rows_ = 0;
  std::vector<std::int64_t> order_, all_, all_validation_;  // row numbers: shuffled, in order
  std::vector<Batch> batches_;                              // of order_
  double total_weight_ = 0;
  double started_ = 0;
};

}  // namespace bl
