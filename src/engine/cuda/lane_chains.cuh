// Which chains a few lanes of a warp work on (lane_worker.cuh), and their launch.
#pragma once

#include <cuda_runtime.h>

#include "engine/cuda/chain_launch.cuh"

namespace bl::cuda {

// Lanes that work on a chain; 0: such chains are shared by the threads of a block (chain_worker.cuh).
template <class T>
int lanes_of_chain(const ChainLaunch<T>& launch);

template <class T>
void run_lane_chains(const ChainLaunch<T>& launch, int lanes, cudaStream_t stream);

}  // namespace bl::cuda
