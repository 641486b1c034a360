// The log-density of chains of plain stacks of layers: P lanes of a warp work on C chains. Parameters are in
// shared memory, read by all chains of a block, and so are a chain's blocks, the coefficients of its heads
// and the context's share of them. The lanes share out blocks, and read each other's results after __syncwarp
// alone: no barrier of a block stands in the way. A weight that is loaded serves C chains.
#pragma once

#include "engine/cuda/chain_launch.cuh"
#include "engine/cuda/products.cuh"

namespace bl::cuda {

// Where a chain's numbers lie in its row of shared memory: blocks of all layers but the last, coefficients of
// all heads, the context's share of the heads of the first layer.
struct LanePlaces {
  int blocks[kMostLayers] = {}, heads[kMostLayers] = {}, held = 0, stride = 0;
};

// V: responses, a multiple of four; those beyond plan.values are zero.
template <class T, int V, int P, int C>
struct LaneNetwork {
  const Plan& plan;
  const LanePlaces& places;
  const T* w;  // parameters, in shared memory
  T* own;      // the row of the first chain
  int apart;   // numbers between the rows of two chains
  int lane;

  using Values = T[C][V];

  __device__ T* row(int c) const { return own + c * apart; }
  __device__ T sum(T x) const {
#pragma unroll
    for (int other = P / 2; other > 0; other /= 2) x += __shfl_xor_sync(~0U, x, other);
    return x;
  }

  // Heads of the first layer: the context's share of them and the response's.
  __device__ static void with_values(T (&t)[C], const T* weights, const Values& y) {
    T part[C][V / 4] = {};
#pragma unroll
    for (int k = 0; k < V; k += 4) {
      const Four<T> four = load4(weights + k);
#pragma unroll
      for (int c = 0; c < C; ++c)
#pragma unroll
        for (int j = 0; j < 4; ++j) part[c][k / 4] += four.v[j] * y[c][k + j];
    }
#pragma unroll
    for (int c = 0; c < C; ++c)
#pragma unroll
      for (int k = 0; k < V / 4; ++k) t[c] += part[c][k];
  }

  // Activations of one kind in layer l: blocks, or the output where the layer is the last; a head's
  // derivative takes the place of the head. The first layer's heads are computed here, those of others stand
  // there already. kOne: a block has one head of this kind.
  template <bool kFirst, bool kOne, class Kind>
  __device__ void activate(Kind activation, int l, int kind, bool begins, const Values& y,
                           T (&out)[C]) const {
    constexpr int kUnrolled = kOne ? 3 : 1;
    const LayerPlan& layer = plan.layer[l];
    const int each = kOne ? 1 : layer.per_block[kind], first = layer.first[kind];
    const T sign = kind == 0 ? T(1) : T(-1);
    const bool last = l + 1 == plan.layers, weighted = last && plan.readout.count > 0;
    const T* weights = w + layer.inputs.weight + first * layer.inputs.stride;
    const T* lambdas = w + layer.lambda + first;
    const int held = places.held + first, blocks = places.blocks[l], heads = places.heads[l] + first;
#pragma unroll kUnrolled
    for (int b = lane; b < layer.blocks; b += P) {
      const T weight = weighted ? sign * w[plan.readout.weight + b] : sign;
      T block[C];
#pragma unroll
      for (int c = 0; c < C; ++c) block[c] = begins || last ? T(0) : row(c)[blocks + b];
#pragma unroll 1
      for (int h = b * each; h < b * each + each; ++h) {
        T t[C];
#pragma unroll
        for (int c = 0; c < C; ++c) t[c] = row(c)[(kFirst ? held : heads) + h];
        if (kFirst) with_values(t, weights + h * layer.inputs.stride, y);
        const T lambda = weight * lambdas[h];
#pragma unroll
        for (int c = 0; c < C; ++c) {
          const T phi = activation.value(t[c]);
          block[c] += lambda * phi;
          row(c)[heads + h] = lambda * activation.slope(t[c], phi);
        }
      }
#pragma unroll
      for (int c = 0; c < C; ++c) {
        if (last)
          out[c] += block[c];
        else
          row(c)[blocks + b] = block[c];
      }
    }
  }
  template <bool kFirst>
  __device__ void activate_all(int l, const Values& y, T (&out)[C]) const {
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
    const int below = places.blocks[l - 1];
    for (int h = lane; h < layer.heads; h += P) {
      const T* weights = w + layer.reads.weight + h * layer.reads.stride;
      T part[C][4] = {};
#pragma unroll 3
      for (int k = 0; k < layer.reads.count; k += 4) {
        const Four<T> left = load4(weights + k);
#pragma unroll
        for (int c = 0; c < C; ++c) {
          const Four<T> right = load4(row(c) + below + k);
#pragma unroll
          for (int j = 0; j < 4; ++j) part[c][j] += left.v[j] * right.v[j];
        }
      }
      const T bias = layer.bias >= 0 ? w[layer.bias + h] : T(0);
#pragma unroll
      for (int c = 0; c < C; ++c)
        row(c)[places.heads[l] + h] = ((part[c][0] + part[c][1]) + (part[c][2] + part[c][3])) + bias;
    }
    __syncwarp();
  }

