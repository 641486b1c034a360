// One segment of a log-linear density: exp(d t) for t in [0, 1], whatever the rise d, without overflow.
#pragma once

#include <array>

namespace bl::piecewise {

// Mean of exp(d t - max(d, 0)) over t in [0, 1]: expm1(d) / d relative to the higher end.
double mean_exponential(double d);

// Under the density that is proportional to exp(d t) on [0, 1]:
double centre(double d);                     // the mean of t
double spread(double d);                     // the variance of t
double share_below(double d, double t);      // the mass of [0, t]
double integral_of_share(double d);          // of share_below over t in [0, 1]
double integral_of_squared_share(double d);  // of its square
// The t with mass `below` to its left and `above` = 1 - below to its right; both are given because the
// smaller one is the accurate one.
double place_of_share(double d, double below, double above);

// Gauss-Legendre with five nodes on [0, 1].
struct GaussNode {
  double place, weight;
};
inline constexpr std::array<GaussNode, 5> kGauss = {{{0.046910077030668003, 0.118463442528094544},
                                                     {0.230765344947158454, 0.239314335249683234},
                                                     {0.5, 0.284444444444444444},
                                                     {0.769234655052841546, 0.239314335249683234},
                                                     {0.953089922969331997, 0.118463442528094544}}};

}  // namespace bl::piecewise
