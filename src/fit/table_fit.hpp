// From a table to a model of its responses.
#pragma once

#include "bl/fit.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

FitSummary fit_table(const Table& table, const Settings& settings, const FitOptions& options);

}  // namespace bl
