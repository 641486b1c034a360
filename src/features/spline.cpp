#include "features/spline.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace bl {

std::vector<double> cardinal_slopes(std::span<const double> knots, double period) {
  const auto n = static_cast<Eigen::Index>(knots.size());
  const bool periodic = period > 0;
  const auto width = [&](Eigen::Index i) {
    const auto at = static_cast<std::size_t>(i);
    return i + 1 < n ? knots[at + 1] - knots[at] : knots[0] + period - knots[at];
  };
  // The second derivative is the same on both sides of every knot, and 0 at the ends of a natural spline.
  Eigen::MatrixXd left = Eigen::MatrixXd::Zero(n, n), right = Eigen::MatrixXd::Zero(n, n);
  const auto side = [&](Eigen::Index knot, Eigen::Index from, Eigen::Index to, double h) {
    const Eigen::Index other = knot == from ? to : from;
    left(knot, knot) += 2 / h;
    left(knot, other) += 1 / h;
    right(knot, to) += 3 / (h * h);
    right(knot, from) -= 3 / (h * h);
  };
  for (Eigen::Index i = 0; i < (periodic ? n : n - 1); ++i) {
    const Eigen::Index next = (i + 1) % n;
    side(i, i, next, width(i));
    side(next, i, next, width(i));
  }
  const Eigen::MatrixXd slopes = left.partialPivLu().solve(right);  // column j: of the spline that is 1 at j
  return {slopes.data(), slopes.data() + slopes.size()};
}

double CubicPiece::value(double t) const {
  const double s = 1 - t;
  return s * s * ((1 + 2 * t) * low + t * width * slope_low) +
         t * t * ((1 + 2 * s) * high - s * width * slope_high);
}

double CubicPiece::slope(double t) const {
  const double s = 1 - t;
  return 6 * s * t * (high - low) / width + s * (s - 2 * t) * slope_low + t * (t - 2 * s) * slope_high;
}

KnotPlace place_among(std::span<const double> knots, double period, double x) {
  if (period > 0) x -= period * std::floor((x - knots[0]) / period);
  const auto last = knots.end() - (period > 0 ? 0 : 1);
  const auto above = std::upper_bound(knots.begin() + 1, last, x);
  const auto piece = static_cast<std::size_t>(above - knots.begin()) - 1;
  const double upper = piece + 1 < knots.size() ? knots[piece + 1] : knots[0] + period;
  const double width = upper - knots[piece];
  return {piece, (x - knots[piece]) / width, width};
}

}  // namespace bl
