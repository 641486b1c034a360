// What a fit says in words: its plan, and what to know about its data and its result.
#pragma once

#include <string>
#include <vector>

#include "bl/model.hpp"
#include "fit/trained.hpp"

namespace bl {

std::string plan_text(const Prepared& p);

// About the columns and the rows; what training said; what the metrics of test rows say.
std::vector<std::string> fit_notes(const Prepared& p, const Trained& trained,
                                   const std::vector<Metric>& test_metrics);

}  // namespace bl