  // Derivatives by the heads of layer l from those by its blocks. In the last layer they are complete.
  __device__ void heads_back(int l) const {
    const LayerPlan& layer = plan.layer[l];
    for (int b = lane; b < layer.blocks; b += P)
      for (int kind = 0; kind < 3; ++kind)
        for (int i = 0; i < layer.per_block[kind]; ++i)
#pragma unroll
          for (int c = 0; c < C; ++c)
            row(c)[places.heads[l] + layer.first[kind] + b * layer.per_block[kind] + i] *=
                row(c)[places.blocks[l] + b];
    __syncwarp();
  }

  // Derivatives by the blocks of layer l - 1, four at a time.
  __device__ void blocks_back(int l) const {
    const LayerPlan& layer = plan.layer[l];
    const int heads = places.heads[l], count = layer.reads.count;
    for (int b = 4 * lane; b < count; b += 4 * P) {
      const T* column = w + layer.reads.weight + b;
      Four<T> d[C] = {};
      const auto add = [&](int c, T by_head, const Four<T>& weights) {
#pragma unroll
        for (int j = 0; j < 4; ++j) d[c].v[j] += by_head * weights.v[j];
      };
      int h = 0;
#pragma unroll 2
      for (; h + 4 <= layer.heads; h += 4) {
        Four<T> by_head[C];
#pragma unroll
        for (int c = 0; c < C; ++c) by_head[c] = load4(row(c) + heads + h);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const Four<T> weights = load4(column + (h + i) * layer.reads.stride);
#pragma unroll
          for (int c = 0; c < C; ++c) add(c, by_head[c].v[i], weights);
        }
      }
#pragma unroll 1
      for (; h < layer.heads; ++h) {
        const Four<T> weights = load4(column + h * layer.reads.stride);
#pragma unroll
        for (int c = 0; c < C; ++c) add(c, row(c)[heads + h], weights);
      }
#pragma unroll
      for (int c = 0; c < C; ++c) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (b + j >= count) d[c].v[j] = T(0);  // padding is zero, whatever the derivatives are
        store4(row(c) + places.blocks[l - 1] + b, d[c]);
      }
    }
    __syncwarp();
  }

  // Derivatives by the response, through the heads of one kind.
  template <bool kOne>
  __device__ void values_back(int kind, Values& g) const {
    constexpr int kUnrolled = kOne ? 3 : 1;
    const LayerPlan& layer = plan.layer[0];
    const int each = kOne ? 1 : layer.per_block[kind], first = layer.first[kind];
    const T* weights = w + layer.inputs.weight + first * layer.inputs.stride;
#pragma unroll kUnrolled
    for (int b = lane; b < layer.blocks; b += P) {
#pragma unroll 1
      for (int h = b * each; h < b * each + each; ++h) {
        T by_head[C];
#pragma unroll
        for (int c = 0; c < C; ++c)
          by_head[c] =
              (plan.layers > 1 ? row(c)[places.blocks[0] + b] : T(1)) * row(c)[places.heads[0] + first + h];
#pragma unroll
        for (int k = 0; k < V; k += 4) {
          const Four<T> four = load4(weights + h * layer.inputs.stride + k);
#pragma unroll
          for (int c = 0; c < C; ++c)
#pragma unroll
            for (int j = 0; j < 4; ++j) g[c][k + j] += by_head[c] * four.v[j];
        }
      }
    }
  }

  // Log-densities and their gradients at y.
  __device__ void evaluate(const Values& y, T (&value)[C], Values& g) const {
    T out[C] = {};
    activate_all<true>(0, y, out);
    for (int l = 1; l < plan.layers; ++l) {
      heads(l);
      activate_all<false>(l, y, out);
    }
    for (int l = plan.layers - 1; l > 0; --l) {
      if (l + 1 < plan.layers) heads_back(l);
      blocks_back(l);
    }
#pragma unroll
    for (int c = 0; c < C; ++c)
#pragma unroll
      for (int j = 0; j < V; ++j) g[c][j] = T(0);
#pragma unroll 1
    for (int kind = 0; kind < 3; ++kind) {
      const int each = plan.layer[0].per_block[kind];
      if (each == 1) values_back<true>(kind, g);
      if (each > 1) values_back<false>(kind, g);
    }
    const T inverse = static_cast<T>(plan.inverse_temperature);
    const T bias = plan.readout_bias >= 0 ? w[plan.readout_bias] : T(0);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      value[c] = (sum(out[c]) + bias) * inverse;
#pragma unroll
      for (int j = 0; j < V; ++j) g[c][j] = sum(g[c][j]) * inverse;
    }
  }

  // A chain's row: the context's share of the heads with their bias, zeros elsewhere.
  __device__ void prepare(int c, const T* parameters, const T* x) const {
    const LayerPlan& layer = plan.layer[0];
    for (int i = lane; i < places.stride; i += P) row(c)[i] = T(0);
    __syncwarp();
    for (int h = lane; h < layer.heads; h += P) {
      T t = layer.bias >= 0 ? w[layer.bias + h] : T(0);
      for (int k = 0; k < layer.context.count; ++k)
        t += parameters[layer.context.weight + h * layer.context.stride + k] * x[k];
      row(c)[places.held + h] = t;
    }
    __syncwarp();
  }
};

}  // namespace bl::cuda
