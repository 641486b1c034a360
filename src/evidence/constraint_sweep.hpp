// The constraint test of the paper: T(x, y) = |y|^2 - |x|^2 in 64 dimensions, BL = -lambda T^2, p ~ exp(BL /
// tau). |T| is known exactly: T has the density (T + |x|^2)^(d/2 - 1) exp(-lambda T^2 / tau) on T > -|x|^2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
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

struct SweepRow {
  SweepSetting setting;
  std::string note;                     // why figures are missing; empty where all is well
  std::optional<SweepFigures> exact;    // none at lambda = 0: no proper distribution without a support box
  std::optional<SweepFigures> sampled;  // from the chains that did not diverge; none where all did
  double standard_error = 0;            // Monte-Carlo, of the sampled mean
  double rhat = 0;      // of |T|, the largest over x; it says nothing of directions on the sphere
  double ess_bulk = 0;  // of |T|, the smallest over x
  double acceptance = 0;
  double step = 0;
  // Of `paper`: 1e-4 times 8 lambda |x|^2 / tau at the mean |x|^2; unstable above 2.
  double step_times_curvature = 0;
  Index divergences = 0;
  Index diverged_chains = 0;  // unadjusted chains that left the finite numbers
  Index chains = 0;
};

// All settings over the same x, each with random numbers of its own: as many observations.
std::vector<SweepRow> run_constraint_sweep(const SweepOptions& options, const Context& job);

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
