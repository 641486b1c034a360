#include "metrics/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::metrics {

double mean_log_likelihood(std::span<const double> log_likelihoods, Weights weights) {
  for (std::size_t i = 0; i < log_likelihoods.size(); ++i)
    if (!(log_likelihoods[i] < std::numeric_limits<double>::infinity()))
      throw NumericError(fmt::format("row {}: {} is not a log-likelihood", i + 1, log_likelihoods[i]));
  return RowWeights(weights, log_likelihoods.size()).mean([&](std::size_t i) { return log_likelihoods[i]; });
}

double rho_square(double null_log_likelihood, double final_log_likelihood, Index parameters) {
  if (!(null_log_likelihood < 0.0) || !std::isfinite(null_log_likelihood))
    throw NumericError(
        fmt::format("rho-square needs a null log-likelihood below zero, found {}", null_log_likelihood));
  if (!std::isfinite(final_log_likelihood))
    throw NumericError(fmt::format("rho-square of a final log-likelihood of {}", final_log_likelihood));
  return 1.0 - (final_log_likelihood - static_cast<double>(parameters)) / null_log_likelihood;
}

IntervalSummary interval_summary(std::span<const double> truth, std::span<const double> lower,
                                 std::span<const double> upper, Weights weights) {
  check_same_length("lower ends", lower.size(), truth.size());
  check_same_length("upper ends", upper.size(), truth.size());
  check_responses(truth);
  check_predictions("lower end", lower);
  check_predictions("upper end", upper);
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (lower[i] > upper[i])
      throw NumericError(fmt::format("row {}: interval from {} to {} is empty", i + 1, lower[i], upper[i]));
  const RowWeights w(weights, truth.size());
  return {w.mean([&](std::size_t i) { return lower[i] <= truth[i] && truth[i] <= upper[i] ? 1.0 : 0.0; }),
          w.mean([&](std::size_t i) { return upper[i] - lower[i]; })};
}

}  // namespace bl::metrics
