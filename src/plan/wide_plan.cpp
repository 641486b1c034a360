#include "plan/wide_plan.hpp"

#include <algorithm>

namespace bl {

namespace {

constexpr Index kMostOrdinaryColumns = 256;
constexpr Index kFewRows = 2000;

// Times the epochs of the first part; shifted images are never quite the same, and teach for longer.
std::int64_t second_part(bool shifts) {
  return shifts ? 4 : 3;
}

}  // namespace

bool is_wide(const UtilityInputs& inputs) {
  return inputs.values == 0 && inputs.classes > 0 &&
         (inputs.context - inputs.bends > kMostOrdinaryColumns || inputs.components > 0);
}

bool plans_wide(const Settings& s, const UtilityInputs& inputs, Index train_rows) {
  return is_wide(inputs) && inputs.bends == 0 && train_rows >= kFewRows && !s.single && !s.identifiable &&
         s.starts == 0 && s.optimizer != "lbfgs";
}

void plan_wide_training(const Settings& s, Index train_rows, bool refits, bool shifts, TrainSpec& spec) {
  constexpr double kRate = 0.003, kRateOfShifts = 0.002;
  constexpr std::int64_t kBatch = 64, kSteps = 2700, kLeastEpochs = 4, kMostEpochs = 10;
  if (s.optimizer == "auto") spec.optimizer.kind = OptimizerKind::adamw;
  const bool adaptive = spec.optimizer.kind != OptimizerKind::sgd;
  if (s.learning_rate == 0 && adaptive) spec.optimizer.learning_rate = shifts ? kRateOfShifts : kRate;
  if (chooses_decay(s, spec)) spec.optimizer.weight_decay = kDecayWithoutChoice;
  if (s.batch_size == 0) spec.batch_size = kBatch;
  const std::int64_t steps = (train_rows + spec.batch_size - 1) / spec.batch_size;  // of an epoch
  if (s.epochs == 0)
    spec.epochs = (refits ? 1 : second_part(shifts)) * std::clamp(kSteps / steps, kLeastEpochs, kMostEpochs);
  if (s.schedule == "auto") spec.schedule = ScheduleKind::cosine;
}

bool chooses_decay(const Settings& s, const TrainSpec& spec) {
  return s.weight_decay < 0 && spec.optimizer.kind == OptimizerKind::adamw;
}

TrainSpec brief_wide_training(TrainSpec spec, bool refits, bool shifts) {
  constexpr double kShareOfTime = 0.1;
  if (!refits) spec.epochs = std::max<std::int64_t>(1, spec.epochs / second_part(shifts));
  spec.time_limit *= kShareOfTime;
  return spec;
}

Monitor plan_monitor(const Settings& s, bool wide) {
  if (s.monitor == "accuracy") return Monitor::accuracy;
  return s.monitor == "none" || (s.monitor == "auto" && wide) ? Monitor::none : Monitor::loss;
}

bool plan_refit(const Settings& s, bool wide, bool given_parts) {
  if (s.refit != "auto") return s.refit == "all";
  return wide && !given_parts && !s.fractions.given() && !s.split.given();
}

TrainSpec refit_training(const Settings& s, TrainSpec first, bool wide, bool shifts, std::int64_t epochs) {
  TrainSpec spec = std::move(first);
  spec.epochs = wide ? second_part(shifts) * epochs : std::max<std::int64_t>(1, 3 * epochs / 2);
  if (s.schedule == "auto") spec.schedule = ScheduleKind::cosine;
  return spec;
}

}  // namespace bl
