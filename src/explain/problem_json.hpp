// The problem as JSON, complete and both ways: problem -> JSON -> problem loses nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "explain/factor_reading.hpp"
#include "explain/problem.hpp"

namespace bl::explain {

nlohmann::json to_json(const Problem& problem);

// The same with what follows from it: "hierarchy" (by layer and block: influence, what it reads, its profile)
// and "readings". problem_from_json passes over both.
nlohmann::json explain_json(const Problem& problem, const std::vector<FactorReading>& readings);

// ModelFileError naming the field for anything that to_json cannot have written.
Problem problem_from_json(const nlohmann::json& json);

}  // namespace bl::explain
