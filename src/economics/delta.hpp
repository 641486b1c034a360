// Standard errors by the delta method: sqrt(g' V g), g the gradient by the parameters (central differences).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "bl/model.hpp"
#include "features/beyond_names.hpp"

namespace bl {

// Quantities that are computed from a model with other parameters.
using Quantities = std::function<std::vector<double>(const Model&)>;

// As they are stored, of a model beyond the logit those that go beyond.
std::vector<double> stored_parameters(const Model& model);

// The model with other parameters, and without covariances.
class MovedModel {
 public:
  explicit MovedModel(const Model& model);
  Model at(std::vector<double> parameters) const;

 private:
  StoredModel rest_;
  std::vector<UtilityParameter> utility_;  // of a model beyond the logit
};

// Of the parameters that have errors: `estimated` (Inference::covariance), or where it is empty the stored
// one of this kind. UsageError where the model stores none.
Eigen::MatrixXd covariance_for(const Model& model, const std::string& kind,
                               const std::vector<double>& estimated = {});

// Errors of `count` quantities; NaN where the rows do not determine one. Parameters held at a bound count as
// known.
std::vector<double> delta_errors(const Model& model, const Eigen::MatrixXd& covariance, std::size_t count,
                                 const Quantities& quantities);

}  // namespace bl
