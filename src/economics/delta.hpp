// Standard errors by the delta method: sqrt(g' V g), g the gradient by the parameters (central differences).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

// Quantities that are computed from a model with other parameters.
using Quantities = std::function<std::vector<double>(const Model&)>;

// Of the parameters that have errors: `estimated` (Inference::covariance), or where it is empty the stored one
// of this kind. UsageError where the model stores none.
Eigen::MatrixXd covariance_for(const Model& model, const std::string& kind,
                               const std::vector<double>& estimated = {});

// Errors of `count` quantities; NaN where the rows do not determine one. Parameters held at a bound count as
// known.
std::vector<double> delta_errors(const Model& model, const Eigen::MatrixXd& covariance, std::size_t count,
                                 const Quantities& quantities);

}  // namespace bl
