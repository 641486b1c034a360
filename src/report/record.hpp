// What it takes to make the same model and report again.
#pragma once

#include <string>

#include "bl/data.hpp"
#include "bl/report.hpp"
#include "fitted/fitted_model.hpp"

namespace bl::report {

std::string record_html(const FittedModel& model, const Data& data, const ReportOptions& options);

}  // namespace bl::report
