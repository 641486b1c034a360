// A problem in the form asked for.
#pragma once

#include "bl/explain.hpp"
#include "explain/render.hpp"

namespace bl {

// UsageError for a threshold that is no share, and a block that is not there.
std::string render_problem(const explain::Problem& problem, ExplainFormat format,
                           const ExplainOptions& options);

}  // namespace bl
