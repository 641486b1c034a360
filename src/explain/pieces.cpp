#include "explain/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  if (!straight_ends && x <= knots.front()) return values.front();
  if (!straight_ends && x >= knots.back()) return values.back();
  const std::size_t i = piece_at(knots, x);
  return values[i] + (x - knots[i]) * piece_slope(*this, i);
}

double Pieces::slope(double x) const {
  if (!straight_ends && (x < knots.front() || x >= knots.back())) return 0;
  return piece_slope(*this, piece_at(knots, x));
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
  return words;
}

std::string in_words(const Pieces& p) {
  const auto low = std::min_element(p.values.begin(), p.values.end());
  const auto high = std::max_element(p.values.begin(), p.values.end());
  if (*low == *high) return shape_in_words(p);
  const auto x = [&](auto at) { return number(p.knots[static_cast<std::size_t>(at - p.values.begin())]); };
  return fmt::format("{}; lowest {} at {}, highest {} at {}", shape_in_words(p), number(*low), x(low),
                     number(*high), x(high));
}

}  // namespace bl::explain
