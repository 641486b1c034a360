// How close a learned distribution comes to the planted one, on rows it has not seen.
#pragma once

#include <span>

#include "simulation/simulate.hpp"

namespace bl::simulation {

// Means over rows; log-likelihoods are of the observed response (for continuous ones of its density).
struct DistributionComparison {
  double true_log_likelihood = 0;
  double learned_log_likelihood = 0;
  double null_log_likelihood = 0;
  double divergence = 0;  // Kullback and Leibler's, from the true to the learned distribution; never negative
  double total_variation = 0;  // half the integral of |true - learned|: 0 equal, 1 disjoint
};

// A distribution that ignores the context, fitted to `training`: class shares; equal chances for what is
// available; a normal density with the training mean and covariance; for a hybrid response shares and a
// normal per class. Returns its log-likelihood at every row of `data`.
std::vector<double> null_log_likelihood(const PlantedProblem& problem, const SimulatedData<double>& training,
                                        const SimulatedData<double>& data);

// The mean of the null model is left at zero here: it needs the training rows.
DistributionComparison compare_with_truth(const PlantedProblem& problem,
                                          std::span<const double> learned_parameters,
                                          const SimulatedData<double>& data, const Context& job);

}  // namespace bl::simulation
