#include "engine/cuda/lane_chains.cuh"

#include <algorithm>

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/lane_worker.cuh"
#include "engine/cuda/memory.cuh"
#include "engine/cuda/resident.cuh"

namespace bl::cuda {

namespace {

constexpr int kFewLanes = 4, kManyLanes = 16;
constexpr int kMostValues = 12;
constexpr int kMostThreads = 128;                                    // of a block
constexpr std::size_t kSharedOfProcessor = std::size_t{227} * 1024;  // 1 KiB of each block goes with it
constexpr int kBusy = 256;  // threads from which on a multiprocessor has something to do most of the time

// Chains that lanes have at once, and threads of a multiprocessor for which there are registers.
template <class T>
constexpr int chains_at_once(int lanes) {
  return lanes == kFewLanes && sizeof(T) == 4 ? 2 : 1;
}
template <class T>
constexpr int threads_with_registers(int lanes) {
  return chains_at_once<T>(lanes) == 1 && sizeof(T) == 4 ? 640 : 384;
}

template <class T>
struct LaneLaunch {
  ChainLaunch<T> chains;
  LanePlaces places;
};

template <class T, int V, int P>
__global__ void __launch_bounds__(kMostThreads, V > 8 ? 3 : threads_with_registers<T>(P) / kMostThreads)
    lane_chains_kernel(const __grid_constant__ LaneLaunch<T> launch) {
  constexpr int C = chains_at_once<T>(P);
  extern __shared__ __align__(16) unsigned char memory[];
  const ChainLaunch<T>& l = launch.chains;
  T* w = reinterpret_cast<T*>(memory);
  for (int i = static_cast<int>(threadIdx.x); i < l.plan.resident; i += static_cast<int>(blockDim.x))
    w[i] = l.w[i];
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / P, groups = static_cast<int>(blockDim.x) / P;
  const LaneNetwork<T, V, P, C> network{l.plan,
                                        launch.places,
                                        w,
                                        w + l.plan.resident + group * launch.places.stride,
                                        groups * launch.places.stride,
                                        static_cast<int>(threadIdx.x) % P};
  LaneWorker<T, V, P, C>{l, network, static_cast<int>(blockIdx.x) * l.per_block + group, groups}.run();
}

LanePlaces lane_places(const Plan& plan) {
  LanePlaces out;
  int size = 0;
  const auto place = [&](int count) {
    const int at = size;
    size += (count + 3) / 4 * 4;
    return at;
  };
  for (int l = 0; l + 1 < plan.layers; ++l) out.blocks[l] = place(plan.layer[l].blocks);
  for (int l = 0; l < plan.layers; ++l) out.heads[l] = place(plan.layer[l].heads);
  out.held = place(plan.layer[0].heads);
  out.stride = padded(size);
  return out;
}

// Layers that read nothing but the layer below, the first of them the inputs themselves.
bool plain_stack(const Plan& plan) {
  bool plain = plan.single_factors && plan.values <= kMostValues && !plan.reads_input && !plan.dense &&
               plan.first_input + plan.row_terms == plan.context &&
               plan.terms - plan.row_terms == plan.values;
  for (int l = 0; l < plan.layers; ++l) plain = plain && !plan.layer[l].residual;
  return plain;
}

template <class T>
std::size_t block_bytes(const Plan& plan, int lanes, int threads) {
  return sizeof(T) * static_cast<std::size_t>(plan.resident + threads / lanes * chains_at_once<T>(lanes) *
                                                                  lane_places(plan).stride);
}

// Threads that a multiprocessor runs at once.
template <class T>
int threads_at_once(const Plan& plan, int lanes, int threads) {
  const std::size_t bytes = block_bytes<T>(plan, lanes, threads) + 1024;
  return std::min(threads * static_cast<int>(kSharedOfProcessor / bytes), threads_with_registers<T>(lanes));
}

// The largest blocks of which there is one for every multiprocessor, if they are as good as smaller ones.
template <class T>
int threads_of_block(const ChainLaunch<T>& l, int lanes) {
  int best = 32;
  for (const int threads : {64, kMostThreads}) {
    const bool enough =
        static_cast<long long>(l.chains) * lanes >= static_cast<long long>(threads) * processors();
    if (enough && threads_at_once<T>(l.plan, lanes, threads) >= threads_at_once<T>(l.plan, lanes, best))
      best = threads;
  }
  return best;
}

template <class T, int V, int P>
void launch_lanes(const ChainLaunch<T>& chains, cudaStream_t stream) {
  LaneLaunch<T> l{chains, lane_places(chains.plan)};
  const int threads = threads_of_block(chains, P);
  l.chains.per_block = threads / P * chains_at_once<T>(P);
  const std::size_t bytes = block_bytes<T>(chains.plan, P, threads);
  check(cudaFuncSetAttribute(lane_chains_kernel<T, V, P>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting up a kernel");
  const auto blocks = static_cast<unsigned>((chains.chains + l.chains.per_block - 1) / l.chains.per_block);
  lane_chains_kernel<T, V, P><<<blocks, static_cast<unsigned>(threads), bytes, stream>>>(l);
  check(cudaGetLastError(), "a launch");
}

template <class T, int P>
void launch_values(const ChainLaunch<T>& l, cudaStream_t stream) {
  if (l.plan.values <= 4) return launch_lanes<T, 4, P>(l, stream);
  if (l.plan.values <= 8) return launch_lanes<T, 8, P>(l, stream);
  launch_lanes<T, kMostValues, P>(l, stream);
}

}  // namespace

// Few lanes leave less to add up between them; many keep a GPU busy where chains are few, or have room for
// few.
template <class T>
int lanes_of_chain(const ChainLaunch<T>& l) {
  if (!plain_stack(l.plan)) return 0;
  if (tuning().chain_lanes >= 0) return tuning().chain_lanes;
  const auto busy = [&](int lanes) {
    return threads_at_once<T>(l.plan, lanes, 32) >= kBusy &&
           static_cast<long long>(l.chains) * lanes >= static_cast<long long>(kBusy) * processors();
  };
  if (busy(kFewLanes)) return kFewLanes;
  return threads_at_once<T>(l.plan, kManyLanes, 32) > 0 ? kManyLanes : 0;
}

template <class T>
void run_lane_chains(const ChainLaunch<T>& l, int lanes, cudaStream_t stream) {
  if (lanes == kFewLanes)
    launch_values<T, kFewLanes>(l, stream);
  else
    launch_values<T, kManyLanes>(l, stream);
}

#define BL_INSTANTIATE(T)                                \
  template int lanes_of_chain<T>(const ChainLaunch<T>&); \
  template void run_lane_chains<T>(const ChainLaunch<T>&, int, cudaStream_t);
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::cuda
