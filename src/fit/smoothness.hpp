// How strongly the bends of curves decay, where the program chooses: a short fit for each of a few strengths,
// and the one that does best on validation rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "bl/fit.hpp"
#include "engine/engine.hpp"
#include "fit/members.hpp"
#include "training/trainer.hpp"

namespace bl {

// Bends decay so many times as fast as straight parts, where nothing else is asked.
inline constexpr double kBendsAgainstLine = 8;

// The strengths that are tried.
using Strengths = std::array<double, 3>;

// For numbers.
inline constexpr Strengths kNumberSmoothness = {0.02, 0.2, 2};

// For classes. What a decay stands for counts less among more rows. Chosen on the validation rows of the
// tables of experiments/tables.py.
inline Strengths class_smoothness(double train_rows) {
  const double middle = 8 * std::sqrt(1400 / std::max(train_rows, 100.0));
  return {middle / 4, middle, 4 * middle};
}

// `decay(strength)` is the decay of every parameter. Without validation rows the middle strength. The same
// for any number of threads.
template <class T>
double chosen_smoothness(const Objective<T>& training, const Objective<T>* validation, const TrainSpec& spec,
                         const Strengths& tried, const std::function<std::vector<double>(double)>& decay,
                         const FitOptions& options, const std::shared_ptr<TimeForeseen>& foreseen,
                         const Context& job) {
  constexpr std::int64_t kShare = 6, kLeastEpochs = 8, kPatience = 4;
  if (validation == nullptr) return tried[1];
  Strengths losses{};
  MemberPlan<T> plan{
      .spec = spec, .members = static_cast<Index>(tried.size()), .foreseen = foreseen, .trial = true};
  plan.spec.epochs = std::min(spec.epochs, std::max(kLeastEpochs, spec.epochs / kShare));
  plan.spec.patience = kPatience;
  plan.spec.time_limit = spec.time_limit / (2 * static_cast<double>(losses.size()));
  plan.first_piece = foreseen->add(tried.size(), static_cast<double>(plan.spec.epochs),
                                   static_cast<double>(training.data().rows));
  MemberWatch<T> watch(
      plan, options, job,
      std::ceil(static_cast<double>(training.data().rows) / static_cast<double>(spec.batch_size)));
  const std::unique_ptr<Engine<T>> engine = make_engine<T>(job);
  const double numbers_per_step =
      static_cast<double>(std::min<Index>(spec.batch_size, training.data().rows)) *
      training.numbers_per_row();
  engine->together(losses.size(), numbers_per_step, [&](std::size_t i, Engine<T>& own) {
    TrainSpec brief = plan.spec;
    brief.optimizer.decay = decay(tried[i]);
    losses[i] = train_member(training, validation, brief, static_cast<Index>(i), plan, watch, own)
                    .report.best_monitor;
  });
  if (job.should_stop()) return tried[1];
  const auto best = std::min_element(losses.begin(), losses.end());
  return tried[static_cast<std::size_t>(best - losses.begin())];
}

}  // namespace bl
