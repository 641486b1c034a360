// Standard errors by the delta method: sqrt(g' V g), g the gradient by the parameters (central differences).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

// Quantities that are computed from a model with other parameters.
using Quantities = std::function<std::vector<double>(const Model&)>;

// Errors of `count` quantities with the stored covariance of this kind; NaN where the rows do not determine
// one. Parameters held at a bound count as known. The model must store a covariance.
std::vector<double> delta_errors(const Model& model, const std::string& covariance, std::size_t count,
                                 const Quantities& quantities);

}  // namespace bl
