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

// As they are stored, of a model beyond the logit those that go beyond; and the model with others.
std::vector<double> stored_parameters(const Model& model);
Model with_parameters(const Model& model, std::vector<double> parameters);

// Of the parameters that have errors: `estimated` (Inference::covariance), or where it is empty the stored one
// of this kind. UsageError where the model stores none.
Eigen::MatrixXd covariance_for(const Model& model, const std::string& kind,
                               const std::vector<double>& estimated = {});

// Errors of `count` quantities; NaN where the rows do not determine one. Parameters held at a bound count as
// known.
std::vector<double> delta_errors(const Model& model, const Eigen::MatrixXd& covariance, std::size_t count,
                                 const Quantities& quantities);

}  // namespace bl
