// An estimate as a model file keeps it.
#pragma once

#include <vector>

#include "artifact/stored_inference.hpp"
#include "inference/estimate.hpp"

namespace bl {

std::vector<double> row_major(const Eigen::MatrixXd& matrix);
Eigen::MatrixXd square_matrix(const std::vector<double>& row_major);

// Both covariances and the facts about the estimate. Of the data, rows, responses and weights count.
StoredInference stored_of(const inference::Estimate& estimate, const DatasetView<double>& data,
                          ObjectiveKind kind, Index reference);
StoredInference stored_of(const inference::Estimate& estimate, const Objective<double>& objective,
                          Index reference);

}  // namespace bl
