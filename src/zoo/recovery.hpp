// Fits a model of the planted architecture to simulated data and sets what was learned beside the truth.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "training/trainer.hpp"
#include "zoo/comparison.hpp"

namespace bl::zoo {

struct RecoverySpec {
  Index training_rows = 10000;
  Index held_out_rows = 2000;
  int starts = 4;                 // L-BFGS in float64 from this many starting values; the lowest loss is kept
  std::int64_t iterations = 400;  // at most, per start
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

struct RecoveryProgress {
  int start = 0;  // from 1
  int starts = 0;
  std::int64_t iteration = 0;
  double loss = 0;
};
using ProgressCallback = std::function<void(const RecoveryProgress&)>;

struct RecoveryResult {
  std::vector<ProblemLine> lines;
  LawComparison comparison;             // on held-out rows
  FitReport fit;                        // of the start that was kept
  std::vector<double> starting_losses;  // final training loss of every start
  int agreeing_starts = 0;              // starts whose final loss is within 1e-5 of the lowest
  std::vector<double> parameters;       // raw, aligned with the planted ones: the law is the learned one
};

// How the problem is fitted: likelihood (quadrature for continuous responses), or the hybrid objective.
ObjectiveSpec fitting_objective(const PlantedProblem& problem);

// Training rows are simulated from 2 seed, held-out rows from 2 seed + 1.
RecoveryResult recover(const PlantedProblem& problem, const RecoverySpec& spec, ThreadPool& pool,
                       const ProgressCallback& progress = {});

}  // namespace bl::zoo
