// Classes of wide inputs: images, text, hundreds of columns. What settings leave open is decided by shapes,
// with rules that were chosen on subsets of training rows (docs/reproduction/high_dimensions.md).
#pragma once

#include <array>

#include "bl/settings.hpp"
#include "plan/plan.hpp"
#include "training/trainer.hpp"

namespace bl {

// Classes alone, of more than 256 straight columns or of text.
bool is_wide(const UtilityInputs& inputs);

// Whether a fit of this many training rows follows the rules for wide inputs: fewer are learned with early
// stopping, like other tables. Curves have rules of their own.
bool plans_wide(const Settings& settings, const UtilityInputs& inputs, Index train_rows);

// AdamW with decay, small batches and a step size that falls to zero within a fixed number of epochs, where
// the settings do not say otherwise. refits: a second part follows, that learns from all rows. shifts: images
// are shifted.
void plan_wide_training(const Settings& settings, Index train_rows, bool refits, bool shifts,
                        TrainSpec& spec);

// The decay of weights is chosen by brief fits on validation rows, where it is not given. From weak to
// strong:
inline constexpr std::array<double, 6> kTriedDecays = {0.1, 0.25, 0.625, 1.6, 4, 10};
// A long fit is best with a little more than a brief one; of shifted images, which do not repeat themselves,
// with less.
constexpr double decay_of_long_fits(bool shifts) {
  return shifts ? 0.7 : 1.25;
}
inline constexpr double kDecayWithoutChoice = 0.25;
bool chooses_decay(const Settings& settings, const TrainSpec& spec);
TrainSpec brief_wide_training(TrainSpec spec, bool refits, bool shifts);

// What validation rows choose the epoch by.
enum class Monitor { loss, accuracy, none };
Monitor plan_monitor(const Settings& settings, bool wide);

// Whether the model that is kept goes on to learn from all rows. `given_parts`: the caller said what each row
// is for.
bool plan_refit(const Settings& settings, bool wide, bool given_parts);

// The training of that second part, which begins where the first, of `epochs` epochs, ended.
TrainSpec refit_training(const Settings& settings, TrainSpec first, bool wide, bool shifts,
                         std::int64_t epochs);

}  // namespace bl
