// The learned problem as formulas in HTML, and the picture of the network.
#pragma once

#include <string>

#include "explain/problem.hpp"
#include "fitted/fitted_model.hpp"

namespace bl::report {

// The general form, and how this model fills it.
std::string problem_statement(const FittedModel& model, const explain::Problem& problem);
// One closed entry per block, the most influential first; each has its formulas in both units.
std::string blocks_html(const explain::Problem& original, const explain::Problem& standardised);
// The network from data to utility, or the one block that there is.
std::string picture_html(const explain::Problem& standardised);

}  // namespace bl::report
