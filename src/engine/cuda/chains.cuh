// Chains of a continuous response: all their moves in one launch.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "engine/chains.hpp"

namespace bl::cuda {

// Why chains run on the processor; empty: a GPU runs them. Those that learn their step do so from all chains
// together.
template <class T>
std::string chains_not_on_gpu(const ChainPlan<T>& plan);

template <class T>
gibbs::SamplerResult<T> run_chains_on_gpu(const ChainPlan<T>& plan, const Context& job, cudaStream_t stream);

}  // namespace bl::cuda
