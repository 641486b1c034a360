// Chains of plain stacks of layers: a few lanes of a warp work on one chain. Where it stands is in registers of every
// lane, parameters are in shared memory, read by all chains of a block, and so are a chain's blocks, the coefficients
// of its heads and the context's share of them. The lanes share out blocks, and read each other's results after
// __syncwarp alone: no barrier of a block stands in the way.
#pragma once

#include "engine/cuda/chain_moves.cuh"
#include "engine/cuda/products.cuh"

namespace bl::cuda {

// Where a chain's numbers lie in its row of shared memory: blocks of all layers but the last, coefficients of all
// heads, the context's share of the heads of the first layer.
struct LanePlaces {
  int blocks[kMostLayers] = {}, heads[kMostLayers] = {}, held = 0, stride = 0;
};

template <class T>
struct LaneLaunch {
  ChainLaunch<T> chains;
  LanePlaces places;
};

// A chain in registers; V: coordinates, a multiple of four, those beyond `values` are zero.
template <class T, int V>
struct LaneChain {
  int values;
  T q_[V] = {}, g_[V] = {}, y_[V] = {}, slope_[V] = {}, p_[V] = {};
  T value_ = T(0), proposed_ = T(0);
  double kinetic_ = 0, acceptance_ = 0;
  int alive_ = 1, stopped_ = 0, divergences_ = 0;

  template <class F>
  __device__ void each(const F& visit) const {
#pragma unroll
    for (int j = 0; j < V; ++j)
      if (j < values) visit(j);
  }
  __device__ T& q(int j) {
    return q_[j];
  }
  __device__ T& g(int j) {
    return g_[j];
  }
  __device__ T& p(int j) {
    return p_[j];
  }
  __device__ T& y(int j) {
    return y_[j];
  }
  __device__ T& slope(int j) {
    return slope_[j];
  }
  __device__ T& value() {
    return value_;
  }
  __device__ T& proposed() {
    return proposed_;
  }
  __device__ double& kinetic() {
    return kinetic_;
  }
  __device__ double& acceptance() {
    return acceptance_;
  }
  __device__ int& alive() {
    return alive_;
  }
  __device__ int& stopped() {
    return stopped_;
  }
  __device__ int& divergences() {
    return divergences_;
  }
};

// The log-density of one chain and its gradient by P lanes.
template <class T, int V, int P>
struct LaneNetwork {
  const Plan& plan;
  const LanePlaces& places;
  const T* w;  // parameters, in shared memory
  T* own;      // the chain's row
  int lane;

  __device__ T sum(T x) const {
#pragma unroll
    for (int other = P / 2; other > 0; other /= 2) x += __shfl_xor_sync(~0U, x, other);
    return x;
  }
  // Activations of one kind in layer l: blocks, or the output where the layer is the last; a head's derivative takes the
  // place of the head. The first layer's heads are computed here, those of others stand there already. kOne: a block has
  // one head of this kind.
  template <bool kFirst, bool kOne, class Kind>
  __device__ void activate(Kind activation, int l, int kind, bool begins, const T (&y)[V], T& out) const {
    constexpr int kUnrolled = kOne ? 3 : 1;
    const LayerPlan& layer = plan.layer[l];
    const int each = kOne ? 1 : layer.per_block[kind], first = layer.first[kind];
    const T sign = kind == 0 ? T(1) : T(-1);
    const bool last = l + 1 == plan.layers, weighted = last && plan.readout.count > 0;
    const T* rows = w + layer.inputs.weight + first * layer.inputs.stride;
    const T* lambdas = w + layer.lambda + first;
    const T* held = own + places.held + first;
    T* blocks = own + places.blocks[l];
    T* heads = own + places.heads[l] + first;
#pragma unroll kUnrolled
    for (int b = lane; b < layer.blocks; b += P) {
      T block = begins || last ? T(0) : blocks[b];
      const T weight = weighted ? sign * w[plan.readout.weight + b] : sign;
#pragma unroll 1
      for (int h = b * each; h < b * each + each; ++h) {
        const T t = kFirst ? with_values(held[h], rows + h * layer.inputs.stride, y) : heads[h];
        const T lambda = weight * lambdas[h], phi = activation.value(t);
        block += lambda * phi;
        heads[h] = lambda * activation.slope(t, phi);
      }
      if (last)
        out += block;
      else
        blocks[b] = block;
    }
  }
  // A head: the context's share of it and the response's.
  __device__ static T with_values(T sum, const T* row, const T (&y)[V]) {
    T part[V / 4] = {};
#pragma unroll
    for (int k = 0; k < V; k += 4) {
      const Four<T> four = load4(row + k);
#pragma unroll
      for (int j = 0; j < 4; ++j) part[k / 4] += four.v[j] * y[k + j];
    }
#pragma unroll
    for (int k = 0; k < V / 4; ++k) sum += part[k];
    return sum;
  }
  template <bool kFirst>
  __device__ void activate_all(int l, const T (&y)[V], T& out) const {
    bool begins = true;
#pragma unroll 1
    for (int kind = 0; kind < 3; ++kind) {
      const int each = plan.layer[l].per_block[kind];
      if (each == 0) continue;
      with_kind(plan.layer[l].activation[kind], [&](auto activation) {
        if (each == 1)
          activate<kFirst, true>(activation, l, kind, begins, y, out);
        else
          activate<kFirst, false>(activation, l, kind, begins, y, out);
      });
      begins = false;
    }
    __syncwarp();
  }

