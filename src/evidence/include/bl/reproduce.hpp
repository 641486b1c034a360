// The paper's experiments, one function each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bl/check.hpp"

namespace bl {

struct ConstraintSweepOptions {
  std::string method = "hmc";  // hmc, mala, langevin, paper
  std::size_t draws = 1000;    // per chain
  std::size_t chains = 64;     // per context
  std::size_t warmup = 300;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  std::function<bool()> should_stop = {};  // true: Interrupted
};

// One setting of the sweep: figures of |T|, sampled and exact.
struct ConstraintRow {
  double lambda = 0, tau = 0;
  bool proper = false;   // the distribution exists without a support box, so the exact figures do
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

struct IdentificationOptions {
  std::vector<std::string> models = {};  // "single_class" ...; empty: all
  std::size_t replications = 100;        // at coverage_rows; fewer at other sizes
  std::vector<std::size_t> sizes = {500, 2000, 8000, 32000};
  std::size_t coverage_rows = 2000;
  int starts = 0;  // random ones beside the truth
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  std::function<bool()> should_stop = {};  // true: Interrupted
  std::string device = "cpu";              // where fits are computed: cpu, cuda
};

// One known model, fitted again and again.
struct IdentificationModel {
  std::string name;
  std::string description;
  std::string objective;  // likelihood, score matching
  double noise = 0;       // of score matching, +1 and -1 times this
  double slope = 0;       // of log error on log rows, every size alike
  double slope_error = 0;
  double pooled_slope = 0;  // every replication alike
  double pooled_slope_error = 0;
  std::vector<RecoveryRound> sizes;  // ascending
  std::size_t coverage_size = 0;     // position of coverage_rows

  const RecoveryRound& at_coverage_rows() const { return sizes[coverage_size]; }
};

// Root-n rate, coverage and efficiency on data from known identifiable models. progress: seconds so far and a
// line of text.
std::vector<IdentificationModel> reproduce_identification(
    const IdentificationOptions& options,
    const std::function<void(double, const std::string&)>& progress = {});

// Names of the known models.
std::vector<std::string> identification_models();

std::string identification_text(const std::vector<IdentificationModel>& models);  // at most 80 columns
std::string identification_json(const std::vector<IdentificationModel>& models);
// Error against rows on logarithmic axes, and the coverage of every parameter.
std::string identification_svg(const std::vector<IdentificationModel>& models);

}  // namespace bl
