// Pointwise standard errors of curves and products of two; tests of whether they bend, or have an effect.
#pragma once

#include <Eigen/Core>

#include "artifact/model_file.hpp"
#include "explain/problem.hpp"
#include "explain/read_problem.hpp"

namespace bl::explain {

// By the delta method: both are linear in their head's weights, of which `covariance` holds the entries at
// the stored positions (NaN: not determined). Curves without bends have no band. `problem` is that of the
// model, in its units; `model` stores an inference.
void add_bands(const StoredModel& model, const CurveMaps& maps, const Eigen::MatrixXd& covariance,
               Problem& problem);

}  // namespace bl::explain
