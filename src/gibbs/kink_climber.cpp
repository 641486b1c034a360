#include <algorithm>
#include <cmath>
#include <numeric>

#include "gibbs/ascent.hpp"

namespace bl::gibbs {

namespace {

constexpr double kArmijo = 1e-4;
constexpr double kFirstRadius = 1e-2;
constexpr double kRadiusFactor = 0.2;
constexpr int kStepsPerRadius = 30;
constexpr int kHalvings = 40;
constexpr int kCombinationRounds = 2000;

}  // namespace

// Frank and Wolfe's method with pairwise steps: weight moves from the row that lengthens the combination most
// to the one that shortens it most.
std::vector<double> shortest_combination(MatrixView<const double> rows) {
  const auto d = static_cast<std::size_t>(rows.cols);
  std::vector<double> weight(static_cast<std::size_t>(rows.rows), 0.0), sum(rows.row(0), rows.row(0) + d);
  weight[0] = 1;
  for (int round = 0; round < kCombinationRounds; ++round) {
    Index least = 0, most = -1;
    double smallest = 0, largest = 0;
    for (Index i = 0; i < rows.rows; ++i) {
      const double along = std::inner_product(sum.begin(), sum.end(), rows.row(i), 0.0);
      if (i == 0 || along < smallest) smallest = along, least = i;
      if (weight[static_cast<std::size_t>(i)] > 0 && (most < 0 || along > largest)) largest = along, most = i;
    }
    const double gap = largest - smallest;
    if (least == most || !(gap > 1e-14 * (1 + std::abs(largest)))) break;
    double squared = 0;
    for (Index j = 0; j < rows.cols; ++j) squared += std::pow(rows(most, j) - rows(least, j), 2);
    const double step = std::min(weight[static_cast<std::size_t>(most)], gap / squared);
    weight[static_cast<std::size_t>(most)] -= step;
    weight[static_cast<std::size_t>(least)] += step;
    for (std::size_t j = 0; j < d; ++j)
      sum[j] += step * (rows(least, static_cast<Index>(j)) - rows(most, static_cast<Index>(j)));
  }
  return sum;
}

std::vector<double> sampled_direction(const LogDensity<double>& distribution, const Box& box,
                                      std::span<const double> reach, const RandomStream& stream,
                                      std::uint64_t round, const AscentPoint& at) {
  const auto d = static_cast<Index>(at.y.size());
  const Index samples = 3 * d + 1;
  Matrix<double> points(samples, d), gradients(samples, d);
  std::vector<double> values(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) {
    for (Index j = 0; j < d; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double u = 2 * stream.uniform(round * 1024 + static_cast<std::uint64_t>(i), k) - 1;
      points(i, j) = std::clamp(at.y[k] + (i == 0 ? 0 : u * reach[k]), box.lower[k], box.upper[k]);
    }
  }
  evaluate_all(distribution, points.view(), values, gradients.view());
  // A wall within reach stops every gradient that points into it.
  for (Index i = 0; i < samples; ++i)
    for (Index j = 0; j < d; ++j) {
      const auto k = static_cast<std::size_t>(j);
      double& g = gradients(i, j);
      if ((g < 0 && at.y[k] <= box.lower[k]) || (g > 0 && at.y[k] >= box.upper[k]) || !std::isfinite(g))
        g = 0;
    }
  return shortest_combination(gradients.view());
}

void climb_kinks(const LogDensity<double>& distribution, const Box& box, std::span<const double> scale,
                 double last, const RandomStream& stream, AscentPoint& at) {
  const auto d = static_cast<Index>(at.y.size());
  Matrix<double> trials(kHalvings, d), gradients(kHalvings, d);
  std::vector<double> values(kHalvings), reach(scale.size());
  std::uint64_t round = 0;
  for (double radius = kFirstRadius; radius >= last * kRadiusFactor; radius *= kRadiusFactor) {
    for (std::size_t j = 0; j < reach.size(); ++j) reach[j] = radius * scale[j];
    for (int step = 0; step < kStepsPerRadius; ++step, ++round) {
      const auto direction = sampled_direction(distribution, box, reach, stream, round, at);
      const double squared = std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0);
      if (!(squared > 0)) break;
      // All halvings of the longest step in one call; the best of them that keeps its promise.
      double longest = 0;
      for (std::size_t j = 0; j < reach.size(); ++j)
        longest = std::max(longest, scale[j] / std::sqrt(squared));
      for (Index k = 0; k < kHalvings; ++k) {
        const double length = longest * std::ldexp(1.0, -static_cast<int>(k));
        for (Index j = 0; j < d; ++j)
          trials(k, j) = at.y[static_cast<std::size_t>(j)] + length * direction[static_cast<std::size_t>(j)];
        box.clamp(std::span(trials.row(k), static_cast<std::size_t>(d)));
      }
      evaluate_all(distribution, trials.view(), values, gradients.view());
      Index best = -1;
      for (Index k = 0; k < kHalvings; ++k) {
        const double value = values[static_cast<std::size_t>(k)];
        const double promised = kArmijo * longest * std::ldexp(1.0, -static_cast<int>(k)) * squared;
        const double so_far = best < 0 ? at.value : values[static_cast<std::size_t>(best)];
        if (std::isfinite(value) && value > so_far && value >= at.value + promised) best = k;
      }
      if (best < 0) break;
      at.y.assign(trials.row(best), trials.row(best) + d);
      at.gradient.assign(gradients.row(best), gradients.row(best) + d);
      at.value = values[static_cast<std::size_t>(best)];
    }
  }
}

}  // namespace bl::gibbs
