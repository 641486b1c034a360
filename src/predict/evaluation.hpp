// What a model predicts for encoded rows, and how well: shared by predict, evaluate and fit.
#pragma once

#include <span>
#include <vector>

#include "base/context.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/predicted_rows.hpp"
#include "predict/row_notes.hpp"

namespace bl {

// log p(class | x), rows x classes. The continuous part of a mixed response is integrated out.
Matrix<double> class_log_probabilities(const FittedModel& model, const gibbs::Utility& utility,
                                       const Matrix<double>& context, const Context& job,
                                       RowNotes* notes = nullptr);

// The same of all rows of a part, for all ranks.
Matrix<double> class_log_probabilities(const FittedModel& model, const gibbs::Utility& utility,
                                       const PredictedRows& part, const Context& job,
                                       RowNotes* notes = nullptr);

std::vector<Metric> class_metrics(std::span<const std::int32_t> truth,
                                  const Matrix<double>& log_probabilities, std::span<const double> weights);

// Of rows with their classes. NumericError naming a row whose probabilities are no numbers.
struct JudgedClasses {
  std::vector<std::int32_t> truth;
  Matrix<double> log_probability;
};
JudgedClasses judged_classes(const FittedModel& model, const PredictedRows& part, const Table& table,
                             std::span<const Index> rows, const gibbs::Utility& utility, const Context& job,
                             RowNotes* notes);

// One continuous response row by row, in the data's units.
struct NumberRows {
  std::vector<double> truth, mean, log_density, crps;
  std::vector<double> lower, upper;  // the central 90%
  Matrix<double> quantiles;          // rows x levels
};
NumberRows number_rows(const gibbs::Utility& utility, const ResponseEncoding& response,
                       const Matrix<double>& context, std::vector<double> truth,
                       const std::vector<double>& levels, const Context& job, RowNotes* notes = nullptr);
std::vector<Metric> number_metrics(const NumberRows& rows, std::span<const double> weights);

// The metrics that fit the response, of these rows. `encoder` is the model's, or a more lenient variant of
// it. Where the features lie with several ranks: of a class or one number alone.
std::vector<Metric> evaluate_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                                  std::span<const Index> rows, const gibbs::Utility& utility,
                                  const Context& job, RowNotes* notes = nullptr,
                                  const SharedTable* shared = nullptr);
// The same of rows that are encoded.
std::vector<Metric> evaluate_rows(const FittedModel& model, const PredictedRows& part, const Table& table,
                                  std::span<const Index> rows, const gibbs::Utility& utility,
                                  const Context& job, RowNotes* notes = nullptr);

// The rows of a part that have their responses; rows without are noted.
std::vector<Index> judged_rows(const FittedModel& model, const Table& table, Part part, RowNotes* notes,
                               const SharedTable* shared = nullptr);

// The metrics of a part of a table, with notes to who asked for them: Model::evaluate. Where features lie
// with several ranks `table` has the rest.
Evaluation evaluate_table(const FittedModel& model, const Table& table, Part part,
                          const PredictOptions& options, const Context& job,
                          const SharedTable* shared = nullptr);

}  // namespace bl
