// What many replications say about an estimator: coverage and efficiency. Plain functions of numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bl/check.hpp"
#include "simulation/replications.hpp"

namespace bl {

// Share of intervals value +- z error that hold the truth; those without an error are left out and counted
// by `intervals`.
struct Coverage {
  std::size_t covered = 0;
  std::size_t intervals = 0;
  double share() const;  // NaN without intervals
};

inline constexpr double kNormal95 = 1.959963984540054;

Coverage coverage(std::span<const double> values, std::span<const double> errors, double truth,
                  double quantile = kNormal95);

// What was estimated. By position: names, truth, and the smallest standard deviations for one row.
struct Target {
  std::vector<std::string> names;
  std::vector<double> truth;
  std::vector<double> bound;
};

// Root mean square of (estimate - truth) / bound, one for each replication, whatever its end: about
// 1 / sqrt(rows) for an efficient estimator.
std::vector<double> scaled_errors(std::span<const simulation::Replication> replications,
                                  const Target& target);

// All replications of one size. Mean, standard deviation and coverage are over those with errors.
RecoveryRound recovery_round(std::size_t rows, std::span<const simulation::Replication> replications,
                             const Target& target);

}  // namespace bl
