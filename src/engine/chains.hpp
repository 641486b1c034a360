// Chains as an engine runs them: which distribution, from where, how.
#pragma once

#include <span>
#include <vector>

#include "gibbs/sampler.hpp"
#include "model/network.hpp"

namespace bl {

// Responses drawn from exp(BL/temperature) given the context: chain i has the context of row i /
// chains_per_row.
template <class T>
struct ChainPlan {
  const Network<T>& network;
  std::span<const T> parameters;
  double temperature = 1;
  MatrixView<const T> context;  // rows x context columns
  Index rows = 1;
  Index chains_per_row = 1;
  gibbs::Box box;             // of the coordinates that move
  MatrixView<const T> start;  // chains x coordinates that move
  std::vector<Index> free;    // which coordinates of the response move; empty: all
  MatrixView<const T> held;   // chains x all coordinates: where the others stay
  gibbs::SamplerOptions options;
};

// Runs them with this density of all coordinates, which an engine brings along.
template <class T>
gibbs::SamplerResult<T> sample_chains(gibbs::HybridDensity<T>& joint, const ChainPlan<T>& plan,
                                      const Context& job);

}  // namespace bl
