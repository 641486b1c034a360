// What the one- and two-dimensional distributions have in common.
#pragma once

#include <functional>
#include <span>

#include "base/matrix.hpp"
#include "piecewise/density.hpp"

namespace bl::gibbs {

struct QuadratureOptions {
  double tolerance = 1e-8;       // error of any probability; the estimate is Kronrod's rule against Gauss's
  Index grid = 256;              // points (per axis in two dimensions: a quarter) searched for peaks at first
  Index max_points = 4'000'000;  // evaluations, about; where they do not reach the tolerance, error() says so
};

inline constexpr double kUnseenFall = 1;   // the nodes of a panel must come this close to its peak (log)
inline constexpr double kNegligible = 45;  // e^-45 of the highest density is below rounding

struct Estimate {
  double value = 0;
  double error = 0;
};

using piecewise::Interval;

// log_density[i] = log f(y[i]), unnormalised, for many points at once.
using LogDensity1d = std::function<void(std::span<const double> y, std::span<double> log_density)>;
// The same for the rows (y0, y1) of points.
using LogDensity2d = std::function<void(MatrixView<const double> points, std::span<double> log_density)>;

}  // namespace bl::gibbs
