// What a model file keeps of a fit.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "artifact/model_file.hpp"
#include "bl/model.hpp"
#include "fit/trained.hpp"
#include "plan/unused_settings.hpp"

namespace bl {

// Of the rows that were held out.
nlohmann::json held_out_metrics(const FitSummary& summary);

// What was decided where the settings left the choice; the architecture is still that of one member.
nlohmann::json used_settings(const Prepared& p, const Trained& trained, const FitUse& use, int starts);

// The model as it is stored; `p` takes the architecture of all members.
StoredModel stored_model(Prepared& p, Trained& trained, bool to_minimum, const FitOptions& options);

}  // namespace bl
