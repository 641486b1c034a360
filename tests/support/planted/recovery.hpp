// Fits a model of the planted architecture to simulated data and sets what was learned beside the truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/planted/comparison.hpp"
#include "training/trainer.hpp"

namespace bl::simulation {

// Most starting values leave an inequality asleep: nowhere violated, never learned. So many are tried briefly
// on few rows, and the best of them are fitted to the end (L-BFGS in float64).
struct RecoverySpec {
  Index training_rows = 10000;
  Index held_out_rows = 2000;
  int tries = 24;
  Index try_rows = 1000;  // the first of the training rows
  std::int64_t try_iterations = 40;
  int starts = 2;  // how many are fitted to the end; the lowest loss is kept
  std::int64_t iterations = 400;
  std::uint64_t seed = 1;
};

struct Coefficient {
  std::string term;  // "price*[two]"; "1" for the bias
  double truth = 0;
  double learned = 0;
  double standard_error = 0;  // 0: not decided by the data, set as in the truth (see alignment.hpp)
};

// One line of the problem: "max U = ...", "C = ... <= 0" or "T = ... = 0", weighted by lambda.
struct ProblemLine {
  HeadKind kind = HeadKind::utility;
  Activation activation = Activation::identity;
  Coefficient lambda;  // term "lambda"
  std::vector<Coefficient> terms;
};

struct RecoveryResult {
  std::vector<ProblemLine> lines;
  DistributionComparison comparison;  // on held-out rows
  FitReport fit;                      // of the start that was kept
  std::vector<double> start_losses;   // training loss at which each start ended
  int agreeing_starts = 0;            // starts that ended within 1e-5 of the lowest
  std::vector<double> parameters;  // raw, aligned with the planted ones: the distribution is the learned one
};

// How the problem is fitted: likelihood (quadrature for continuous responses), or the hybrid objective.
ObjectiveSpec fitting_objective(const PlantedProblem& problem);

// What the rows are simulated from.
std::uint64_t training_seed(const RecoverySpec& spec);
std::uint64_t held_out_seed(const RecoverySpec& spec);

// Tells of every iteration of the starts that are fitted to the end.
RecoveryResult recover(const PlantedProblem& problem, const RecoverySpec& spec, const Context& job);

}  // namespace bl::simulation
