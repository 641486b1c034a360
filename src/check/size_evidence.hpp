// What many replications say about an estimator: rate, coverage, efficiency. Plain functions of numbers.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "simulation/replications.hpp"

namespace bl::simulation {

// Share of intervals value +- z error that hold the truth; those without an error are left out and counted
// by `intervals`.
struct Coverage {
  std::size_t covered = 0;
  std::size_t intervals = 0;
  double share() const;  // NaN without intervals
};

inline constexpr double kNormal95 = 1.959963984540054;
inline constexpr std::array<double, 3> kLevels = {0.50, 0.80, 0.95};
inline constexpr std::array<double, 3> kNormalQuantiles = {0.674489750196082, 1.281551565544600, kNormal95};

Coverage coverage(std::span<const double> values, std::span<const double> errors, double truth,
                  double quantile = kNormal95);

// Errors of the replications of one size; positive.
struct SizedErrors {
  double rows = 0;
  std::vector<double> errors;
};
struct Slope {
  double slope = 0;
  double standard_error = 0;
};
// Least squares of the mean log error of a size on log rows. Every size counts alike, so that what is
// measured does not depend on how many replications a size was given; the standard error is that of the
// means, from the spread within each size. NaN where all sizes are the same.
Slope slope_of_means(std::span<const SizedErrors> sizes);
// The same with a point for each replication: sizes with many dominate.
Slope slope_of_replications(std::span<const SizedErrors> sizes);

struct ParameterEvidence {
  std::size_t parameter = 0;  // among Replicator::positions()
  double truth = 0;
  double mean = 0;
  double standard_deviation = 0;  // of the estimates, over replications
  double standard_error = 0;      // root of the mean squared robust error
  Coverage robust;                // of 95% intervals
  Coverage classical;
  double bound = 0;  // standard deviation by the information bound
  double variance_ratio() const { return standard_deviation * standard_deviation / (bound * bound); }
};

// All replications of one size.
struct SizeEvidence {
  Index rows = 0;
  std::size_t replications = 0;
  std::size_t not_converged = 0, at_bound = 0, unidentified = 0;
  std::size_t found_again = 0, lower = 0, worse = 0;  // StartsEnd same, lower, higher
  // Root mean square of (estimate - truth) / (standard deviation by the bound for one row), one for each replication,
  // whatever its end: about 1 / sqrt(rows) for an efficient estimator.
  std::vector<double> errors;
  double typical_error = 0;           // geometric mean of them
  std::array<double, 3> shares = {};  // of robust intervals of the three levels, over all parameters
  std::vector<ParameterEvidence> parameters;

  std::size_t failed() const { return not_converged + at_bound + unidentified; }
  double mean_coverage() const;  // robust, over parameters
  double median_variance_ratio() const;
};

// `bound`: for one row, by position. Mean, standard deviation and coverage are over replications with errors.
SizeEvidence size_evidence(Index rows, std::span<const Replication> replications,
                           std::span<const double> truth, std::span<const double> bound);

}  // namespace bl::simulation
