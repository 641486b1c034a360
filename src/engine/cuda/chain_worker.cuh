// The moves of gibbs/sampler.hpp. A block holds some chains and the parameters in shared memory; the context's
// share of the heads does not change and is computed once.
#pragma once

#include "engine/cuda/block_runner.cuh"
#include "engine/cuda/launch.cuh"
#include "gibbs/sampler.hpp"

namespace bl::cuda {

inline constexpr int kChainThreads = 256;
inline constexpr double kDivergence = 1000;                                // as in gibbs/chain_moves.cpp
inline constexpr std::uint64_t kSharedRow = (std::uint64_t{1} << 48) - 1;  // as in gibbs/sampler.cpp

template <class T>
struct ChainLaunch {
  Plan plan;
  Data<T> data;
  const T *w = nullptr, *start = nullptr, *lower = nullptr, *upper = nullptr;
  const Slot* slots = nullptr;
  const int* rows = nullptr;  // of each chain
  int chains = 0, per_block = 4, ld = 4;
  gibbs::Method method = gibbs::Method::hmc;
  double step = 0, noise = 1, longest_time = 0;
  int max_leapfrog = 1, warmup = 0, moves = 0, thin = 1;
  std::uint64_t seed = 0;
  T *draws = nullptr, *last = nullptr;
  double* acceptance = nullptr;
  int *divergences = nullptr, *stopped = nullptr, *bad_start = nullptr;
};

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

template <class T>
struct ChainWorker {
  const ChainLaunch<T>& l;
  const ChainArrays<T> a;
  const Plan& plan;
  Frame<T>& f;  // both in shared memory
  int first, count;

  __device__ BlockRunner<T> runner() const { return {f, nullptr}; }
  __device__ T& proposal(int j, int c) const { return *f.at(plan.value + j, c); }

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

  __device__ void take(int c) const {
    a.value[c] = a.proposal_value[c];
    for (int j = 0; j < plan.values; ++j) {
      a.q[j * l.ld + c] = proposal(j, c);
      a.g[j * l.ld + c] = a.proposal_g[j * l.ld + c];
    }
  }
  __device__ void abandon(int c) const {
    a.alive[c] = 0;
    for (int j = 0; j < plan.values; ++j) {
      proposal(j, c) = a.q[j * l.ld + c];
      a.p[j * l.ld + c] = T(0);
      a.proposal_g[j * l.ld + c] = T(0);
    }
  }
  __device__ void kick(int c, double factor) const {
    const T e = static_cast<T>(factor);
    for (int j = 0; j < plan.values; ++j) a.p[j * l.ld + c] += e * a.proposal_g[j * l.ld + c];
  }
  __device__ void drift(int c) const {
    const T e = static_cast<T>(l.step);
    bool finite = true;
    for (int j = 0; j < plan.values; ++j) {
      T& y = proposal(j, c);
      y += e * a.p[j * l.ld + c];
      finite = finite && isfinite(y);
    }
    if (!finite) return abandon(c);
    for (int j = 0; j < plan.values; ++j)
      if (gibbs::reflect(l.lower[j], l.upper[j], proposal(j, c))) a.p[j * l.ld + c] = -a.p[j * l.ld + c];
  }
  __device__ double half_square(int c) const {
    double sum = 0;
    for (int j = 0; j < plan.values; ++j) {
      const double p = static_cast<double>(a.p[j * l.ld + c]);
      sum += p * p;
    }
    return sum / 2;
  }

  struct Momentum {
    const ChainWorker& o;
    std::uint32_t move;
    __device__ void operator()(int pair, int c) const {
      const NormalPair both = normal_pair(
          random_block(o.l.seed, static_cast<std::uint16_t>(Purpose::sampler_move), move,
                       static_cast<std::uint64_t>(o.first + c), static_cast<std::uint64_t>(pair)));
      const T noise = static_cast<T>(o.l.noise);
      const auto put = [&](int j, double z) {
        const T e = static_cast<T>(z);
        o.a.p[j * o.l.ld + c] = noise != T(1) ? e * noise : e;
      };
      put(2 * pair, both.first);
      if (2 * pair + 1 < o.plan.values) put(2 * pair + 1, both.second);
    }
  };

