// Cubic splines by their values and slopes at the knots.
#pragma once

#include <span>
#include <vector>

namespace bl {

// Slopes at the knots of the splines that are 1 at one knot and 0 at the others, spline after spline. Natural
// (no curvature at the outer knots) where the period is 0; otherwise the first knot is met again after the
// period. Three knots or more.
std::vector<double> cardinal_slopes(std::span<const double> knots, double period);

// The cubic between two points with these values and slopes, at `part` (0 to 1) of the way, and its slope.
struct CubicPiece {
  double width, low, high, slope_low, slope_high;
  double value(double part) const;
  double slope(double part) const;
};

// Where x lies among the knots: the piece and the part of it. Periodic ones have a piece after the last knot.
struct KnotPlace {
  std::size_t piece;
  double part;   // below 0 or above 1 beyond the outer knots
  double width;  // of the piece
};
KnotPlace place_among(std::span<const double> knots, double period, double x);

}  // namespace bl
