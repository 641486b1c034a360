// How what is predicted responds to one column, the other columns as they are.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "economics/typical.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/row_notes.hpp"

namespace bl {

// Every row once with each of the cells in this column (a position among the features): cell by cell.
Table with_cells(const Encoder& encoder, const Table& rows, std::size_t column,
                 const std::vector<Cell>& cells);

// Means over the rows of some columns of predict_rows where the column holds each of the cells:
// [outcome][cell].
std::vector<std::vector<double>> mean_responses(const FittedModel& model, const Encoder& encoder,
                                                const Table& rows, std::size_t column,
                                                const std::vector<Cell>& cells,
                                                const std::vector<std::size_t>& outcomes,
                                                const PredictOptions& options, const Context& job,
                                                RowNotes* notes = nullptr);

}  // namespace bl
