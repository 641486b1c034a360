// What fits of tables and of choices share about networks that are learned one after the other and then
// joined.
#pragma once

#include <cstdint>

#include "bl/fit.hpp"
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

}  // namespace bl
