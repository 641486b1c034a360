#include "features/curve.hpp"

#include <algorithm>
#include <cmath>

#include "features/pull.hpp"

namespace bl {

namespace {

constexpr std::size_t kLeastRows = 20;
constexpr double kLeastShare = 0.001;

// Keeps the outer candidates and those inner ones that leave every piece enough rows. Ascending.
std::vector<double> thinned(const std::vector<double>& candidates, std::span<const double> sorted) {
  const auto least = std::max(
      kLeastRows, static_cast<std::size_t>(std::ceil(kLeastShare * static_cast<double>(sorted.size()))));
  const auto rows_up_to = [&](double x) {
    return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin());
  };
  std::vector<double> kept = {candidates.front()};
  for (const double x : candidates)
    if (x > kept.back() && rows_up_to(x) - rows_up_to(kept.back()) >= least) kept.push_back(x);
  if (kept.back() < candidates.back()) {
    if (kept.size() > 1) kept.pop_back();
    kept.push_back(candidates.back());
  }
  return kept;
}

double rounded(double x, double step) {
  return step > 0 ? std::round(x / step) * step : x;
}

}  // namespace

std::vector<double> curve_knots(std::span<const double> sorted, Index most) {
  constexpr double kDigits = 1e-4;  // of the range
  const Range range = range_without_outliers(sorted);
  if (!(range.low < range.high) || !std::isfinite(range.high - range.low)) return {};
  const double step = std::pow(10.0, std::floor(std::log10(range.high - range.low))) * kDigits;
  std::vector<double> distinct(sorted.begin(), sorted.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<double> candidates = {range.low, range.high};
  const auto add = [&](std::span<const double> values, Index count) {
    for (Index k = 1; k < count; ++k) {
      const double x = sorted_quantile(values, static_cast<double>(k) / static_cast<double>(count));
      const bool is_value = std::binary_search(values.begin(), values.end(), x);
      const double knot =
          is_value && distinct.size() <= static_cast<std::size_t>(most) ? x : rounded(x, step);
      if (knot > range.low && knot < range.high) candidates.push_back(knot);
    }
  };
  const Index of_distinct = most / 3;
  add(sorted, most - of_distinct - 1);
  add(distinct, of_distinct);
  std::sort(candidates.begin(), candidates.end());
  return thinned(candidates, sorted);
}

std::vector<double> place_knots(std::span<const double> sorted, Index most) {
  std::vector<double> places(sorted.begin(), sorted.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (static_cast<Index>(places.size()) > most) return curve_knots(sorted, most);
  return thinned(places, sorted);
}

double piece_value(const Bends& bends, std::size_t piece, double x) {
  const double lower = bends.knots[piece], upper = bends.knots[piece + 1];
  const double part = (x - lower) / (upper - lower);
  if (part < 0 && !(bends.straight_ends && piece == 0)) return 0;
  if (part > 1 && !(bends.straight_ends && piece + 2 == bends.knots.size())) return 1;
  return part;
}

double piece_slope(const Bends& bends, std::size_t piece, double x) {
  const double lower = bends.knots[piece], upper = bends.knots[piece + 1];
  if (x < lower && !(bends.straight_ends && piece == 0)) return 0;
  if (x >= upper && !(bends.straight_ends && piece + 2 == bends.knots.size())) return 0;
  return 1 / (upper - lower);
}

double straight_part(const FeatureEncoding& feature, double x) {
  return (pulled(feature.pull, x) - feature.mean) / feature.scale;
}

double bend_value(const FeatureEncoding& feature, std::size_t bend, double x, double straight) {
  const Bends& b = feature.bends;
  return (piece_value(b, b.piece(bend), x) - b.constant[bend] - b.slope[bend] * straight) / b.scale;
}

double straight_slope(const FeatureEncoding& feature, double x) {
  return pull_slope(feature.pull, x) / feature.scale;
}

double bend_slope(const FeatureEncoding& feature, std::size_t bend, double x) {
  const Bends& b = feature.bends;
  return (piece_slope(b, b.piece(bend), x) - b.slope[bend] * straight_slope(feature, x)) / b.scale;
}

Bends fit_bends(std::vector<double> knots, bool straight_ends, const FeatureEncoding& feature,
                std::span<const double> values) {
  Bends bends;
  bends.knots = std::move(knots);
  bends.straight_ends = straight_ends;
  const std::size_t pieces = bends.knots.size() - 1;
  const auto width = [&](std::size_t i) { return bends.knots[i + 1] - bends.knots[i]; };
  for (std::size_t i = 1; i < pieces; ++i)
    if (width(i) > width(bends.widest)) bends.widest = i;
  const auto n = static_cast<double>(values.size());
  std::vector<double> z;
  double z_sum = 0, z_square = 0;
  for (const double x : values) {
    z.push_back(straight_part(feature, x));
    z_sum += z.back();
    z_square += z.back() * z.back();
  }
  const double z_mean = z_sum / n, z_variance = z_square / n - z_mean * z_mean;
  double squares = 0;
  for (std::size_t j = 0; j + 1 < pieces; ++j) {
    double sum = 0, square = 0, product = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double p = piece_value(bends, bends.piece(j), values[i]);
      sum += p;
      square += p * p;
      product += p * z[i];
    }
    const double slope = (product / n - sum / n * z_mean) / z_variance;
    bends.slope.push_back(slope);
    bends.constant.push_back(sum / n - slope * z_mean);
    squares += std::max(0.0, square / n - sum / n * (sum / n) - slope * slope * z_variance);
  }
  const double scale = std::sqrt(squares / static_cast<double>(bends.size()));
  if (!(scale > 0)) return {};
  bends.scale = scale;
  return bends;
}

}  // namespace bl
