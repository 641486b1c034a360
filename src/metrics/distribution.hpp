// Metrics of predicted distributions of a number: likelihood, intervals.
#pragma once

#include <span>

#include "base/matrix.hpp"
#include "metrics/rows.hpp"

namespace bl::metrics {

// Mean over rows of the log-density (or log-probability) given to what happened; minus infinity where a row
// was held impossible. NumericError for NaN and plus infinity.
double mean_log_likelihood(std::span<const double> log_likelihoods, Weights weights = {});

// McFadden's rho-square 1 - (final - parameters) / null of choice models; with the number of parameters it is
// the adjusted one (rho-bar-square). NumericError unless the null log-likelihood is finite and below zero.
double rho_square(double null_log_likelihood, double final_log_likelihood, Index parameters = 0);

struct IntervalSummary {
  double coverage;    // share of outcomes in [lower, upper]
  double mean_width;  // in the units of the response
};
IntervalSummary interval_summary(std::span<const double> truth, std::span<const double> lower,
                                 std::span<const double> upper, Weights weights = {});

}  // namespace bl::metrics
