// The operations between the products of a sweep, each on one number (r, p) or on one row of the workspace.
#pragma once

#include "engine/cuda/frame.cuh"

namespace bl::cuda {

// Threads that share a row: lane of lanes, a power of two within a warp.
struct Lanes {
  int lane, lanes;
  unsigned mask;

  template <class V>
  __device__ V sum(V value) const {
    for (int other = lanes / 2; other > 0; other /= 2) value += __shfl_xor_sync(mask, value, other);
    return value;
  }
  template <class V>
  __device__ V largest(V value) const {
    for (int other = lanes / 2; other > 0; other /= 2) {
      const V theirs = __shfl_xor_sync(mask, value, other);
      value = theirs > value ? theirs : value;
    }
    return value;
  }
};

// Which kind and block a head belongs to.
struct HeadPlace {
  int kind, block;
};
__device__ inline HeadPlace place_of(const LayerPlan& layer, int head) {
  const int kind = head < layer.first[1] ? 0 : head < layer.first[2] ? 1 : 2;
  const int place = head - layer.first[kind], each = layer.per_block[kind];
  return {kind, each == 1 ? place : place / each};
}

// The response of every candidate, and how much random ones weigh.
template <class T>
struct FillValues {
  Frame<T> f;
  __device__ void draw(int row, int k, int j, int p) const {
    const StepInput& step = *f.step;
    const auto uniform = [&](std::uint64_t i) {
      return random_uniform(step.seed, step.purpose, step.epoch, static_cast<std::uint64_t>(row), i);
    };
    const auto index = static_cast<std::uint64_t>(k - 1);
    const int box = f.data.boxes.box(index, uniform);
    *f.at(f.plan->value + j, p) = static_cast<T>(f.data.boxes.place(box, index, j, uniform));
    if (j == 0) *f.at(f.plan->log_weight, p) = f.data.log_weights[box];
  }
  __device__ void operator()(int j, int p) const {
    const int row = f.row_of(p), k = f.candidate_of(p), values = f.plan->values;
    if (f.source == Source::random) {
      if (k > 0) return draw(row, k, j, p);
      if (j == 0) *f.at(f.plan->log_weight, p) = f.data.own_log_weights[row];
    }
    const T* from = f.data.values + static_cast<std::size_t>(row) * values;
    if (f.source == Source::alternatives)
      from = f.data.attributes + static_cast<std::size_t>(f.data.set_begin[row] + k) * values;
    if (f.source == Source::nodes && k > 0) from = f.data.nodes + static_cast<std::size_t>(k - 1) * values;
    *f.at(f.plan->value + j, p) = f.present(row, k) ? from[j] : T(0);
  }
};

// Noise number 2q and 2q + 1 of a row's stream, as far as they belong to this point, and the noisy values.
template <class T>
struct FillNoise {
  Frame<T> f;
  __device__ void operator()(int q, int p) const {
    const int row = f.row_of(p), dims = f.plan->values, first = f.candidate_of(p) * dims;
    const StepInput& step = *f.step;
    const int index = 2 * (first / 2 + q);
    NormalPair pair{};
    if (!step.given_noise && index < first + dims)
      pair = normal_pair(random_block(step.seed, step.purpose, step.epoch, static_cast<std::uint64_t>(row),
                                      static_cast<std::uint64_t>(index / 2)));
    for (int i = index; i < index + 2; ++i) {
      if (i < first || i >= first + dims) continue;
      const double given = step.given_noise
                               ? step.given_noise[static_cast<std::size_t>(row) * f.plan->draws * dims + i]
                               : (i == index ? pair.first : pair.second);
      const T e = static_cast<T>(given);
      *f.at(f.plan->noise + i - first, p) = e;
      *f.at(f.plan->value + i - first, p) =
          f.data.values[static_cast<std::size_t>(row) * dims + (i - first)] + static_cast<T>(step.sigma) * e;
    }
  }
};

template <class T>
struct RowFeatures {
  Frame<T> f;
  __device__ void operator()(int t, int r) const {
    const int row = f.step->rows[f.first + r];
    *f.at(f.plan->row_features + t, r) =
        f.data.context[static_cast<std::size_t>(row) * f.data.context_stride + t];
  }
};

// Derivatives of features along the direction of the sweep.
template <class T>
struct FeaturesDot {
  Frame<T> f;
  __device__ void operator()(int r, int p) const {
    const Plan& plan = *f.plan;
    const int t = plan.row_terms + r;
    T sum = T(0);
    if (plan.single_factors) {
      sum = f.input_dot(plan.first_input + t, p);
    } else {
      const int row = f.row_of(p);
      for (int i = plan.term_begin[t]; i < plan.term_begin[t + 1]; ++i) {
        T product = f.input_dot(plan.factors[i], p);
        for (int j = plan.term_begin[t]; j < plan.term_begin[t + 1]; ++j)
          if (j != i) product *= f.input(plan.factors[j], row, p);
        sum += product;
      }
    }
    *f.at(plan.features_dot + r, p) = sum;
  }
};

// Row features' share of four heads, from where other blocks left it. Loaded before anything is stored.
template <class T>
struct FetchHeads {
  Frame<T> f;
  __device__ void operator()(int four, int r) const {
    const int heads = f.plan->layer[0].heads;
    T share[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      share[i] = __ldcg(f.outer_heads + (min(4 * four + i, heads - 1) * f.outer_ld + f.first + r));
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (4 * four + i < heads) *f.at(f.plan->row_heads + 4 * four + i, r) = share[i];
  }
};

// Products of inputs; of a candidate that is none, zero.
template <class T>
struct Features {
  Frame<T> f;
  bool both;  // and their derivatives along the direction of the sweep
  __device__ void operator()(int r, int p) const {
    const Plan& plan = *f.plan;
    const int row = f.row_of(p), t = plan.row_terms + r;
    T product = T(0);
    if (f.present(row, f.candidate_of(p))) {
      product = T(1);
      if (plan.single_factors)
        product = f.input(plan.first_input + t, row, p);
      else
        for (int i = plan.term_begin[t]; i < plan.term_begin[t + 1]; ++i)
          product *= f.input(plan.factors[i], row, p);
    }
    *f.at(plan.features + r, p) = product;
    if (both) FeaturesDot<T>{f}(r, p);
  }
};

// z itself, for later layers that read it.
template <class T>
struct Inputs {
  Frame<T> f;
  bool both;
  __device__ void operator()(int i, int p) const {
    const int row = f.row_of(p);
    *f.at(f.plan->z + i, p) = f.present(row, f.candidate_of(p)) ? f.input(i, row, p) : T(0);
    if (both) *f.at(f.plan->z_dot + i, p) = f.input_dot(i, p);
  }
};
template <class T>
struct InputsDot {
  Frame<T> f;
  __device__ void operator()(int i, int p) const { *f.at(f.plan->z_dot + i, p) = f.input_dot(i, p); }
};

// A block: sum over its heads of sign lambda f(head), from heads without bias and row features' share. With
// `both` its tangent, too, from those of the heads.
template <class T>
struct Activate {
  Frame<T> f;
  int l;
  bool both;
  __device__ void operator()(int b, int p) const {
    const Plan& plan = *f.plan;
    const LayerPlan& layer = plan.layer[l];
    const bool products = layer.inputs.count + layer.reads.count > 0;
    const int row = f.per_row == 1 ? p : p / f.per_row;
    T block = T(0), block_dot = T(0);
#pragma unroll
    for (int kind = 0; kind < 3; ++kind) {
      for (int i = 0; i < layer.per_block[kind]; ++i) {
        const int h = layer.first[kind] + b * layer.per_block[kind] + i;
        T t = products ? *f.at(layer.phi + h, p) : T(0);
        if (layer.bias >= 0) t += f.w[layer.bias + h];
        if (layer.context.count > 0)
          t += f.held_heads ? f.held_heads[h * f.ld + row] : *f.at(plan.row_heads + h, row);
        const auto [phi, slope] = value_and_slope(layer.activation[kind], t);
        *f.at(layer.phi + h, p) = phi;
        *f.at(layer.slope + h, p) = slope;
        const T lambda = kind == 0 ? f.w[layer.lambda + h] : -f.w[layer.lambda + h];
        block += lambda * phi;
        if (both) block_dot += lambda * slope * *f.at(layer.dot + h, p);
      }
    }
    if (layer.residual && layer.projection.count == 0) {
      block += *f.at(plan.s + plan.layer[l - 1].out + b, p);
      if (both) block_dot += *f.at(plan.s_dot + plan.layer[l - 1].out + b, p);
    }
    *f.at(plan.s + layer.out + b, p) = block;
    if (both) *f.at(plan.s_dot + layer.out + b, p) = block_dot;
  }
};

// Its tangent, from those of the heads.
template <class T>
struct ActivateDot {
  Frame<T> f;
  int l;
  __device__ void operator()(int b, int p) const {
    const LayerPlan& layer = f.plan->layer[l];
    T block = T(0);
    for (int kind = 0; kind < 3; ++kind) {
      for (int i = 0; i < layer.per_block[kind]; ++i) {
        const int h = layer.first[kind] + b * layer.per_block[kind] + i;
        const T share = f.w[layer.lambda + h] * *f.at(layer.slope + h, p) * *f.at(layer.dot + h, p);
        block += kind == 0 ? share : -share;
      }
    }
    if (layer.residual && layer.projection.count == 0)
      block += *f.at(f.plan->s_dot + f.plan->layer[l - 1].out + b, p);
    *f.at(f.plan->s_dot + layer.out + b, p) = block;
  }
};

template <class T>
struct Fill {
  Frame<T> f;
  int slab;
  T value;
  __device__ void operator()(int r, int p) const { *f.at(slab + r, p) = value; }
};

template <class T>
struct Add {
  Frame<T> f;
  int to, from;
  __device__ void operator()(int r, int p) const { *f.at(to + r, p) += *f.at(from + r, p); }
};

template <class T>
struct AddOutputBias {
  Frame<T> f;
  __device__ void operator()(int o, int p) const {
    *f.at(f.plan->out + o, p) += f.w[f.plan->readout_bias + o];
  }
};

// Derivatives by a head from those by its block, into `to`; with `learns` those by lambda and bias, too.
template <class T>
struct HeadBackward {
  Frame<T> f;
  int l, to, points;
  bool learns;
  template <class L>
  __device__ void operator()(int h, const L& lanes) const {
    const LayerPlan& layer = f.plan->layer[l];
    const HeadPlace place = place_of(layer, h);
    const T lambda = f.w[layer.lambda + h], sign = place.kind == 0 ? T(1) : T(-1);
    T by_lambda = T(0), by_bias = T(0);
    for (int p = lanes.lane; p < points; p += lanes.lanes) {
      const T g = sign * *f.at(f.plan->d_s + layer.out + place.block, p);
      const T by_head = lambda * g * *f.at(layer.slope + h, p);
      if (learns) by_lambda += g * *f.at(layer.phi + h, p);
      by_bias += by_head;
      *f.at(to + h, p) = by_head;
    }
    if (!learns) return;
    by_lambda = lanes.sum(by_lambda);
    by_bias = lanes.sum(by_bias);
    if (lanes.lane != 0) return;
    f.g[layer.lambda + h] += by_lambda;
    if (layer.bias >= 0) f.g[layer.bias + h] += by_bias;
  }
};

// The same through value and tangent: by the head into phi, by its tangent into slope.
//   by head:      sign lambda (g f' + g_dot f'' head_dot)
//   by head_dot:  sign lambda g_dot f'
template <class T>
struct HeadBackwardDot {
  Frame<T> f;
  int l, points;
  template <class L>
  __device__ void operator()(int h, const L& lanes) const {
    const LayerPlan& layer = f.plan->layer[l];
    const HeadPlace place = place_of(layer, h);
    const T lambda = f.w[layer.lambda + h], sign = place.kind == 0 ? T(1) : T(-1);
    T by_lambda = T(0), by_bias = T(0);
    for (int p = lanes.lane; p < points; p += lanes.lanes) {
      const T g = sign * *f.at(f.plan->d_s + layer.out + place.block, p);
      const T g_dot = sign * *f.at(f.plan->d_s_dot + layer.out + place.block, p);
      T& value = *f.at(layer.phi + h, p);
      T& slope = *f.at(layer.slope + h, p);
      const T dot = *f.at(layer.dot + h, p);
      const T bend = curvature(layer.activation[place.kind], value, slope);
      by_lambda += g * value + g_dot * slope * dot;
      const T by_head = lambda * (g * slope + g_dot * bend * dot);
      by_bias += by_head;
      value = by_head;
      slope = lambda * g_dot * slope;
    }
    by_lambda = lanes.sum(by_lambda);
    by_bias = lanes.sum(by_bias);
    if (lanes.lane != 0) return;
    f.g[layer.lambda + h] += by_lambda;
    if (layer.bias >= 0) f.g[layer.bias + h] += by_bias;
  }
};

// Derivatives by row features' share of a head: the sum over the row's points.
template <class T>
struct RowHeadBackward {
  Frame<T> f;
  int from;
  __device__ void operator()(int h, int r) const {
    T sum = T(0);
    for (int k = 0; k < f.per_row; ++k) sum += *f.at(from + h, r * f.per_row + k);
    if (f.outer_heads)
      __stcg(f.outer_heads + (h * f.outer_ld + f.first + r), sum);
    else
      *f.at(f.plan->row_heads + h, r) = sum;
  }
};

template <class T>
struct OutputBiasBackward {
  Frame<T> f;
  int points;
  template <class L>
  __device__ void operator()(int o, const L& lanes) const {
    T sum = T(0);
    for (int p = lanes.lane; p < points; p += lanes.lanes) sum += *f.at(f.plan->d_out + o, p);
    sum = lanes.sum(sum);
    if (lanes.lane == 0) f.g[f.plan->readout_bias + o] += sum;
  }
};

// Derivatives by the response, from those by features and by z.
template <class T>
struct ValueGradient {
  Frame<T> f;
  __device__ void operator()(int j, int p) const {
    const Plan& plan = *f.plan;
    const int position = plan.context + j;
    T sum = plan.reads_input ? *f.at(plan.z_dot + position, p) : T(0);
    if (plan.single_factors) {
      const int r = position - plan.first_input - plan.row_terms;
      if (r >= 0 && r < plan.terms - plan.row_terms) sum += *f.at(plan.features_dot + r, p);
    } else {
      const int row = f.row_of(p);
      for (int t = plan.row_terms; t < plan.terms; ++t) {
        for (int i = plan.term_begin[t]; i < plan.term_begin[t + 1]; ++i) {
          if (plan.factors[i] != position) continue;
          T product = *f.at(plan.features_dot + t - plan.row_terms, p);
          for (int q = plan.term_begin[t]; q < plan.term_begin[t + 1]; ++q)
            if (q != i) product *= f.input(plan.factors[q], row, p);
          sum += product;
        }
      }
    }
    *f.at(plan.residual + j, p) = sum;
  }
};

}  // namespace bl::cuda
