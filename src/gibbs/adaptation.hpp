// What warm-up learns, shared by all chains: step size, scale of each dimension, length of a trajectory.
#pragma once

#include <vector>

#include "base/matrix.hpp"

namespace bl::gibbs {

// Nesterov's dual averaging of the log step towards a mean acceptance, with Stan's constants
// (Hoffman & Gelman 2014, section 3.2): gamma 0.05, t0 10, kappa 0.75, mu = log(10 first step).
class DualAveraging {
 public:
  DualAveraging(double first_step, double target_acceptance);
  void update(double mean_acceptance);
  double step() const;           // for the next warm-up move
  double averaged_step() const;  // for sampling; the first step where nothing was learned

 private:
  double target_;
  double mu_;
  double log_step_;
  double log_averaged_;
  double error_sum_ = 0;
  double count_ = 0;
};

// Stan's schedule: a fast phase, windows of doubling length at whose ends the scales are set anew, a fast
// phase.
class WarmupWindows {
 public:
  explicit WarmupWindows(Index warmup);
  bool collects(Index step) const { return step >= first_ && step < last_; }
  bool ends_at(Index step) const;  // a window ends after this step

 private:
  Index first_;
  Index last_;
  std::vector<Index> ends_;
};

// The time after which a trajectory turns back (position change times momentum negative) in half of the
// chains, found by stochastic approximation. Lengths uniform on (0, turning time] avoid both random walks and
// resonance.
class TurningTime {
 public:
  explicit TurningTime(double first) { restart(first); }
  void restart(double first);
  void update(double share_turned, double shortest, double longest);
  double time() const;

 private:
  double log_time_ = 0;
  double count_ = 0;
};

// Variance of each dimension within chains, pooled over chains: chains may follow different distributions.
template <class T>
class RunningVariance {
 public:
  RunningVariance(Index chains, Index dimension);
  void restart();
  // Adds the rows of chains [first, first + points.rows); one round adds every chain once.
  void add(Index first, MatrixView<const T> points);
  void end_round() { ++rounds_; }
  // Standard deviations, drawn towards their common (geometric mean) size as 5 draws would be.
  void scales(std::vector<T>& out) const;

 private:
  Matrix<double> mean_;
  Matrix<double> squares_;
  Index rounds_ = 0;
};

extern template class RunningVariance<float>;
extern template class RunningVariance<double>;

}  // namespace bl::gibbs
