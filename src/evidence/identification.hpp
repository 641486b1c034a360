// The evidence for identification: rows from known models, fitted again many times, side by side. The numbers are
// the same for any number of threads.
#pragma once

#include "check/size_evidence.hpp"
#include "evidence/known_models.hpp"

namespace bl::simulation {

struct IdentificationSpec {
  std::vector<std::string> models = {};  // empty: all
  std::size_t replications = 100;        // at coverage_rows
  std::vector<Index> sizes = {500, 2000, 8000, 32000};
  Index coverage_rows = 2000;  // added to the sizes where it is not among them
  int starts = 0;              // random ones beside the truth
  std::uint64_t seed = 1;
  Index bound_rows = 20000;  // simulated for the information bound
};

// Other sizes have as many as come to as many rows in all, at least a fifth of the replications and
// at most all of them.
std::size_t replications_at(const IdentificationSpec& spec, Index rows);

struct ModelEvidence {
  std::string name;
  std::string description;
  bool score_matching = false;
  double noise = 0;                     // of score matching
  std::vector<std::string> parameters;  // names
  std::vector<SizeEvidence> sizes;      // ascending
  std::size_t coverage_size = 0;        // the one with all replications
  Slope slope;                          // of the sizes' means
  Slope pooled_slope;                   // of all replications

  const SizeEvidence& at_coverage_rows() const { return sizes[coverage_size]; }
};

// Models of a number come twice, by likelihood and by score matching, where their distribution dies out before its
// support ends. Tells the share that is done. UsageError for a model that is not known, no replications, or sizes below 100.
std::vector<ModelEvidence> identification_evidence(const IdentificationSpec& spec, const Context& job);

// The likelihood that known models are fitted by: quadrature where the response is a number.
ObjectiveSpec likelihood_objective(const PlantedProblem& problem);

}  // namespace bl::simulation