  // Heads of layer l > 0 before their activation.
  __device__ void heads(int l) const {
    const LayerPlan& layer = plan.layer[l];
    const T* below = own + places.blocks[l - 1];
    for (int h = lane; h < layer.heads; h += P) {
      const T* row = w + layer.reads.weight + h * layer.reads.stride;
      T part[4] = {layer.bias >= 0 ? w[layer.bias + h] : T(0)};
#pragma unroll 3
      for (int k = 0; k < layer.reads.count; k += 4) {
        const Four<T> left = load4(row + k), right = load4(below + k);
#pragma unroll
        for (int j = 0; j < 4; ++j) part[j] += left.v[j] * right.v[j];
      }
      own[places.heads[l] + h] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    __syncwarp();
  }

  // Derivatives by the heads of layer l from those by its blocks. In the last layer they are complete.
  __device__ void heads_back(int l) const {
    const LayerPlan& layer = plan.layer[l];
    for (int b = lane; b < layer.blocks; b += P) {
      const T d = own[places.blocks[l] + b];
      for (int kind = 0; kind < 3; ++kind)
        for (int i = 0; i < layer.per_block[kind]; ++i)
          own[places.heads[l] + layer.first[kind] + b * layer.per_block[kind] + i] *= d;
    }
    __syncwarp();
  }

  // Derivatives by the blocks of layer l - 1, four at a time.
  __device__ void blocks_back(int l) const {
    const LayerPlan& layer = plan.layer[l];
    const T* heads = own + places.heads[l];
    const int count = layer.reads.count;
    for (int b = 4 * lane; b < count; b += 4 * P) {
      const T* column = w + layer.reads.weight + b;
      Four<T> d{};
      const auto add = [&](T by_head, const Four<T>& row) {
#pragma unroll
        for (int j = 0; j < 4; ++j) d.v[j] += by_head * row.v[j];
      };
      int h = 0;
#pragma unroll 2
      for (; h + 4 <= layer.heads; h += 4) {
        const Four<T> by_head = load4(heads + h);
#pragma unroll
        for (int i = 0; i < 4; ++i) add(by_head.v[i], load4(column + (h + i) * layer.reads.stride));
      }
#pragma unroll 1
      for (; h < layer.heads; ++h) add(heads[h], load4(column + h * layer.reads.stride));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (b + j >= count) d.v[j] = T(0);  // padding is zero, whatever the derivatives are
      store4(own + places.blocks[l - 1] + b, d);
    }
    __syncwarp();
  }

  // Derivatives by the response, through the heads of one kind.
  template <bool kOne>
  __device__ void values_back(int kind, T (&g)[V]) const {
    constexpr int kUnrolled = kOne ? 3 : 1;
    const LayerPlan& layer = plan.layer[0];
    const int each = kOne ? 1 : layer.per_block[kind], first = layer.first[kind];
    const T* rows = w + layer.inputs.weight + first * layer.inputs.stride;
    const T* heads = own + places.heads[0] + first;
#pragma unroll kUnrolled
    for (int b = lane; b < layer.blocks; b += P) {
      const T d = plan.layers > 1 ? own[places.blocks[0] + b] : T(1);
#pragma unroll 1
      for (int h = b * each; h < b * each + each; ++h) {
        const T by_head = d * heads[h];
        const T* row = rows + h * layer.inputs.stride;
#pragma unroll
        for (int k = 0; k < V; k += 4) {
          const Four<T> four = load4(row + k);
#pragma unroll
          for (int j = 0; j < 4; ++j) g[k + j] += by_head * four.v[j];
        }
      }
    }
  }
  __device__ void values_back(T (&g)[V]) const {
#pragma unroll
    for (int j = 0; j < V; ++j) g[j] = T(0);
#pragma unroll 1
    for (int kind = 0; kind < 3; ++kind) {
      const int each = plan.layer[0].per_block[kind];
      if (each == 1) values_back<true>(kind, g);
      if (each > 1) values_back<false>(kind, g);
    }
#pragma unroll
    for (int j = 0; j < V; ++j) g[j] = sum(g[j]);
  }

  __device__ void evaluate(LaneChain<T, V>& chain) const {
    T out = T(0);
    activate_all<true>(0, chain.y_, out);
    for (int l = 1; l < plan.layers; ++l) {
      heads(l);
      activate_all<false>(l, chain.y_, out);
    }
    for (int l = plan.layers - 1; l > 0; --l) {
      if (l + 1 < plan.layers) heads_back(l);
      blocks_back(l);
    }
    values_back(chain.slope_);
    const T inverse = static_cast<T>(plan.inverse_temperature);
    out = sum(out);
    if (plan.readout_bias >= 0) out += w[plan.readout_bias];
    chain.proposed_ = out * inverse;
#pragma unroll
    for (int j = 0; j < V; ++j) chain.slope_[j] *= inverse;
  }

  // The chain's row: the context's share of the heads with their bias, zeros elsewhere.
  __device__ void prepare(const T* parameters, const T* x) const {
    const LayerPlan& layer = plan.layer[0];
    for (int i = lane; i < places.stride; i += P) own[i] = T(0);
    __syncwarp();
    for (int h = lane; h < layer.heads; h += P) {
      T t = layer.bias >= 0 ? w[layer.bias + h] : T(0);
      for (int k = 0; k < layer.context.count; ++k)
        t += parameters[layer.context.weight + h * layer.context.stride + k] * x[k];
      own[places.held + h] = t;
    }
    __syncwarp();
  }
};

// All moves of one chain.
template <class T, int V, int P>
struct LaneWorker {
  const ChainLaunch<T>& l;
  const LaneNetwork<T, V, P>& network;
  int chain;
  bool counts;  // or a copy of the last chain, which fills a warp

