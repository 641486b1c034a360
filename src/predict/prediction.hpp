// Predictions as columns for a person or a file.
#pragma once

#include <span>

#include "base/context.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/row_notes.hpp"

namespace bl {

// `encoder` is the model's, or a more lenient variant of it. Without notes a quadrature that misses the
// tolerance by more than ten times is a NumericError.
OutputTable predict_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                         std::span<const Index> rows, const gibbs::Utility& utility,
                         const PredictOptions& options, const Context& job, RowNotes* notes = nullptr);

}  // namespace bl
