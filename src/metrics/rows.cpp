#include "metrics/rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/errors.hpp"

namespace bl::metrics {

RowWeights::RowWeights(Weights weights, std::size_t rows) : weights_(weights), rows_(rows) {
  if (rows == 0) throw DataError("there are no rows to score");
  if (!weights.empty()) check_same_length("weights", weights.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double w = (*this)[i];
    if (!(w >= 0.0) || !std::isfinite(w))
      throw DataError(fmt::format("row {}: weight {} is not a non-negative number", i + 1, w));
    total_ += w;
  }
  if (!(total_ > 0.0)) throw DataError("all rows have weight zero");
}

void check_same_length(const char* what, std::size_t rows, std::size_t expected) {
  if (rows != expected) throw UsageError(fmt::format("{}: {} rows given, expected {}", what, rows, expected));
}

void check_responses(std::span<const double> responses) {
  for (std::size_t i = 0; i < responses.size(); ++i)
    if (!std::isfinite(responses[i]))
      throw DataError(fmt::format("row {}: response {} is not finite", i + 1, responses[i]));
}

void check_predictions(const char* what, std::span<const double> predictions) {
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (!std::isfinite(predictions[i]))
      throw NumericError(fmt::format("row {}: {} {} is not finite", i + 1, what, predictions[i]));
}

}  // namespace bl::metrics
