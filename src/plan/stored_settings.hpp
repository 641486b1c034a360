// The settings of a fit as a model file keeps them.
#pragma once

#include <nlohmann/json.hpp>

#include "bl/settings.hpp"

namespace bl {

// The number of threads, the device and the place of the data are left out: nothing depends on them, so
// neither a model file nor a checkpoint may.
nlohmann::json settings_json(const Settings& settings);

// Their values as "settings", the names of those that were given as "given".
void store_settings(const Settings& settings, nlohmann::json& information);

// From what a model says about its fit. ModelFileError where they cannot be read.
Settings stored_settings(const nlohmann::json& information);

}  // namespace bl
