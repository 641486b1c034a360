// Local maxima of a function of one variable, from a batched callable.
#pragma once

#include <vector>

#include "gibbs/quadrature.hpp"

namespace bl::gibbs {

inline constexpr double kProminence = 1e-9;  // relative fall between two peaks that tells them apart

struct Peak {
  double y = 0;
  double value = 0;
};

// Values at increasing places.
struct Profile {
  std::vector<double> y;
  std::vector<double> value;
};

// Every run of equal values higher than both neighbours (an end counts as one), refined to machine precision
// between those neighbours; a run of several points gives its middle. In increasing order of y, without those
// already known.
std::vector<Peak> find_peaks(const LogDensity1d& function, const Profile& profile,
                             const std::vector<Peak>& known);

// Merges peaks between which the profile does not fall below the lower of the two by more than rounding.
std::vector<Peak> prominent_peaks(std::vector<Peak> peaks, const Profile& profile);

}  // namespace bl::gibbs