  __device__ void begin(int c, bool adjusted) const {
    if (adjusted) a.kinetic[c] = half_square(c);
    for (int j = 0; j < plan.values; ++j) {
      proposal(j, c) = a.q[j * l.ld + c];
      a.proposal_g[j * l.ld + c] = a.g[j * l.ld + c];
    }
    a.alive[c] = 1;
    if (a.stopped[c]) abandon(c);
    kick(c, l.step / 2);
    drift(c);
  }
  __device__ void drop_non_finite(int c) const {
    bool finite = isfinite(a.proposal_value[c]);
    for (int j = 0; j < plan.values; ++j) finite = finite && isfinite(a.proposal_g[j * l.ld + c]);
    if (!finite || !a.alive[c]) abandon(c);
  }
  __device__ void end_unadjusted(int c, bool counts) const {
    if (a.alive[c]) take(c);
    if (counts) a.divergences[c] += !a.alive[c] && !a.stopped[c];
    a.stopped[c] = !a.alive[c];
    if (counts) a.acceptance[c] += a.alive[c];
  }
  __device__ void end_adjusted(int c, std::uint32_t move, bool counts) const {
    const double gain = a.alive[c] ? static_cast<double>(a.proposal_value[c]) -
                                         static_cast<double>(a.value[c]) - (half_square(c) - a.kinetic[c])
                                   : -INFINITY;
    if (!(gain > -kDivergence)) {
      if (counts) ++a.divergences[c];
      return;
    }
    const double ratio = exp(gain < 0 ? gain : 0.0);
    if (counts) a.acceptance[c] += ratio;
    const double u = open_unit(random_block(l.seed, static_cast<std::uint16_t>(Purpose::sampler_accept), move,
                                            static_cast<std::uint64_t>(first + c), 0)
                                   .first);
    if (u < ratio) take(c);
  }
  __device__ int leapfrogs(std::uint32_t move) const {
    if (l.method != gibbs::Method::hmc) return 1;
    const double u = open_unit(
        random_block(l.seed, static_cast<std::uint16_t>(Purpose::sampler_accept), move, kSharedRow, 0).first);
    const double steps = ceil(u * l.longest_time / l.step);
    return static_cast<int>(steps < 1 ? 1 : steps > l.max_leapfrog ? l.max_leapfrog : steps);
  }

  __device__ void move(int number, bool adjusted, bool counts) const {
    const auto id = static_cast<std::uint32_t>(number);
    runner().each((plan.values + 1) / 2, count, Momentum{*this, id});
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) begin(c, adjusted);
    __syncthreads();
    const int steps = leapfrogs(id);
    for (int s = 0; s < steps; ++s) {
      evaluate();
      const bool last = s + 1 == steps;
      for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
        drop_non_finite(c);
        if (!last || adjusted) kick(c, last ? l.step / 2 : l.step);
        if (!last) drift(c);
        if (last && adjusted) end_adjusted(c, id, counts);
        if (last && !adjusted) end_unadjusted(c, counts);
      }
      __syncthreads();
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
      proposal(i % values, i / values) = l.start[static_cast<std::size_t>(first) * values + i];
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
      a.acceptance[c] = 0;
      a.divergences[c] = a.stopped[c] = 0;
    }
    __syncthreads();
    if (plan.row_terms > 0) runner().each(plan.layer[0].heads, count, ContextHeads{*this});
    evaluate();
    for (int c = static_cast<int>(threadIdx.x); c < count; c += kChainThreads) {
      a.alive[c] = 1;
      take(c);
      bool finite = isfinite(a.value[c]);
      for (int j = 0; j < values; ++j) finite = finite && isfinite(a.g[j * l.ld + c]);
      if (!finite) atomicMin(l.bad_start, first + c);
    }
    __syncthreads();
    for (int k = 0; k < l.warmup + l.moves; ++k) {
      const bool kept = k >= l.warmup;
      const bool adjusted =
          l.method != gibbs::Method::paper && !(kept && l.method == gibbs::Method::langevin);
      move(k, adjusted, kept);
      if (kept && (k - l.warmup + 1) % l.thin == 0)
        store(l.draws + static_cast<std::size_t>((k - l.warmup) / l.thin) * l.chains * values);
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
