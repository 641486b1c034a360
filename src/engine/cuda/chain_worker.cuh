// Chains of any model by the threads of one block: it holds some chains and the parameters in shared memory.
// The context's share of the heads does not change and is computed once.
#pragma once

#include "engine/cuda/block_runner.cuh"
#include "engine/cuda/chain_moves.cuh"

namespace bl::cuda {

inline constexpr int kChainThreads = 256;

template <class T>
struct ChainArrays {
  T *w, *ws, *heads, *q, *p, *g, *proposal_g, *value, *proposal_value;
  double *kinetic, *acceptance;
  int *alive, *stopped, *divergences;
};

template <class T>
BL_HOST_DEVICE std::size_t chain_numbers(const ChainLaunch<T>& l) {
  const Plan& plan = l.plan;
  const auto ld = static_cast<std::size_t>(l.ld);
  return static_cast<std::size_t>(plan.resident) +
         ld * static_cast<std::size_t>(plan.rows + plan.layer[0].heads + 4 * plan.values + 2);
}

template <class T>
std::size_t chain_bytes(const ChainLaunch<T>& l) {
  return chain_numbers(l) * sizeof(T) +
         static_cast<std::size_t>(l.ld) * (2 * sizeof(double) + 3 * sizeof(int)) + 16;
}

template <class T>
__device__ ChainArrays<T> chain_arrays(const ChainLaunch<T>& l, unsigned char* memory) {
  ChainArrays<T> a{};
  const int values = l.plan.values, ld = l.ld;
  a.kinetic = reinterpret_cast<double*>(memory);
  a.acceptance = a.kinetic + ld;
  a.w = reinterpret_cast<T*>(a.acceptance + ld);
  a.ws = a.w + l.plan.resident;
  a.heads = a.ws + static_cast<std::size_t>(l.plan.rows) * ld;
  a.q = a.heads + static_cast<std::size_t>(l.plan.layer[0].heads) * ld;
  a.p = a.q + values * ld;
  a.g = a.p + values * ld;
  a.proposal_g = a.g + values * ld;
  a.value = a.proposal_g + values * ld;
  a.proposal_value = a.value + ld;
  a.alive = reinterpret_cast<int*>(a.proposal_value + ld);
  a.stopped = a.alive + ld;
  a.divergences = a.stopped + ld;
  return a;
}

// Chain c of a block.
template <class T>
struct SharedChain {
  const ChainArrays<T>& a;
  const Frame<T>& f;
  int values, c;

  template <class F>
  __device__ void each(const F& visit) const {
    for (int j = 0; j < values; ++j) visit(j);
  }
  __device__ T& q(int j) const { return a.q[j * f.ld + c]; }
  __device__ T& g(int j) const { return a.g[j * f.ld + c]; }
  __device__ T& p(int j) const { return a.p[j * f.ld + c]; }
  __device__ T& y(int j) const { return *f.at(f.plan->value + j, c); }
  __device__ T& slope(int j) const { return a.proposal_g[j * f.ld + c]; }
  __device__ T& value() const { return a.value[c]; }
  __device__ T& proposed() const { return a.proposal_value[c]; }
  __device__ double& kinetic() const { return a.kinetic[c]; }
  __device__ double& acceptance() const { return a.acceptance[c]; }
  __device__ int& alive() const { return a.alive[c]; }
  __device__ int& stopped() const { return a.stopped[c]; }
  __device__ int& divergences() const { return a.divergences[c]; }
};

template <class T>
struct ChainWorker {
  const ChainLaunch<T>& l;
  const ChainArrays<T> a;
  const Plan& plan;
  Frame<T>& f;  // both in shared memory
  int first, count;

  __device__ BlockRunner<T> runner() const { return {f, nullptr}; }
  // visit(moves of chain c) for all chains, a thread for each.
  template <class F>
  __device__ void each_chain(const F& visit) const {
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
      SharedChain<T> chain{a, f, plan.values, c};
      visit(ChainMoves<T, SharedChain<T>>{l, chain, first + c});
    }
    __syncthreads();
  }

  // The context's share of the heads.
  struct ContextHeads {
    const ChainWorker& o;
    __device__ void operator()(int h, int c) const {
      const Piece& piece = o.plan.layer[0].context;
      const T* x = o.l.data.context + static_cast<std::size_t>(o.f.point_rows[c]) * o.l.data.context_stride;
      T sum = T(0);
      for (int k = 0; k < piece.count; ++k) sum += o.l.w[piece.weight + h * piece.stride + k] * x[k];
      o.a.heads[h * o.l.ld + c] = sum;
    }
  };

  __device__ void evaluate() const {
    BlockRunner<T> x = runner();
    forward_sweep<T>(x, plan, count, count, false);
    x.each(1, count, Fill<T>{f, plan.d_out, T(1)});
    value_sweep<T>(x, plan, count);
    const T inverse = static_cast<T>(plan.inverse_temperature);
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
      a.proposal_value[c] = *f.at(plan.out, c) * inverse;
      for (int j = 0; j < plan.values; ++j)
        a.proposal_g[j * l.ld + c] = *f.at(plan.residual + j, c) * inverse;
    }
    __syncthreads();
  }

  struct Momentum {
    const ChainWorker& o;
    int move;
    __device__ void operator()(int pair, int c) const {
      const auto both = o.l.momenta(move, o.first + c, pair);
      o.a.p[2 * pair * o.l.ld + c] = both.first;
      if (2 * pair + 1 < o.plan.values) o.a.p[(2 * pair + 1) * o.l.ld + c] = both.second;
    }
  };

  __device__ void move(int number) const {
    const bool adjusted = l.adjusted(number);
    runner().each((plan.values + 1) / 2, count, Momentum{*this, number});
    each_chain([&](const auto& moves) { moves.begin(adjusted); });
    const int steps = l.leapfrogs(number);
    for (int done = 1; done <= steps; ++done) {
      evaluate();
      each_chain([&](const auto& moves) { moves.go_on(number, done, steps, adjusted); });
    }
  }

  __device__ void store(T* to) const {
    const int values = plan.values;
    for (int i = static_cast<int>(threadIdx.x); i < count * values; i += kChainThreads)
      to[static_cast<std::size_t>(first) * values + i] = a.q[(i % values) * l.ld + i / values];
  }

  __device__ void run() const {
    const int values = plan.values;
    for (int i = static_cast<int>(threadIdx.x); i < plan.resident; i += kChainThreads) a.w[i] = l.w[i];
    for (int i = static_cast<int>(threadIdx.x); i < count * values; i += kChainThreads)
      *f.at(plan.value + i % values, i / values) = l.start[static_cast<std::size_t>(first) * values + i];
    __syncthreads();
    if (plan.row_terms > 0) runner().each(plan.layer[0].heads, count, ContextHeads{*this});
    evaluate();
    each_chain([&](const auto& moves) {
      if (!moves.settle()) atomicMin(l.bad_start, moves.chain);
    });
    for (int k = 0; k < l.warmup + l.moves; ++k) {
      move(k);
      if (T* to = l.draws_after(k)) store(to);
    }
    store(l.last);
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
      l.acceptance[first + c] = a.acceptance[c];
      l.divergences[first + c] = a.divergences[c];
      l.stopped[first + c] = a.stopped[c];
    }
  }
};

}  // namespace bl::cuda
