// At what rate errors fall with rows.
#pragma once

#include <span>
#include <vector>

namespace bl {

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

}  // namespace bl
