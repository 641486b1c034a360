// Chains of a continuous response: all their moves in one launch.
#pragma once

#include <cuda_runtime.h>

#include "engine/chains.hpp"

namespace bl::cuda {

// Those with a given step, no classes and all coordinates moving; others learn from all chains together.
template <class T>
bool chains_on_gpu(const ChainPlan<T>& plan);

template <class T>
gibbs::SamplerResult<T> run_chains_on_gpu(const ChainPlan<T>& plan, ThreadPool& pool, cudaStream_t stream);

}  // namespace bl::cuda
