// Classes of wide inputs: images, text, hundreds of columns. What settings leave open is decided by shapes, with
// rules that were chosen on subsets of training rows (docs/reproduction/high_dimensions.md).
#pragma once

#include "bl/settings.hpp"
#include "plan/plan.hpp"
#include "training/trainer.hpp"

namespace bl {

// Classes alone, of more than 256 straight columns or of text.
bool is_wide(const UtilityInputs& inputs);

// Whether a fit of this many training rows follows the rules for wide inputs: fewer are learned with early
// stopping, like other tables. Curves have rules of their own.
bool plans_wide(const Settings& settings, const UtilityInputs& inputs, Index train_rows);

// AdamW with decay, small batches and a step size that falls to zero within a fixed number of epochs, where the
// settings do not say otherwise.
void plan_wide_training(const Settings& settings, Index train_rows, TrainSpec& spec);

// What validation rows choose the epoch by.
enum class Monitor { loss, accuracy, none };
Monitor plan_monitor(const Settings& settings, bool wide);

// Whether the model that is kept goes on to learn from all rows. `given_parts`: the caller said what each row is
// for.
bool plan_refit(const Settings& settings, bool wide, bool given_parts);

// The training of that second part, which begins where the first, of `epochs` epochs, ended.
TrainSpec refit_training(const Settings& settings, TrainSpec first, std::int64_t epochs);

}  // namespace bl
