// What a fit used where its settings left the choice to the library.
#pragma once

#include <nlohmann/json.hpp>

#include "bl/settings.hpp"
#include "features/encoder.hpp"
#include "model/architecture.hpp"
#include "objective/objective.hpp"
#include "training/trainer.hpp"

namespace bl {

// Name and text, in the spelling of set(), of every setting whose value was "auto" or stood for one, as it
// was decided: of the architecture of one member, ...
nlohmann::json used_model_settings(const Settings& settings, const Architecture& member, Index members);
// ... of a table, ...
nlohmann::json used_table_settings(const Settings& settings, const Encoder& encoder, ObjectiveKind objective,
                                   Index knots);
// ... and of training. `starts`: of a fit to the minimum; 0: an ordinary fit.
nlohmann::json used_training_settings(const Settings& settings, const TrainSpec& spec, int starts);

}  // namespace bl
