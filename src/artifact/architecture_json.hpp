// The architecture as JSON, both ways.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/architecture.hpp"

namespace bl {

nlohmann::json to_json(const Architecture& architecture);

// ModelFileError naming the field for anything that to_json cannot have written, and for a model that cannot
// be.
Architecture architecture_from_json(const nlohmann::json& json);

}  // namespace bl
