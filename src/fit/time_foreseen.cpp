#include "fit/time_foreseen.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bl {

TimeForeseen::TimeForeseen(std::function<double()> clock) : clock_(std::move(clock)), started_(clock_()) {}

std::size_t TimeForeseen::add(std::size_t pieces, double epochs, double cost, double later) {
  const std::size_t first = pieces_.size();
  pieces_.insert(pieces_.end(), pieces, Piece{.kind = kinds_.size()});
  kinds_.push_back({epochs, cost, later});
  return first;
}

void TimeForeseen::go_on_from(std::size_t piece, double epochs) {
  pieces_[piece].before = pieces_[piece].reached = epochs;
}

void TimeForeseen::reach(std::size_t piece, double epochs) {
  pieces_[piece].reached = std::max(pieces_[piece].reached, epochs);
}

void TimeForeseen::end(std::size_t piece) {
  pieces_[piece].ended = true;
}

double TimeForeseen::seconds() const {
  return clock_() - started_;
}

double TimeForeseen::expected(const Piece& piece, const Kind& kind, const Ended& ended) {
  constexpr double kBeyondAll = 1.1;  // of a piece that has gone on for longer than all that ended
  if (piece.ended) return piece.reached;
  if (ended.pieces == 0) return kind.epochs;
  const double mean = ended.epochs / ended.pieces;
  if (piece.reached < mean) return mean;
  if (piece.reached < ended.longest) return ended.longest;
  return std::min(kind.epochs, kBeyondAll * piece.reached);
}

TimeForeseen::Left TimeForeseen::left() const {
  std::vector<Ended> ended(kinds_.size());
  double done = 0;
  for (const Piece& piece : pieces_) {
    done += (piece.reached - piece.before) * kinds_[piece.kind].cost;
    if (!piece.ended) continue;
    Ended& alike = ended[piece.kind];
    alike.pieces += 1;
    alike.epochs += piece.reached;
    alike.longest = std::max(alike.longest, piece.reached);
  }
  if (!(done > 0)) return {std::numeric_limits<double>::quiet_NaN(), false};
  double work = 0;
  bool at_most = false;
  for (const Piece& piece : pieces_) {
    const Kind& kind = kinds_[piece.kind];
    const double epochs = expected(piece, kind, ended[piece.kind]);
    work += (epochs - piece.reached) * kind.cost + epochs * kind.later;
    at_most = at_most || (!piece.ended && ended[piece.kind].pieces == 0);
  }
  return {seconds() / done * work, at_most};
}

}  // namespace bl
