// What a model predicts for encoded rows, and how well: shared by predict, evaluate and fit.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// log p(class | x), rows x classes. The continuous part of a mixed response is integrated out.
Matrix<double> class_log_probabilities(const FittedModel& model, const gibbs::Utility& utility,
                                       const Matrix<double>& context, ThreadPool& pool);

// The metrics that fit the response, of these rows. `encoder` is the model's, or a more lenient variant of
// it.
std::vector<Metric> evaluate_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                                  std::span<const Index> rows, const gibbs::Utility& utility,
                                  ThreadPool& pool);

}  // namespace bl
