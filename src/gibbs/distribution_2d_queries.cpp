#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "gibbs/distribution_2d.hpp"

namespace bl::gibbs {

namespace {

// Integrals inside integrals must be smoother than the outer rule's tolerance.
constexpr double kInnerTolerance = 1e-2;
constexpr Index kInnerGrid = 64;

void check_axis(int axis) {
  if (axis != 0 && axis != 1)
    throw UsageError(fmt::format("axis {} of a two-dimensional distribution: 0 or 1", axis));
}

// The log-density along `axis` with the other coordinate fixed.
LogDensity1d slice(const LogDensity2d& function, int axis, double other) {
  return [&function, axis, other](std::span<const double> y, std::span<double> out) {
    Matrix<double> points(static_cast<Index>(y.size()), 2);
    for (std::size_t i = 0; i < y.size(); ++i) {
      points(static_cast<Index>(i), axis) = y[i];
      points(static_cast<Index>(i), 1 - axis) = other;
    }
    function(points.view(), out);
  };
}

}  // namespace

Estimate Distribution2d::log_normalizer() const {
  return {log_top_ + std::log(total_), error_};
}

void Distribution2d::log_density(MatrixView<const double> points, std::span<double> out) const {
  function_(points, out);
  const double normalizer = log_normalizer().value;
  Cell whole;
  whole.place = support_;
  for (Index i = 0; i < points.rows; ++i) {
    double& value = out[static_cast<std::size_t>(i)];
    value = whole.contains({points(i, 0), points(i, 1)}) ? value - normalizer
                                                         : -std::numeric_limits<double>::infinity();
  }
}

Moments2d Distribution2d::moments() const {
  // About the highest peak, then moved, so that a distribution far from zero loses no digits.
  const std::array<double, 2> origin = peaks_.front().y;
  std::array<double, 2> first{};
  std::array<std::array<double, 2>, 2> second{};
  for (const Cell& cell : cells_) {
    for (std::size_t i = 0; i < kRulePoints; ++i) {
      for (std::size_t j = 0; j < kRulePoints; ++j) {
        const double mass = cell.quarter_area() * kronrod_weights()[i] * kronrod_weights()[j] *
                            std::exp(cell.log_values[i * kRulePoints + j] - log_top_) / total_;
        const std::array<double, 2> y = {cell.point(0, i) - origin[0], cell.point(1, j) - origin[1]};
        for (std::size_t a = 0; a < 2; ++a) {
          first[a] += mass * y[a];
          for (std::size_t b = 0; b < 2; ++b) second[a][b] += mass * y[a] * y[b];
        }
      }
    }
  }
  Moments2d moments;
  for (std::size_t a = 0; a < 2; ++a) {
    moments.mean[a] = origin[a] + first[a];
    for (std::size_t b = 0; b < 2; ++b) moments.covariance[a][b] = second[a][b] - first[a] * first[b];
  }
  return moments;
}

std::vector<Peak2d> Distribution2d::modes() const {
  std::vector<Peak2d> modes = peaks_;
  for (Peak2d& peak : modes) peak.value -= log_normalizer().value;
  return modes;
}

Distribution1d Distribution2d::marginal(int axis) const {
  check_axis(axis);
  const auto a = static_cast<std::size_t>(axis), b = 1 - a;
  QuadratureOptions inner = options_;
  inner.tolerance *= kInnerTolerance;
  inner.grid = kInnerGrid;
  const auto log_marginal = [function = function_, axis, inner, lower = support_.lower[b],
                             upper = support_.upper[b]](std::span<const double> y, std::span<double> out) {
    for (std::size_t i = 0; i < y.size(); ++i)
      out[i] = Distribution1d(slice(function, 1 - axis, y[i]), lower, upper, inner).log_normalizer().value;
  };
  QuadratureOptions outer = options_;
  outer.grid = kInnerGrid;
  return Distribution1d(log_marginal, support_.lower[a], support_.upper[a], outer);
}

Distribution1d Distribution2d::conditional(int axis, double other) const {
  check_axis(axis);
  const auto a = static_cast<std::size_t>(axis);
  const auto along = [function = function_, axis, other](std::span<const double> y, std::span<double> out) {
    slice(function, axis, other)(y, out);
  };
  return Distribution1d(along, support_.lower[a], support_.upper[a], options_);
}

}  // namespace bl::gibbs
