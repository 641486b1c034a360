#include "explain/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/spline.hpp"

namespace bl::explain {

namespace {

// The piece that holds x, the first or last one for x beyond the knots.
std::size_t piece_at(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
  return static_cast<std::size_t>(above - knots.begin()) - 1;
}

double piece_slope(const Pieces& p, std::size_t i) {
  return (p.values[i + 1] - p.values[i]) / (p.knots[i + 1] - p.knots[i]);
}

// The last knot at or below x; the first one for x before it.
std::size_t step_at(const Pieces& p, double x) {
  const auto above = std::upper_bound(p.knots.begin() + 1, p.knots.end(), x);
  return static_cast<std::size_t>(above - p.knots.begin()) - 1;
}

CubicPiece cubic_at(const Pieces& p, const KnotPlace& place) {
  const std::size_t low = place.piece, high = (low + 1) % p.knots.size();
  return {place.width, p.values[low], p.values[high], p.slopes[low], p.slopes[high]};
}

// From one knot to another in one direction.
struct Move {
  std::size_t from, to;
  bool rises;
};

// Turning points whose moves are `least` or more.
std::vector<Move> moves_of(const std::vector<double>& values, double least) {
  std::vector<Move> moves;
  std::size_t low = 0, high = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (moves.empty()) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
      if (values[i] - values[low] >= least)
        moves.push_back({low, i, true});
      else if (values[high] - values[i] >= least)
        moves.push_back({high, i, false});
      continue;
    }
    Move& last = moves.back();
    const double sign = last.rises ? 1 : -1;
    if (sign * (values[i] - values[last.to]) > 0)
      last.to = i;
    else if (sign * (values[last.to] - values[i]) >= least)
      moves.push_back({last.to, i, !last.rises});
  }
  return moves;
}

// The move without the knots at its ends between which nearly nothing happens.
Move trimmed(Move move, const std::vector<double>& values, double little) {
  while (move.from + 1 < move.to && std::abs(values[move.from + 1] - values[move.from]) < little) ++move.from;
  while (move.from + 1 < move.to && std::abs(values[move.to] - values[move.to - 1]) < little) --move.to;
  return move;
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace

double Pieces::value(double x) const {
  if (kind == CurveKind::step) return values[step_at(*this, x)];
  const bool bounded = kind != CurveKind::periodic;
  if (bounded && !straight_ends && x <= knots.front()) return values.front();
  if (bounded && !straight_ends && x >= knots.back()) return values.back();
  if (kind == CurveKind::linear) {
    const std::size_t i = piece_at(knots, x);
    return values[i] + (x - knots[i]) * piece_slope(*this, i);
  }
  if (bounded && x <= knots.front()) return values.front() + (x - knots.front()) * slopes.front();
  if (bounded && x >= knots.back()) return values.back() + (x - knots.back()) * slopes.back();
  const KnotPlace place = place_among(knots, period, x);
  return cubic_at(*this, place).value(place.part);
}

double Pieces::slope(double x) const {
  if (kind == CurveKind::step) return 0;
  const bool bounded = kind != CurveKind::periodic;
  if (bounded && !straight_ends && (x < knots.front() || x >= knots.back())) return 0;
  if (kind == CurveKind::linear) return piece_slope(*this, piece_at(knots, x));
  if (bounded && x < knots.front()) return slopes.front();
  if (bounded && x >= knots.back()) return slopes.back();
  const KnotPlace place = place_among(knots, period, x);
  return cubic_at(*this, place).slope(place.part);
}

double Pieces::last() const {
  if (kind == CurveKind::periodic) return knots.front() + period;
  if (kind == CurveKind::step) return 2 * knots.back() - knots[knots.size() - 2];
  return knots.back();
}

std::vector<double> Pieces::points() const {
  constexpr int kBetween = 8;
  if (kind == CurveKind::linear) return knots;
  std::vector<double> ends = knots, out;
  if (last() > ends.back()) ends.push_back(last());
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    for (int k = 0; k < kBetween; ++k) out.push_back(ends[i] + (ends[i + 1] - ends[i]) * k / kBetween);
  out.push_back(ends.back());
  return out;
}

double Pieces::size() const {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::string shape_in_words(const Pieces& p) {
  const auto [low, high] = std::minmax_element(p.values.begin(), p.values.end());
  const double range = *high - *low;
  if (range == 0) return "flat";
  if (p.kind == CurveKind::periodic) return "repeats every " + number(p.period);
  std::string words;
  std::size_t reached = 0;
  for (Move move : moves_of(p.values, range / 10)) {
    move = trimmed(move, p.values, range / 50);
    if (move.from > reached)
      words += fmt::format("{}flat to {}", words.empty() ? "" : ", ", number(p.knots[move.from]));
    words += fmt::format("{}{} to {}", words.empty() ? "" : ", ", move.rises ? "rises" : "falls",
                         number(p.knots[move.to]));
    reached = move.to;
  }
  if (reached + 1 < p.knots.size()) words += ", then flat";
  return p.kind == CurveKind::step ? words + ", in steps" : words;
}

std::string in_words(const Pieces& p) {
  const auto low = std::min_element(p.values.begin(), p.values.end());
  const auto high = std::max_element(p.values.begin(), p.values.end());
  if (*low == *high) return shape_in_words(p);
  const char* place = p.kind == CurveKind::step ? "from" : "at";
  const auto x = [&](auto at) { return number(p.knots[static_cast<std::size_t>(at - p.values.begin())]); };
  return fmt::format("{}; lowest {} {} {}, highest {} {} {}", shape_in_words(p), number(*low), place, x(low),
                     number(*high), place, x(high));
}

}  // namespace bl::explain
