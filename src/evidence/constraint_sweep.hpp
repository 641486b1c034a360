// The constraint test of the paper: T(x, y) = |y|^2 - |x|^2 in 64 dimensions, BL = -lambda T^2, p ~ exp(BL /
// tau). |T| is known exactly: T has the density (T + |x|^2)^(d/2 - 1) exp(-lambda T^2 / tau) on T > -|x|^2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "bl/reproduce.hpp"
#include "gibbs/log_density.hpp"
#include "gibbs/sampler.hpp"

namespace bl::gibbs {

struct SweepSetting {
  double lambda = 25;
  double tau = 1;
};

// tau in {2 ... 0.005} at lambda 25, then lambda in {0 ... 500} at tau 0.05.
std::vector<SweepSetting> paper_sweep_settings();

struct SweepOptions {
  Method method = Method::hmc;
  std::vector<SweepSetting> settings = paper_sweep_settings();
  Index dimension = 64;
  Index contexts = 8;  // values of x, standard normal
  Index chains_per_context = 64;
  Index warmup = 300;
  Index draws = 1000;
  std::uint64_t seed = 1;
};

// Three numbers about the distribution of |T|, over the same x.
struct SweepFigures {
  double mean = 0;
  double percentile_95 = 0;
  double share_within = 0;  // share of |T| at most 0.1
};

// All settings over the same x, each with random numbers of its own: as many observations.
std::vector<ConstraintRow> run_constraint_sweep(const SweepOptions& options, const Context& job);

// Squared lengths of the x of a sweep, and the exact figures over them.
std::vector<double> sweep_squared_lengths(const SweepOptions& options);
SweepFigures exact_constraint_figures(const SweepSetting& setting, const std::vector<double>& squared_lengths,
                                      Index dimension);

// -lambda (|y|^2 - |x|^2)^2 / tau, with the |x|^2 of each chain.
class ConstraintDensity : public LogDensity<double> {
 public:
  ConstraintDensity(Index dimension, SweepSetting setting, std::vector<double> squared_lengths);
  Index dimension() const override { return dimension_; }
  void evaluate(Index first, MatrixView<const double> points, std::span<double> value,
                MatrixView<double> gradient) const override;
  double constraint(Index chain, const double* y) const;  // T

 private:
  Index dimension_;
  double strength_;  // lambda / tau
  std::vector<double> squared_lengths_;
};

}  // namespace bl::gibbs
