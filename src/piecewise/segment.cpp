#include "piecewise/segment.hpp"

#include <algorithm>
#include <cmath>

namespace bl::piecewise {

namespace {

constexpr double kFlat = 1e-12;      // a rise below this is none
constexpr double kSeries = 0.1;      // below: series, whose first left-out term is beneath rounding
constexpr double kSmallRise = 0.25;  // below: five Gauss nodes are exact to rounding

}  // namespace

double mean_exponential(double d) {
  const double fall = std::abs(d);
  return fall < kFlat ? 1 - fall / 2 : -std::expm1(-fall) / fall;
}

double centre(double d) {
  if (std::abs(d) >= kSeries) return -1 / std::expm1(-d) - 1 / d;
  const double s = d * d;
  return 0.5 + d * (1.0 / 12 - s * (1.0 / 720 - s * (1.0 / 30240 - s / 1209600)));
}

double spread(double d) {
  if (std::abs(d) >= kSeries) {
    const double fall = std::abs(d), rest = -std::expm1(-fall);
    return 1 / (d * d) - std::exp(-fall) / (rest * rest);
  }
  const double s = d * d;
  return 1.0 / 12 - s * (1.0 / 240 - s * (1.0 / 6048 - s / 172800));
}

double share_below(double d, double t) {
  if (std::abs(d) < kFlat) return t;
  if (d < 0) return std::expm1(d * t) / std::expm1(d);
  return std::exp(d * (t - 1)) * std::expm1(-d * t) / std::expm1(-d);
}

double integral_of_share(double d) {
  return 1 - centre(d);
}

double integral_of_squared_share(double d) {
  if (std::abs(d) < kSmallRise) {
    double sum = 0;
    for (const GaussNode& node : kGauss) {
      const double share = share_below(d, node.place);
      sum += node.weight * share * share;
    }
    return sum;
  }
  if (d < 0) {
    const double all = std::expm1(d);
    return (std::exp(d) - 3) / (2 * d * all) + 1 / (all * all);
  }
  const double fall = std::exp(-d), rest = -std::expm1(-d);  // the same, divided by e^d
  return (1 - 3 * fall) / (2 * d * rest) + fall * fall / (rest * rest);
}

double place_of_share(double d, double below, double above) {
  if (std::abs(d) < kFlat) return std::clamp(below, 0.0, 1.0);
  const double t = d < 0 ? std::log1p(below * std::expm1(d)) / d : 1 + std::log1p(above * std::expm1(-d)) / d;
  return std::clamp(t, 0.0, 1.0);
}

}  // namespace bl::piecewise
