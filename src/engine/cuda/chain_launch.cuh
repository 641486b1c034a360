// What a launch of chains computes, and what its threads share: random numbers, the length of trajectories.
#pragma once

#include "engine/cuda/frame.cuh"
#include "gibbs/sampler.hpp"

namespace bl::cuda {

inline constexpr std::uint64_t kSharedRow = (std::uint64_t{1} << 48) - 1;  // as in gibbs/sampler.cpp

template <class T>
struct ChainLaunch {
  Plan plan;
  Data<T> data;
  const T *w = nullptr, *start = nullptr, *lower = nullptr, *upper = nullptr;
  const int* rows = nullptr;  // of each chain
  bool bounded = true;        // some coordinate has a bound
  int chains = 0, per_block = 4, ld = 4;
  gibbs::Method method = gibbs::Method::hmc;
  double step = 0, noise = 1, longest_time = 0;
  int max_leapfrog = 1, warmup = 0, moves = 0, thin = 1;
  std::uint64_t seed = 0;
  T *draws = nullptr, *last = nullptr;
  double* acceptance = nullptr;
  int *divergences = nullptr, *stopped = nullptr, *bad_start = nullptr;

  __device__ bool kept(int move) const { return move >= warmup; }
  __device__ bool adjusted(int move) const {
    return method != gibbs::Method::paper && !(kept(move) && method == gibbs::Method::langevin);
  }
  // Where the draws after this move go; null: nowhere.
  __device__ T* draws_after(int move) const {
    const int done = move - warmup + 1;
    if (done <= 0 || done % thin != 0) return nullptr;
    return draws + static_cast<std::size_t>(done / thin - 1) * chains * plan.values;
  }
  __device__ int leapfrogs(int move) const {
    if (method != gibbs::Method::hmc) return 1;
    const double u = open_unit(random_block(seed, static_cast<std::uint16_t>(Purpose::sampler_accept),
                                            static_cast<std::uint32_t>(move), kSharedRow, 0)
                                   .first);
    const double steps = ceil(u * longest_time / step);
    return static_cast<int>(steps < 1 ? 1 : steps > max_leapfrog ? max_leapfrog : steps);
  }
  // Momenta 2 pair and 2 pair + 1 of a chain.
  struct Momenta {
    T first, second;
  };
  __device__ Momenta momenta(int move, int chain, int pair) const {
    const NormalPair both = normal_pair(random_block(
        seed, static_cast<std::uint16_t>(Purpose::sampler_move), static_cast<std::uint32_t>(move),
        static_cast<std::uint64_t>(chain), static_cast<std::uint64_t>(pair)));
    const T scale = static_cast<T>(noise), a = static_cast<T>(both.first), b = static_cast<T>(both.second);
    return noise != 1 ? Momenta{a * scale, b * scale} : Momenta{a, b};
  }
};

}  // namespace bl::cuda
