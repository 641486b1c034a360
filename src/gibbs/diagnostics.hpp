// How far draws can be trusted, as the Stan project defines it (Vehtari, Gelman, Simpson, Carpenter and
// Buerkner, "Rank-normalization, folding, and localization", Bayesian Analysis 2021; the R package
// `posterior`).
#pragma once

#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/matrix.hpp"
#include "gibbs/draws.hpp"

namespace bl::gibbs {

// Of one column. Where a measure has no value (all draws equal, or fewer than 6 draws per chain) it is NaN.
struct Diagnostics {
  // The larger of the rank-normalised split R-hat of the draws and of their distance to the median.
  double rhat = 0;
  double ess_bulk = 0;  // effective sample size for the centre, of the rank-normalised split chains
  double ess_tail = 0;  // smaller effective sample size of the 5% and 95% quantiles
  double mean = 0;
  double sd = 0;
  double mcse_mean = 0;  // Monte-Carlo standard error of the mean
};

// draws (draw x chain) of one quantity.
Diagnostics diagnose(MatrixView<const double> draws);

// Of every column; groups of chains_per_distribution chains follow one distribution each and are judged
// apart: R-hat and effective sizes are the worst over distributions, mean and sd those of all draws,
// mcse_mean that of the mean over distributions.
template <class T>
std::vector<Diagnostics> diagnose(const Draws<T>& draws, Index chains_per_distribution, const Context& job);

inline constexpr double kGoodSize = 400;  // effective sample size that is enough, however many draws it takes

// "All diagnostics are good: ..." or what is poor, with the numbers and a remedy. Good means R-hat at
// most 1.01, both effective sizes at least 100 per chain or 400 in all, whichever is less, and no divergence.
std::string verdict(const std::vector<Diagnostics>& columns, Index divergences,
                    Index chains_per_distribution);

// Inverse of the standard normal distribution function, p in (0, 1), to a few units of the last place.
double normal_quantile(double p);

}  // namespace bl::gibbs
