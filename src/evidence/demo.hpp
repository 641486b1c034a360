// The demonstration: data from a known problem, a model that learns it, and the two side by side.
#pragma once

#include "evidence/recovery.hpp"

namespace bl::simulation {

// One held-out row: what the true and the learned problem expect of it.
struct PredictionExample {
  std::vector<double> context;                    // in the order of problem->context
  std::vector<std::vector<double>> alternatives;  // attributes of each, in the order of problem->value_names
  std::vector<double> true_probabilities;         // of each alternative
  std::vector<double> learned_probabilities;
};

struct DemoResult {
  const PlantedProblem* problem = nullptr;  // lives as long as the program
  RecoverySpec spec;
  RecoveryResult recovery;
  std::vector<PredictionExample> examples;
  double seconds = 0;
};

// The shopper. The numbers do not depend on the threads.
DemoResult run_demo(std::uint64_t seed, const Context& job);

}  // namespace bl::simulation
