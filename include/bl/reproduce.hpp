// The paper's experiments, one function each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bl {

struct ConstraintSweepOptions {
  std::string method = "hmc";  // hmc, mala, langevin, paper
  std::size_t draws = 1000;    // per chain
  std::size_t chains = 64;     // per context
  std::size_t warmup = 300;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
};

// One setting of the sweep: figures of |T|, sampled and exact.
struct ConstraintRow {
  double lambda = 0, tau = 0;
  bool proper = false;   // the law exists without a support box, so the exact figures do
  bool sampled = false;  // at least one chain stayed finite
  std::string note;
  double mean = 0, standard_error = 0, percentile_95 = 0, share_within = 0;
  double exact_mean = 0, exact_percentile_95 = 0, exact_share_within = 0;
  double rhat = 0, ess_bulk = 0, acceptance = 0;
  std::size_t divergences = 0, diverged_chains = 0, chains = 0;
};

// progress: seconds so far and a line of text.
std::vector<ConstraintRow> reproduce_constraint(
    const ConstraintSweepOptions& options,
    const std::function<void(double, const std::string&)>& progress = {});

// Mean |T| against tau and against lambda, sampled and exact, as a picture.
std::string constraint_svg(const std::vector<ConstraintRow>& rows);

}  // namespace bl
