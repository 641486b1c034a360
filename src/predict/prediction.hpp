// Predictions as columns for a person or a file.
#pragma once

#include <span>

#include "base/parallel.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// `encoder` is the model's, or a more lenient variant of it.
OutputTable predict_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                         std::span<const Index> rows, const gibbs::Utility& utility,
                         const PredictOptions& options, ThreadPool& pool);

}  // namespace bl
