// Launching the resident kernel.
#pragma once

#include "engine/cuda/launch.cuh"
#include "engine/cuda/memory.cuh"

namespace bl::cuda {

int processors();

// How many rows of a chunk fit into shared memory, aiming at so many points; 0: not one. crowded: two blocks
// are to share a multiprocessor, where chunks then still have 16 points.
template <class T>
int resident_points(const Plan& plan, int heads_per_part, int wanted, bool crowded = false);

// How many blocks of such a launch run at the same time.
template <class T>
int blocks_at_once(const Launch<T>& launch, int threads);

template <class T>
void run_resident(const Launch<T>& launch, int jobs, int threads, cudaStream_t stream);

}  // namespace bl::cuda
