// Coefficients with intervals where the model has a covariance, and why not where it has none.
#pragma once

#include <string>

#include "bl/model.hpp"

namespace bl::report {

std::string coefficients_html(const Model& model);

}  // namespace bl::report