  // A pair of momenta for each lane, handed to all.
  __device__ void draw_momenta(int move, LaneChain<T, V>& state) const {
    constexpr int kPairs = V / 2;
#pragma unroll
    for (int first = 0; first < kPairs; first += P) {
      typename ChainLaunch<T>::Momenta mine{T(0), T(0)};
      if (const int pair = first + network.lane; 2 * pair < state.values) mine = l.momenta(move, chain, pair);
#pragma unroll
      for (int i = 0; i < P && first + i < kPairs; ++i) {
        const int j = 2 * (first + i);
        state.p_[j] = __shfl_sync(~0U, mine.first, i, P);
        state.p_[j + 1] = __shfl_sync(~0U, mine.second, i, P);
      }
    }
  }
  __device__ void store(const LaneChain<T, V>& state, T* to) const {
    if (!counts) return;
    to += static_cast<std::size_t>(chain) * state.values;
    state.each([&](int j) {
      if (j % P == network.lane) to[j] = state.q_[j];
    });
  }

  __device__ void run() const {
    LaneChain<T, V> state{.values = l.plan.values};
    const ChainMoves<T, LaneChain<T, V>> moves{l, state, chain};
    state.each([&](int j) { state.y_[j] = l.start[static_cast<std::size_t>(chain) * state.values + j]; });
    network.prepare(l.w, l.data.context + static_cast<std::size_t>(l.rows[chain]) * l.data.context_stride);
#pragma unroll 1
    for (int k = -1; k < l.warmup + l.moves; ++k) {  // before the first move: where the chain starts
      const bool starts = k < 0, adjusted = !starts && l.adjusted(k);
      const int steps = starts ? 1 : l.leapfrogs(k);
      if (!starts) {
        draw_momenta(k, state);
        moves.begin(adjusted);
      }
#pragma unroll 1
      for (int done = 1; done <= steps; ++done) {
        network.evaluate(state);
        if (!starts)
          moves.go_on(k, done, steps, adjusted);
        else if (!moves.settle())
          atomicMin(l.bad_start, chain);
      }
      if (T* to = l.draws_after(k)) store(state, to);
    }
    store(state, l.last);
    if (!counts || network.lane != 0) return;
    l.acceptance[chain] = state.acceptance_;
    l.divergences[chain] = state.divergences_;
    l.stopped[chain] = state.stopped_;
  }
};

}  // namespace bl::cuda
