// How far a row is from those that a model of classes has learned from. Two scores, low for rows that are
// unlike them: the energy, log sum over classes of exp(utility / tau), times tau; and the probability of the
// likeliest class. Each comes with its place among the training rows' scores.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "data/shared_table.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

struct RowScores {
  std::vector<double> energy, max_probability;
};
RowScores row_scores(const gibbs::Utility& utility, const Matrix<double>& context, const Context& job);

// `shared` has the features where they lie with several ranks. Quantiles of the scores of these rows, or of
// evenly spaced ones where they are many, as a model file keeps them; null where one is not finite.
nlohmann::json score_quantiles(const FittedModel& model, const Encoder& encoder, const Table& table,
                               std::span<const Index> rows, const Context& job,
                               const SharedTable* shared = nullptr);

// Columns energy, energy percentile, max_probability, max_probability percentile: percentiles are 0 below all
// training rows, 100 above. UsageError where the response is no class, or the file keeps no quantiles.
void score_columns(const FittedModel& model, const gibbs::Utility& utility, const Matrix<double>& context,
                   const Context& job, OutputTable& out);

}  // namespace bl
