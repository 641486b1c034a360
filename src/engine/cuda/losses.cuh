// The losses of a row, and the derivatives by its outputs with which reverse sweeps begin.
#pragma once

#include "engine/cuda/operations.cuh"

namespace bl::cuda {

// -log p of a row's response among its candidates, and the derivatives by their utilities.
template <class T>
struct LikelihoodLoss {
  Frame<T> f;
  double scale;
  bool learns;
  __device__ void operator()(int r, const Lanes& lanes) const {
    const Plan& plan = *f.plan;
    const int row = f.step->rows[f.first + r];
    const bool outputs = f.source == Source::outputs, nodes = f.source == Source::nodes;
    const bool random = f.source == Source::random;  // the row's own value is the first of them
    const int slots = outputs ? plan.outputs : f.per_row - (nodes ? 1 : 0);
    const int count =
        f.source == Source::alternatives ? f.data.set_begin[row + 1] - f.data.set_begin[row] : slots;
    const T inverse = static_cast<T>(plan.inverse_temperature);
    const auto place = [&](int slab, int k) {
      return outputs ? f.at(slab + k, r) : f.at(slab, r * f.per_row + k + (nodes ? 1 : 0));
    };
    const auto logit = [&](int k) {
      return *place(plan.out, k) * inverse + (nodes    ? f.data.log_weights[k]
                                              : random ? *f.at(plan.log_weight, r * f.per_row + k)
                                                       : T(0));
    };
    T most = -INFINITY;
    for (int k = lanes.lane; k < count; k += lanes.lanes) {
      const T value = logit(k);
      most = value > most ? value : most;
    }
    most = lanes.largest(most);
    T sum = T(0);
    for (int k = lanes.lane; k < count; k += lanes.lanes) sum += std::exp(logit(k) - most);
    const T smoothing = static_cast<T>(plan.smoothing), spread = smoothing / static_cast<T>(count);
    T expected = T(0);  // under what all classes get of the observed one's share
    if (plan.smoothing > 0) {
      for (int k = lanes.lane; k < count; k += lanes.lanes) expected += spread * logit(k);
      expected = lanes.sum(expected);
    }
    const T normaliser = most + std::log(lanes.sum(sum));
    const int observed = nodes                              ? -1
                         : random                           ? 0
                         : f.source == Source::alternatives ? f.data.chosen[row]
                                                            : f.data.classes[row];
    const double weight = f.data.weight(row);
    if (lanes.lane == 0) {
      expected += (T(1) - smoothing) * *place(plan.out, observed) * inverse;
      f.row_loss[r] = weight * static_cast<double>(normaliser - expected);
    }
    if (!learns) return;
    const T factor = static_cast<T>(scale) * static_cast<T>(weight) * inverse;
    for (int k = lanes.lane; k < slots; k += lanes.lanes) {
      T share = k < count ? factor * (std::exp(logit(k) - normaliser) - spread) : T(0);
      if (k == observed) share -= factor * (T(1) - smoothing);
      *place(plan.d_out, k) = share;
    }
    if (nodes && lanes.lane == 0) *place(plan.d_out, -1) = -factor;
  }
};

// One for the utility of the row's own class, zero for the others.
template <class T>
struct OwnOutput {
  Frame<T> f;
  __device__ void operator()(int o, int p) const {
    const bool own = !f.plan->vector_form || f.data.classes[f.row_of(p)] == o;
    *f.at(f.plan->d_out + o, p) = own ? T(1) : T(0);
  }
};

// r = grad BL/tau + e/sigma, its loss, the direction of the tangent and the weight of its output.
template <class T>
struct ScoreLoss {
  Frame<T> f;
  double scale;
  bool learns;
  __device__ void operator()(int row_in_chunk, const Lanes& lanes) const {
    const Plan& plan = *f.plan;
    const T inverse = static_cast<T>(plan.inverse_temperature),
            inverse_sigma = static_cast<T>(f.step->inverse_sigma);
    const int row = f.step->rows[f.first + row_in_chunk];
    const double weight = f.data.weight(row);
    const int own = plan.vector_form ? f.data.classes[row] : 0;
    double sum = 0;
    for (int k = lanes.lane; k < f.per_row; k += lanes.lanes) {
      const int p = row_in_chunk * f.per_row + k;
      double square = 0;
      for (int j = 0; j < plan.values; ++j) {
        const T slope = plan.values == 1 ? *f.at(plan.out_dot + own, p) : *f.at(plan.residual + j, p);
        const T r = slope * inverse + *f.at(plan.noise + j, p) * inverse_sigma;
        square += static_cast<double>(r) * static_cast<double>(r);
        *f.at(plan.residual + j, p) = r;
        if (plan.values > 1) *f.at(plan.direction + j, p) = r * inverse;
      }
      sum += 0.5 * square / plan.draws * weight;
      if (!learns) continue;
      const T factor = static_cast<T>(scale / plan.draws) * static_cast<T>(weight);
      const T seed = plan.values == 1 ? factor * *f.at(plan.residual, p) * inverse : factor;
      for (int o = 0; o < plan.outputs; ++o) *f.at(plan.d_out + o, p) = o == own ? seed : T(0);
    }
    sum = lanes.sum(sum);
    if (lanes.lane == 0) f.row_loss[row_in_chunk] = sum;
  }
};

}  // namespace bl::cuda
