#include "metrics/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

// Integral of the square of a linear function that goes from a to b over a stretch of this length.
double integral_of_square(double length, double a, double b) {
  return length * (a * a + a * b + b * b) / 3.0;
}

// Parts of one row's distribution: which of them is not a number, if any.
void check_parts(const char* what, std::span<const double> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!std::isfinite(parts[i])) throw NumericError(fmt::format("CRPS: {} {} is {}", what, i + 1, parts[i]));
}

}  // namespace

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

double crps_from_cdf(double outcome, std::span<const double> grid, std::span<const double> cdf) {
  if (cdf.size() != grid.size())
    throw UsageError(fmt::format("CRPS: {} values on a grid of {} points", cdf.size(), grid.size()));
  check_parts("outcome", {&outcome, 1});
  check_parts("grid point", grid);
  check_parts("distribution function value", cdf);
  if (grid.empty()) throw UsageError("CRPS: the grid has no points");
  double score = std::max(0.0, grid.front() - outcome) + std::max(0.0, outcome - grid.back());
  for (std::size_t i = 1; i < grid.size(); ++i) {
    const double length = grid[i] - grid[i - 1];
    if (!(length > 0.0))
      throw UsageError(fmt::format("CRPS: grid point {} is not above the one before", i + 1));
    // The part of the segment below the outcome, where F is compared with 0; the rest is compared with 1.
    const double below = std::clamp((outcome - grid[i - 1]) / length, 0.0, 1.0);
    const double at_outcome = cdf[i - 1] + below * (cdf[i] - cdf[i - 1]);
    score += integral_of_square(below * length, cdf[i - 1], at_outcome) +
             integral_of_square((1.0 - below) * length, at_outcome - 1.0, cdf[i] - 1.0);
  }
  return score;
}

// With sorted draws x_1 <= ... <= x_m both means are sums over one index:
// (2 / m^2) sum_i (x_i - y) (m [y < x_i] - i + 1/2).
double crps_from_draws(double outcome, std::span<double> draws) {
  check_parts("outcome", {&outcome, 1});
  check_parts("draw", draws);
  if (draws.empty()) throw UsageError("CRPS: there are no draws");
  std::sort(draws.begin(), draws.end());
  const auto m = static_cast<double>(draws.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i)
    sum += (draws[i] - outcome) * ((outcome < draws[i] ? m : 0.0) - static_cast<double>(i) - 0.5);
  return 2.0 * sum / (m * m);
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
