// Simulate from a known model, fit it again, and compare: what standard errors promise, tested.
//
//   const Replicator replicator(problem, {.objective = fitting_objective(problem)});
//   const Replication one = replicator.run(simulate(problem, 2000, seed, job), seed, engine);
//
// Estimates and truth are compared in canonical form, entry by entry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inference/estimate.hpp"
#include "simulation/simulate.hpp"

namespace bl::simulation {

struct ReplicationSpec {
  ObjectiveSpec objective;
  int starts = 0;       // random ones beside the truth
  Index reference = 0;  // class whose coefficients are 0
  // Score matching: noise of +1 and -1 standard deviations in turn, not random. With two draws the loss is
  // Hyvarinen's,
  //   1/2 mean s(v +- sigma)^2 + (s(v + sigma) - s(v - sigma)) / (2 sigma) -> 1/2 s^2 + ds/dv,
  // s the score, off by sigma^2; nothing of its spread comes from the noise.
  bool balanced_noise = false;
};

enum class ReplicationEnd {
  found,          // a minimum with an error for every entry
  at_bound,       // a weight ended at zero: the entries it multiplies are not there
  unidentified,   // the rows of this replication leave a direction open
  not_converged,  // no minimum was reached
};

// Where the best of the random starts ended, against the start from the truth.
enum class StartsEnd { none, same, lower, higher };

// The vectors are in the order of Replicator::positions(). Errors are NaN unless the end is `found`.
struct Replication {
  std::vector<double> values;            // effective
  std::vector<double> errors;            // robust
  std::vector<double> classical_errors;  // NaN under score matching
  ReplicationEnd end = ReplicationEnd::found;
  StartsEnd random_starts = StartsEnd::none;
};

class Replicator {
 public:
  // The problem must outlive this.
  Replicator(const PlantedProblem& problem, ReplicationSpec spec);

  // What is estimated: free entries that no rule of the canonical form sets.
  const std::vector<Index>& positions() const { return chart_.positions; }
  const Network<double>& network() const { return network_; }
  const std::vector<double>& truth() const { return truth_; }  // effective, by position
  const std::vector<double>& parameters() const { return chart_.raw; }

  // The network is shared by all replications.
  Replication run(const SimulatedData<double>& data, std::uint64_t seed, Engine<double>& engine) const;

  // Smallest standard deviations that any estimator can have, for one row: roots of the diagonal of J^-1, J =
  // E[s s'] at the truth by this likelihood of these rows.
  std::vector<double> information_bound(const SimulatedData<double>& data, const ObjectiveSpec& likelihood,
                                        const Context& job) const;

 private:
  inference::Minimisation minimum(const Objective<double>& objective, const inference::EstimateSpec& spec,
                                  Engine<double>& engine, StartsEnd& random_starts) const;

  const PlantedProblem* problem_;
  ReplicationSpec spec_;
  Network<double> network_;
  inference::Chart chart_;
  std::vector<double> truth_;
};

}  // namespace bl::simulation
