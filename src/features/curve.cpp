#include "features/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "features/pull.hpp"
#include "features/spline.hpp"

namespace bl {

namespace {

constexpr std::array<std::string_view, 4> kKinds = {"linear", "cubic", "periodic", "step"};

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

// The piece from knots[i] to the next at x: 0 before, 1 beyond. The outer ones go straight on where asked.
double piece_value(const Bends& bends, std::size_t piece, double x) {
  const double lower = bends.knots[piece], upper = bends.knots[piece + 1];
  const double part = (x - lower) / (upper - lower);
  if (part < 0 && !(bends.straight_ends && piece == 0)) return 0;
  if (part > 1 && !(bends.straight_ends && piece + 2 == bends.knots.size())) return 1;
  return part;
}

bool is_spline(const Bends& bends) {
  return bends.kind == CurveKind::cubic || bends.kind == CurveKind::periodic;
}

// The piece around a place of the spline that is 1 at this knot.
CubicPiece cardinal_piece(const Bends& bends, std::size_t knot, const KnotPlace& place) {
  const std::size_t n = bends.knots.size(), low = place.piece, high = (low + 1) % n;
  const double* slopes = bends.knot_slopes.data() + knot * n;
  return {place.width, low == knot ? 1.0 : 0.0, high == knot ? 1.0 : 0.0, slopes[low], slopes[high]};
}

// Beyond the outer knots of a cubic curve.
bool outside(const Bends& bends, const KnotPlace& place) {
  return bends.kind == CurveKind::cubic && (place.part < 0 || place.part > 1);
}

double spline_value(const Bends& bends, std::size_t knot, double x) {
  const KnotPlace place = place_among(bends.knots, bends.period, x);
  const CubicPiece piece = cardinal_piece(bends, knot, place);
  if (!outside(bends, place)) return piece.value(place.part);
  const double end = place.part < 0 ? 0 : 1;
  const double on = bends.straight_ends ? (place.part - end) * place.width * piece.slope(end) : 0;
  return piece.value(end) + on;
}

}  // namespace

std::size_t bend_count(const Bends& bends) {
  const std::size_t knots = bends.knots.size();
  if (bends.kind == CurveKind::cubic) return knots - 2;
  return bends.kind == CurveKind::linear && bends.line ? knots - 2 : knots - 1;
}

std::string to_string(CurveKind kind) {
  return std::string(kKinds[static_cast<std::size_t>(kind)]);
}

std::optional<CurveKind> parse_curve_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == name) return static_cast<CurveKind>(i);
  return std::nullopt;
}

std::vector<std::string> curve_kind_names() {
  return {kKinds.begin(), kKinds.end()};
}

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

std::vector<double> period_knots(double period, std::size_t rows, Index most) {
  constexpr Index kEnough = 12;
  const Index count = std::min({most, kEnough, static_cast<Index>(rows / kLeastRows)});
  std::vector<double> knots;
  for (Index i = 0; i < count; ++i)
    knots.push_back(period * static_cast<double>(i) / static_cast<double>(count));
  return knots;
}

std::vector<double> spline_slopes(const Bends& bends) {
  return is_spline(bends) ? cardinal_slopes(bends.knots, bends.period) : std::vector<double>{};
}

double bend_function(const Bends& bends, std::size_t bend, double x) {
  if (is_spline(bends)) return spline_value(bends, bend + 1, x);
  if (bends.kind == CurveKind::step) return x >= bends.knots[bend + 1] ? 1 : 0;
  return piece_value(bends, bends.piece(bend), x);
}

double straight_part(const FeatureEncoding& feature, double x) {
  return (pulled(feature.pull, x) - feature.mean) / feature.scale;
}

double bend_value(const FeatureEncoding& feature, std::size_t bend, double x, double straight) {
  const Bends& b = feature.bends;
  return (bend_function(b, bend, x) - b.constant[bend] - b.slope[bend] * straight) / b.scale;
}

double bend_slope_at_knot(const FeatureEncoding& feature, std::size_t bend, std::size_t knot) {
  const Bends& b = feature.bends;
  return (b.knot_slopes[(bend + 1) * b.knots.size() + knot] - b.slope[bend] / feature.scale) / b.scale;
}

std::string bend_name(const FeatureEncoding& feature, std::size_t bend) {
  const Bends& b = feature.bends;
  if (b.kind == CurveKind::step) return feature.name + "~>=" + format_number(b.knots[bend + 1]);
  if (is_spline(b)) return feature.name + "~" + format_number(b.knots[bend + 1]);
  const std::size_t piece = b.piece(bend);
  return feature.name + "~" + format_number(b.knots[piece]) + ".." + format_number(b.knots[piece + 1]);
}

Bends empty_bends(const CurveShape& shape, std::vector<double> knots, bool straight_ends) {
  Bends bends;
  bends.kind = shape.kind;
  bends.knots = std::move(knots);
  bends.straight_ends = straight_ends;
  const bool bare = shape.kind == CurveKind::linear || shape.kind == CurveKind::cubic;
  bends.line = bare && shape.direction == 0;
  bends.period = shape.period;
  const std::size_t pieces = bends.knots.size() - 1;
  const auto width = [&](std::size_t i) { return bends.knots[i + 1] - bends.knots[i]; };
  if (bends.line)
    for (std::size_t i = 1; i < pieces; ++i)
      if (width(i) > width(bends.widest)) bends.widest = i;
  if (!bends.line) bends.widest = pieces;
  bends.knot_slopes = spline_slopes(bends);
  return bends;
}

Bends fit_bends(Bends bends, const FeatureEncoding& feature, std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  std::vector<double> z;
  double z_sum = 0, z_square = 0;
  for (const double x : values) {
    z.push_back(straight_part(feature, x));
    z_sum += z.back();
    z_square += z.back() * z.back();
  }
  const double z_mean = z_sum / n, z_variance = z_square / n - z_mean * z_mean;
  const std::size_t count = bend_count(bends);
  double squares = 0;
  for (std::size_t j = 0; j < count; ++j) {
    double sum = 0, square = 0, product = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double p = bend_function(bends, j, values[i]);
      sum += p;
      square += p * p;
      product += p * z[i];
    }
    const double slope = bends.line ? (product / n - sum / n * z_mean) / z_variance : 0;
    bends.slope.push_back(slope);
    bends.constant.push_back(sum / n - slope * z_mean);
    squares += std::max(0.0, square / n - sum / n * (sum / n) - slope * slope * z_variance);
  }
  const double scale = std::sqrt(squares / static_cast<double>(count));
  if (!(scale > 0)) return {};
  bends.scale = scale;
  return bends;
}

}  // namespace bl
