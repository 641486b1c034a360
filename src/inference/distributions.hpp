// Tails and quantiles of the normal and the chi-squared distribution, to about 1e-13.
#pragma once

namespace bl::inference {

// Probability that |Z| is above |z|.
double normal_two_sided(double z);

// z with P(Z <= z) = probability, 0 < probability < 1.
double normal_quantile(double probability);

// Probability that a chi-squared variable with so many degrees of freedom is above x.
double chi_squared_tail(double x, double degrees);

}  // namespace bl::inference
