// The minimum of the loss from many starts: short fits to few rows pick the promising ones, full-batch L-BFGS
// in float64 takes each of them to the end, and their canonical forms say which are the same optimum.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inference/canonical.hpp"
#include "inference/loss.hpp"
#include "training/lbfgs.hpp"

namespace bl::inference {

struct MinimiserSpec {
  int starts = 8;         // taken to the end
  int tries = 0;          // short fits they are picked from; 0: four for every start
  Index try_rows = 1000;  // the first of the rows
  std::int64_t try_iterations = 30;
  std::int64_t iterations = 2000;  // at most, of each start
  double tolerance = 1e-8;         // of the gradient's norm (mean loss, raw parameters)
  std::uint64_t seed = 0;
  Index reference = 0;
  // Further starts, taken to the end as they are (the truth of a simulation, an earlier fit). With starts = 0
  // they are the only ones.
  std::vector<std::vector<double>> given = {};
  // Score matching: the noise, rows x draws * values; empty: random, from the seed.
  MatrixView<const double> noise = {};
};

// Where one start ended.
struct LocalMinimum {
  std::vector<double> parameters;  // raw, canonical
  double loss = 0;
  double gradient_norm = 0;
  std::int64_t iterations = 0;
  bool converged = false;
  std::string cause;  // why it ended
};

// Starts that ended in the same canonical form.
struct Optimum {
  double loss = 0;
  double gradient_norm = 0;  // the smallest
  int starts = 0;
  bool converged = false;
};

struct Minimisation {
  LocalMinimum best;
  std::vector<Optimum> optima;  // lowest loss first
  int starts = 0;
  bool interrupted = false;
};

// One start to the end, or to where the context ends it. Entries with held[i] = 1 stay where they are; empty:
// all move. Not canonicalised.
LocalMinimum descend(Loss& loss, std::vector<double> raw, const MinimiserSpec& spec,
                     const std::vector<std::uint8_t>& held = {});

// The same of any function of a point; `between` follows every iteration and says whether to stop.
LocalMinimum descend(const DifferentiableFunction<double>& function, std::vector<double> point,
                     const MinimiserSpec& spec, const std::function<bool(std::int64_t iteration)>& between);

// NumericError where no start has a finite loss. Bit-identical for any number of threads.
Minimisation minimise(const Objective<double>& objective, const MinimiserSpec& spec, Engine<double>& engine);

// Both canonical, with the same loss and parameters up to the precision of the minimisation.
bool same_optimum(const Architecture& architecture, const LocalMinimum& a, const LocalMinimum& b);

// Starting values spread wider than those of training: coefficients of standard deviation 1 over the root of
// their number, weights around 1.
std::vector<double> spread_start(const Architecture& architecture, const ParameterLayout& layout,
                                 std::uint64_t seed);

}  // namespace bl::inference
