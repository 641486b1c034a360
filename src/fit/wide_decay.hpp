// How strongly weights decay for classes of wide inputs, where the program chooses: brief fits from part of
// the training rows, judged on validation rows. experiments/wide_schedules.py has what the rule was chosen
// by.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "bl/fit.hpp"
#include "engine/engine.hpp"
#include "fit/training_rows.hpp"
#include "plan/wide_plan.hpp"
#include "training/trainer.hpp"

namespace bl {

struct ChosenDecay {
  double decay = 0;
  std::string note;
  double seconds = 0;
};

// Some of the rows, a function of the seed alone; in ascending order, as those of a split are.
inline std::vector<Index> brief_rows(const std::vector<Index>& train, std::uint64_t seed) {
  constexpr std::size_t kMost = 24000;
  constexpr std::uint32_t kBriefRows = 4;  // what the stream is for, among those of splits
  if (train.size() <= kMost) return train;
  std::vector<std::int64_t> order(train.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffled_order(RandomStream(seed, Purpose::split, kBriefRows), order);
  std::vector<Index> rows;
  for (std::size_t i = 0; i < kMost; ++i) rows.push_back(train[static_cast<std::size_t>(order[i])]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Validation losses of brief fits with these decays, all in one piece of work; infinite where one diverged.
template <class T>
std::vector<double> brief_losses(const Objective<T>& training, const Objective<T>& validation,
                                 const TrainSpec& brief, std::span<const double> decays, Engine<T>& engine) {
  std::vector<double> losses(decays.size(), std::numeric_limits<double>::infinity());
  const double numbers_per_step =
      static_cast<double>(std::min<Index>(brief.batch_size, training.data().rows)) *
      training.numbers_per_row();
  const std::string stage = fmt::format("epochs to choose how weights decay (up to {})", decays.back());
  const auto epochs = static_cast<std::int64_t>(decays.size()) * brief.epochs;
  std::atomic<std::int64_t> done = 0;
  engine.together(decays.size(), numbers_per_step, [&](std::size_t i, Engine<T>& own) {
    TrainSpec spec = brief;
    spec.optimizer.weight_decay = decays[i];
    Trainer<T> trainer(training, &validation, spec, own);
    TrainingState<T> state = trainer.start();
    TrainingHooks<T> hooks;  // all epochs are run
    hooks.on_epoch = [&](const TrainingState<T>&) { engine.context().tell(stage, ++done, epochs); };
    hooks.metric = [](std::span<const T>) { return std::numeric_limits<double>::quiet_NaN(); };
    const FitReport report = trainer.run(state, hooks);
    if (report.reason == StopReason::max_epochs) losses[i] = report.history.back().validation_loss;
  });
  return losses;
}

// All decays but the strongest are tried where rows are few, the two weakest elsewhere; then a stronger one
// for as long as the last step up brought a tenth and more. The same for any number of threads.
template <class T>
ChosenDecay chosen_decay(const Prepared& p, const Objective<T>& all, const Objective<T>& validation,
                         const TrainSpec& spec, const Context& job) {
  constexpr double kWorthAnother = 0.9;
  constexpr Index kFewRows = 10000;
  std::optional<Prepared> part;
  std::optional<TrainingRows<T>> rows;
  std::optional<Objective<T>> some;
  if (auto brief = brief_rows(p.split.train, spec.seed); brief.size() < p.split.train.size()) {
    part.emplace(p).split.train = std::move(brief);
    rows.emplace(*part);
    some.emplace(all.network(), rows->objective, rows->rows.view());
  }
  const Objective<T>& training = some ? *some : all;
  const TrainSpec brief = brief_wide_training(spec, p.refits, p.shifts);
  const std::unique_ptr<Engine<T>> engine = make_engine<T>(job);
  engine->load(training);
  engine->load(validation);
  const double started = job.seconds();  // seconds of training do not count the loading of rows
  const auto tried = std::span<const double>(kTriedDecays);
  const std::size_t at_first = training.data().rows <= kFewRows ? tried.size() - 1 : 2;
  std::vector<double> losses = brief_losses<T>(training, validation, brief, tried.first(at_first), *engine);
  while (losses.size() < tried.size() && losses.back() < kWorthAnother * losses[losses.size() - 2])
    losses.push_back(
        brief_losses<T>(training, validation, brief, tried.subspan(losses.size(), 1), *engine)[0]);
  const auto best = std::min_element(losses.begin(), losses.end());
  ChosenDecay out;
  out.decay = kDecayWithoutChoice;
  if (!std::isfinite(*best) || job.should_stop()) return out;
  out.decay = decay_of_long_fits(p.shifts) * tried[static_cast<std::size_t>(best - losses.begin())];
  std::string ends;
  for (std::size_t i = 0; i < losses.size(); ++i)
    ends += fmt::format("{}{:.4g} with {}", i > 0 ? ", " : "", losses[i], tried[i]);
  out.note = fmt::format(
      "decay of weights {:.4g}, chosen on validation rows (loss of brief fits: {}); `weight_decay` gives "
      "another",
      out.decay, ends);
  out.seconds = job.seconds() - started;
  return out;
}

}  // namespace bl
