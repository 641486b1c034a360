// The problem as JSON, complete: whoever reads it has the whole problem.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "explain/factor_reading.hpp"
#include "explain/problem.hpp"

namespace bl::explain {

nlohmann::json to_json(const Problem& problem);

// The same with what follows from it: "hierarchy" (by layer and block: influence, what it reads, its profile)
// and "readings".
nlohmann::json explain_json(const Problem& problem, const std::vector<FactorReading>& readings);

}  // namespace bl::explain
