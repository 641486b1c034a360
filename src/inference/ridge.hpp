// Weights that run away: along a ridge that leads to infinity the loss has no minimum, though it is so flat
// that the gradient vanishes, and errors from the curvature there mean nothing.
#pragma once

#include <vector>

#include "inference/estimate.hpp"

namespace bl::inference {

// Positions of the free weights (lambda) whose profile does not rise: at ten times the estimate, with all
// else at its best, the log-likelihood is within half of chi-squared's 95% quantile of the highest. For a
// utility that levels off this is its linear limit, in which only lambda times the coefficients counts.
std::vector<Index> weights_that_run_away(const Objective<double>& objective, const Estimate& estimate,
                                         const MinimiserSpec& spec, const Context& job);

}  // namespace bl::inference
