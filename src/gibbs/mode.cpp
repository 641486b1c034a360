#include "gibbs/mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/errors.hpp"
#include "gibbs/ascent.hpp"

namespace bl::gibbs {

namespace {

constexpr std::uint64_t kCertificateRound = std::uint64_t{1} << 32;  // random numbers no climb has used

std::vector<double> scale_of(const Box& box, const std::vector<double>& y) {
  std::vector<double> scale(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double side = box.upper[j] - box.lower[j];
    scale[j] = std::isfinite(side) ? side : std::max(1.0, std::abs(y[j]));
  }
  return scale;
}

std::vector<AscentPoint> first_points(const LogDensity<double>& distribution, const Box& box,
                                      MatrixView<const double> starts) {
  Matrix<double> gradients(starts.rows, starts.cols), inside(starts.rows, starts.cols);
  std::vector<double> values(static_cast<std::size_t>(starts.rows));
  for (Index i = 0; i < starts.rows; ++i) {
    std::copy_n(starts.row(i), starts.cols, inside.row(i));
    box.clamp(std::span(inside.row(i), static_cast<std::size_t>(starts.cols)));
  }
  evaluate_all(distribution, inside.view(), values, gradients.view());
  std::vector<AscentPoint> points;
  for (Index i = 0; i < starts.rows; ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    if (!std::isfinite(value))
      throw NumericError(
          fmt::format("mode search: the log-density at start {} is {}, not a finite number", i, value));
    points.push_back({{inside.row(i), inside.row(i) + starts.cols},
                      {gradients.row(i), gradients.row(i) + starts.cols},
                      value});
  }
  return points;
}

void climb_smooth(const LogDensity<double>& distribution, const Box& box, const ModeOptions& options,
                  std::vector<AscentPoint>& points) {
  std::vector<SmoothClimber> climbers;
  for (const AscentPoint& point : points) climbers.emplace_back(box, point, options.gradient_tolerance);
  const auto d = static_cast<Index>(points.front().y.size());
  Matrix<double> trials(static_cast<Index>(points.size()), d),
      gradients(static_cast<Index>(points.size()), d);
  std::vector<double> values(points.size());
  std::vector<std::size_t> going(points.size());
  for (Index iteration = 0; iteration < options.max_iterations; ++iteration) {
    going.clear();
    for (std::size_t i = 0; i < climbers.size(); ++i)
      if (!climbers[i].done()) going.push_back(i);
    if (going.empty()) break;
    const auto count = static_cast<Index>(going.size());
    for (Index k = 0; k < count; ++k)
      climbers[going[static_cast<std::size_t>(k)]].propose(
          std::span(trials.row(k), static_cast<std::size_t>(d)));
    evaluate_all(distribution, trials.view().row_range(0, count), values,
                 gradients.view().row_range(0, count));
    for (Index k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      climbers[going[i]].consider(values[i], std::span(gradients.row(k), static_cast<std::size_t>(d)));
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = climbers[i].at();
}

bool agree(const AscentPoint& a, const AscentPoint& b, std::span<const double> scale, double agreement) {
  if (std::abs(a.value - b.value) > agreement * std::max(1.0, std::abs(a.value))) return false;
  for (std::size_t j = 0; j < a.y.size(); ++j)
    if (std::abs(a.y[j] - b.y[j]) > agreement * scale[j]) return false;
  return true;
}

// Length of the shortest convex combination of projected gradients around the point.
double subgradient_at(const LogDensity<double>& distribution, const Box& box, const ModeOptions& options,
                      const AscentPoint& best) {
  std::vector<double> reach = scale_of(box, best.y);
  for (double& r : reach) r *= options.radius;
  const RandomStream stream(options.seed, Purpose::mode_start, 0);
  const auto direction = sampled_direction(distribution, box, reach, stream, kCertificateRound, best);
  return std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
}

}  // namespace

ModeResult find_mode(const LogDensity<double>& distribution, const Box& box, MatrixView<const double> starts,
                     const ModeOptions& options) {
  box.check(distribution.dimension());
  if (starts.rows < 1 || starts.cols != distribution.dimension())
    throw UsageError(fmt::format("mode search: {} starts of {} columns for a distribution of {} dimensions",
                                 starts.rows, starts.cols, distribution.dimension()));
  auto points = first_points(distribution, box, starts);
  climb_smooth(distribution, box, options, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (projected_gradient(box, points[i]) <= options.gradient_tolerance) continue;
    const auto scale = scale_of(box, points[i].y);
    const RandomStream stream(options.seed, Purpose::mode_start, static_cast<std::uint32_t>(i + 1));
    climb_kinks(distribution, box, scale, options.radius, stream, points[i]);
  }
  const auto best =
      std::max_element(points.begin(), points.end(),
                       [](const AscentPoint& a, const AscentPoint& b) { return a.value < b.value; });
  ModeResult result;
  result.point = best->y;
  result.value = best->value;
  result.subgradient = subgradient_at(distribution, box, options, *best);
  result.ends.resize(starts.rows, starts.cols);
  const auto scale = scale_of(box, best->y);
  for (Index i = 0; i < starts.rows; ++i) {
    const AscentPoint& end = points[static_cast<std::size_t>(i)];
    std::copy(end.y.begin(), end.y.end(), result.ends.row(i));
    result.values.push_back(end.value);
    result.agreeing += agree(*best, end, scale, options.agreement);
  }
  return result;
}

Matrix<double> mode_starts(const Box& box, Index count, std::uint64_t seed) {
  const RandomStream stream(seed, Purpose::mode_start);
  Matrix<double> starts(count, box.dimension());
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < box.dimension(); ++j) {
      const double lower = box.lower[static_cast<std::size_t>(j)],
                   upper = box.upper[static_cast<std::size_t>(j)];
      const auto row = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(j);
      if (std::isfinite(lower) && std::isfinite(upper))
        starts(i, j) = lower + (upper - lower) * (i == 0 ? 0.5 : stream.uniform(row, column));
      else
        starts(i, j) = std::clamp(i == 0 ? 0.0 : stream.normal(row, column), lower, upper);
    }
  }
  return starts;
}

}  // namespace bl::gibbs
