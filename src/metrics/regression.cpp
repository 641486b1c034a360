#include "metrics/regression.hpp"

#include <cmath>

namespace bl::metrics {
namespace {

RowWeights checked(std::span<const double> truth, std::span<const double> predicted, Weights weights) {
  check_same_length("predictions", predicted.size(), truth.size());
  check_responses(truth);
  check_predictions("prediction", predicted);
  return {weights, truth.size()};
}

double squared(double x) {
  return x * x;
}

}  // namespace

double root_mean_squared_error(std::span<const double> truth, std::span<const double> predicted,
                               Weights weights) {
  const RowWeights w = checked(truth, predicted, weights);
  return std::sqrt(w.mean([&](std::size_t i) { return squared(predicted[i] - truth[i]); }));
}

double mean_absolute_error(std::span<const double> truth, std::span<const double> predicted,
                           Weights weights) {
  const RowWeights w = checked(truth, predicted, weights);
  return w.mean([&](std::size_t i) { return std::abs(predicted[i] - truth[i]); });
}

double r_squared(std::span<const double> truth, std::span<const double> predicted, Weights weights) {
  const RowWeights w = checked(truth, predicted, weights);
  // Differences from one of the responses, so that equal responses give exactly zero variance.
  std::size_t first = 0;
  while (w[first] == 0.0) ++first;
  const double shift = w.mean([&](std::size_t i) { return truth[i] - truth[first]; });
  const double variance = w.mean([&](std::size_t i) { return squared(truth[i] - truth[first] - shift); });
  const double error = w.mean([&](std::size_t i) { return squared(predicted[i] - truth[i]); });
  if (variance == 0.0) return error == 0.0 ? 1.0 : 0.0;
  return 1.0 - error / variance;
}

}  // namespace bl::metrics
