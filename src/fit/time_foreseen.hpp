// How long a fit will take, from what its first epochs took.
//
// A fit is made of pieces, networks mostly, of at most so many epochs each. Time left is the mean time of a
// unit of work so far times the work that is left. Pieces of one kind end alike: once some have ended, the
// others are expected to take as many epochs; before that, all epochs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/context.hpp"

namespace bl {

class TimeForeseen {
 public:
  explicit TimeForeseen(std::function<double()> clock);
  explicit TimeForeseen(const Context& job) : TimeForeseen([job] { return job.seconds(); }) {}

  // Pieces of one kind, of at most `epochs` each. An epoch costs `cost`, in a unit that all kinds share, and
  // `later` after all pieces have ended. Returns the number of the first; the others follow.
  std::size_t add(std::size_t pieces, double epochs, double cost, double later = 0);

  void go_on_from(std::size_t piece, double epochs);  // of an earlier run: they took no time of this one
  void reach(std::size_t piece, double epochs);       // so far; parts of epochs count
  void end(std::size_t piece);

  double time() const { return clock_(); }
  double seconds() const;  // since this was made

  struct Left {
    double seconds = 0;    // NaN before anything is done
    bool at_most = false;  // as if all epochs were run
  };
  Left left() const;

 private:
  struct Piece {
    std::size_t kind;
    double before = 0, reached = 0;  // epochs
    bool ended = false;
  };
  struct Kind {
    double epochs, cost, later;
  };
  // Epochs of the pieces of a kind that have ended.
  struct Ended {
    double pieces = 0, epochs = 0, longest = 0;
  };
  static double expected(const Piece& piece, const Kind& kind, const Ended& ended);

  std::function<double()> clock_;
  double started_;
  std::vector<Kind> kinds_;
  std::vector<Piece> pieces_;
};

}  // namespace bl
