// The problem as JSON, complete and both ways: problem -> JSON -> problem loses nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "explain/problem.hpp"

namespace bl::explain {

nlohmann::json to_json(const Problem& problem);

// ModelFileError naming the field for anything that to_json cannot have written.
Problem problem_from_json(const nlohmann::json& json);

}  // namespace bl::explain
