// All moves of the chains that a few lanes work on. Where they stand is in registers of every lane.
#pragma once

#include "engine/cuda/chain_lanes.cuh"
#include "engine/cuda/chain_moves.cuh"

namespace bl::cuda {

// Chain c of those that lanes have in registers.
template <class T, int V, int C>
struct LaneChains {
  T q[C][V] = {}, g[C][V] = {}, y[C][V] = {}, slope[C][V] = {}, p[C][V] = {};
  T value[C] = {}, proposed[C] = {};
  double kinetic[C] = {}, acceptance[C] = {};
  int alive[C] = {}, stopped[C] = {}, divergences[C] = {};
};

template <class T, int V, int C>
struct LaneChain {
  LaneChains<T, V, C>& all;
  int values, c;

  template <class F>
  __device__ void each(const F& visit) const {
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (j < values) visit(j);
  }
  __device__ T& q(int j) const {
    return all.q[c][j];
  }
  __device__ T& g(int j) const {
    return all.g[c][j];
  }
  __device__ T& p(int j) const {
    return all.p[c][j];
  }
  __device__ T& y(int j) const {
    return all.y[c][j];
  }
  __device__ T& slope(int j) const {
    return all.slope[c][j];
  }
  __device__ T& value() const {
    return all.value[c];
  }
  __device__ T& proposed() const {
    return all.proposed[c];
  }
  __device__ double& kinetic() const {
    return all.kinetic[c];
  }
  __device__ double& acceptance() const {
    return all.acceptance[c];
  }
  __device__ int& alive() const {
    return all.alive[c];
  }
  __device__ int& stopped() const {
    return all.stopped[c];
  }
  __device__ int& divergences() const {
    return all.divergences[c];
  }
};

template <class T, int V, int P, int C>
struct LaneWorker {
  const ChainLaunch<T>& l;
  const LaneNetwork<T, V, P, C>& network;
  int first, apart;  // chains: the first, and how far the others are; beyond the last they are copies of it

  __device__ bool counts(int c) const { return first + c * apart < l.chains; }
  __device__ int chain(int c) const { return min(first + c * apart, l.chains - 1); }

  // visit(moves, c) for every chain.
  template <class F>
  __device__ void each(LaneChains<T, V, C>& all, const F& visit) const {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      LaneChain<T, V, C> one{all, l.plan.values, c};
      visit(ChainMoves<T, LaneChain<T, V, C>>{l, one, chain(c)}, c);
    }
  }
  // A pair of momenta for each lane, handed to all.
  __device__ void draw_momenta(int move, int number, T (&p)[V]) const {
    constexpr int kPairs = V / 2;
#pragma unroll
    for (int from = 0; from < kPairs; from += P) {
      typename ChainLaunch<T>::Momenta mine{T(0), T(0)};
      if (const int pair = from + network.lane; 2 * pair < l.plan.values)
        mine = l.momenta(move, number, pair);
#pragma unroll
      for (int i = 0; i < P && from + i < kPairs; ++i) {
        p[2 * (from + i)] = __shfl_sync(~0U, mine.first, i, P);
        p[2 * (from + i) + 1] = __shfl_sync(~0U, mine.second, i, P);
      }
    }
  }
  __device__ void store(const LaneChains<T, V, C>& all, T* to) const {
#pragma unroll
    for (int c = 0; c < C; ++c)
#pragma unroll
      for (int j = 0; j < V; ++j)
        if (j % P == network.lane && j < l.plan.values && counts(c))
          to[static_cast<std::size_t>(chain(c)) * l.plan.values + j] = all.q[c][j];
  }

  __device__ void run() const {
    LaneChains<T, V, C> all{};
#pragma unroll
    for (int c = 0; c < C; ++c) {
      const auto number = static_cast<std::size_t>(chain(c));
#pragma unroll
      for (int j = 0; j < V; ++j)
        if (j < l.plan.values) all.y[c][j] = l.start[number * l.plan.values + j];
      network.prepare(c, l.w,
                      l.data.context + static_cast<std::size_t>(l.rows[number]) * l.data.context_stride);
    }
#pragma unroll 1
    for (int k = -1; k < l.warmup + l.moves; ++k) {  // before the first move: where the chains start
      const bool starts = k < 0, adjusted = !starts && l.adjusted(k);
      const int steps = starts ? 1 : l.leapfrogs(k);
      if (!starts) {
#pragma unroll
        for (int c = 0; c < C; ++c) draw_momenta(k, chain(c), all.p[c]);
        each(all, [&](const auto& moves, int) { moves.begin(adjusted); });
      }
#pragma unroll 1
      for (int done = 1; done <= steps; ++done) {
        network.evaluate(all.y, all.proposed, all.slope);
        each(all, [&](const auto& moves, int) {
          if (!starts)
            moves.go_on(k, done, steps, adjusted);
          else if (!moves.settle())
            atomicMin(l.bad_start, moves.chain);
        });
      }
      if (T* to = l.draws_after(k)) store(all, to);
    }
    store(all, l.last);
    if (network.lane != 0) return;
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if (!counts(c)) continue;
      l.acceptance[chain(c)] = all.acceptance[c];
      l.divergences[chain(c)] = all.divergences[c];
      l.stopped[chain(c)] = all.stopped[c];
    }
  }
};

}  // namespace bl::cuda
