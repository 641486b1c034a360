// Markov chains by the thousand, in lock-step: unadjusted Langevin, MALA, HMC, and the paper's update.
//
// With s the scale of each dimension (learned in warm-up), g the gradient of the log-density, p ~ N(0, I),
// one move from q is L leapfrog steps of size e:  p += e/2 s g;  q += e s p (reflected at the box, p changes
// sign);  p += e/2 s g.
//   hmc       accepts the end with probability min(1, exp(change of log-density - change of |p|^2/2)); L is
//             drawn anew for every move, the same for all chains: the time L e is uniform up to the learned
//             turning time.
//   mala      is hmc with L = 1: q' = q + eta s^2 g + sqrt(2 eta) s p with eta = e^2/2. Reflection leaves the
//             distribution invariant in both, exactly.
//   langevin  takes the end of one step always (biased by the step; its warm-up runs mala at acceptance
//             0.98).
//   paper     q' = q + eta g + sqrt(2 eta tau) p with eta = 1e-4: drift of BL/tau with the noise of another
//             distribution. Kept to show what it does; see docs/constraint_test.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "gibbs/box.hpp"
#include "gibbs/diagnostics.hpp"
#include "gibbs/draws.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

enum class Method { langevin, mala, hmc, paper };

struct SamplerOptions {
  Method method = Method::hmc;
  Index warmup = 500;  // moves before the first kept draw; step and scales are learned in them
  Index draws = 500;   // kept draws per chain
  Index thin = 1;      // moves per kept draw
  double step = 0;     // e above, fixed; 0: learned in warm-up (paper: sqrt(2e-4), so that eta is 1e-4)
  double target_acceptance = 0;  // 0: 0.574 for mala, 0.8 for hmc, 0.98 in the warm-up of langevin
  Index max_leapfrog = 64;       // longest trajectory of hmc
  double temperature = 1;        // tau, in the noise of `paper` alone
  Index chains_per_distribution =
      0;  // consecutive chains with the same distribution, for the diagnostics; 0: all of them
  std::uint64_t seed = 1;
};

// What is kept instead of the points, where that is wanted: out (rows x columns) from the points of chains
// first... Called from several threads with disjoint ranges.
template <class T>
struct Statistic {
  Index columns = 0;
  std::function<void(Index first, MatrixView<const T> points, MatrixView<T> out)> compute;
};

template <class T>
struct SamplerResult {
  Draws<T> draws;
  Matrix<std::int32_t> classes;  // kept draw x chain; empty unless the distribution is hybrid
  Matrix<T> last;                // where the chains ended: the start of a continued run
  double acceptance = 0;         // mean over chains and moves after warm-up; 1 for unadjusted moves
  double step = 0;               // e
  std::vector<T> scale;          // s
  Index leapfrog = 1;            // longest trajectory in steps
  Index divergences = 0;         // moves after warm-up whose energy rose by 1000 or left the finite numbers
  std::vector<std::uint8_t>
      stopped;  // per chain: an unadjusted chain that left the finite numbers stays where it was
  std::vector<Diagnostics> diagnostics;  // per column, the worst over distributions
  std::string verdict;
};

// UsageError for options that contradict each other.
void check(const SamplerOptions& options, Index chains);

// start: chains x dimension, inside the box. UsageError for contradictory options, NumericError where the
// log-density or its gradient at a start is not finite, Interrupted where the job is to end. Bit-identical
// for any number of threads.
template <class T>
SamplerResult<T> sample(const LogDensity<T>& distribution, const Box& box, MatrixView<const T> start,
                        const SamplerOptions& options, const Context& job,
                        const Statistic<T>* statistic = nullptr);

// Before every move the class of each chain is drawn exactly from its distribution given the point.
template <class T>
SamplerResult<T> sample_hybrid(HybridDensity<T>& distribution, const Box& box, MatrixView<const T> start,
                               const SamplerOptions& options, const Context& job,
                               const Statistic<T>* statistic = nullptr);

}  // namespace bl::gibbs
