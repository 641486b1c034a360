// Metrics of predicted numbers; the values are scikit-learn's.
#pragma once

#include <span>

#include "metrics/rows.hpp"

namespace bl::metrics {

double root_mean_squared_error(std::span<const double> truth, std::span<const double> predicted,
                               Weights weights = {});
double mean_absolute_error(std::span<const double> truth, std::span<const double> predicted,
                           Weights weights = {});

// 1 - sum w (y - predicted)^2 / sum w (y - mean y)^2. Where all responses are equal (a single row, too): 1 if
// every one is predicted exactly, else 0.
double r_squared(std::span<const double> truth, std::span<const double> predicted, Weights weights = {});

}  // namespace bl::metrics
