// Metrics of predicted distributions of a number: likelihood, CRPS, intervals.
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

// Continuous ranked probability score of one row, the integral of (F(t) - [t >= outcome])^2 dt, in the units
// of the response; for a point forecast the absolute error. Both average over rows with any weights
// (RowWeights).
//
// F given on a strictly increasing grid: linear between its points, 0 before the first, 1 after the last.
// Exact for that F.
double crps_from_cdf(double outcome, std::span<const double> grid, std::span<const double> cdf);
// F is the distribution function of the draws themselves: mean |x - outcome| - mean |x - x'| / 2 over all
// pairs. Against the distribution they were drawn from it is on average mean |x - x'| / (2 draws) too large.
// Sorts the draws in place.
double crps_from_draws(double outcome, std::span<double> draws);

struct IntervalSummary {
  double coverage;    // share of outcomes in [lower, upper]
  double mean_width;  // in the units of the response
};
IntervalSummary interval_summary(std::span<const double> truth, std::span<const double> lower,
                                 std::span<const double> upper, Weights weights = {});

}  // namespace bl::metrics
