// The fused loops over heads and blocks, compiled for several instruction sets and chosen at run time.
//
// A layer's heads lie side by side in a row of `total` numbers: all utility heads (block-major), then all
// inequality heads, then all equality heads. A block is
//   s_b = sum_h sign_h lambda_h phi_h(a_h)   over its heads h, sign +1 for utility and -1 for penalties.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "compute/activation.hpp"

namespace bl {

// The heads of one kind within a layer.
struct HeadSection {
  Activation activation = Activation::identity;
  double sign = 1;
  Index begin = 0;            // first column
  Index heads_per_block = 0;  // columns: blocks * heads_per_block
};

struct BlockShape {
  Index blocks = 0;
  std::array<HeadSection, 3> sections;
  Index total() const;  // columns of all sections
};

template <class T>
struct Kernels {
  const char* target;

  // On entry phi holds the heads a; on return phi(a), and phi'(a) in slope unless slope.data is null.
  // out (points x blocks) receives the blocks; added to what is there when accumulate is true.
  void (*blocks_forward)(const BlockShape&, const T* lambda, MatrixView<T> phi, MatrixView<T> slope,
                         MatrixView<T> out, bool accumulate);

  // out (points x blocks) += sum_h sign lambda phi'(a) a_dot.
  void (*blocks_tangent)(const BlockShape&, const T* lambda, MatrixView<const T> slope,
                         MatrixView<const T> a_dot, MatrixView<T> out);

  // From d/ds: d_a = sign lambda phi' d_s, and d_lambda += sign phi d_s (skipped when d_lambda is null).
  // d_a may lie where the slope is.
  void (*blocks_backward)(const BlockShape&, const T* lambda, MatrixView<const T> phi,
                          MatrixView<const T> slope, MatrixView<const T> d_s, MatrixView<T> d_a, T* d_lambda);

  // The same through value and tangent, from d/ds and d/ds_dot; a_dot is replaced by d/da_dot.
  void (*blocks_backward_tangent)(const BlockShape&, const T* lambda, MatrixView<const T> phi,
                                  MatrixView<const T> slope, MatrixView<T> a_dot, MatrixView<const T> d_s,
                                  MatrixView<const T> d_s_dot, MatrixView<T> d_a, T* d_lambda);

  // softplus and its slope of n raw values.
  void (*softplus)(const T* raw, T* value, T* slope, Index n);

  // Rows shared by several points: row i owns the points begin[i] ... begin[i + 1] - 1.
  // out[p] = rows[i] + weights[group_p], and the derivatives sums[i] = sum over its points of d_out[p],
  // d_weights[group_p] += d_out[p]; without weights where groups is empty.
  void (*spread_rows)(std::span<const std::int32_t> begin, MatrixView<const T> rows,
                      std::span<const std::int32_t> groups, MatrixView<const T> weights, MatrixView<T> out);
  void (*gather_rows)(std::span<const std::int32_t> begin, MatrixView<const T> d_out,
                      std::span<const std::int32_t> groups, MatrixView<T> d_weights, MatrixView<T> sums);

  // out[p] += sum_t features[p][t] weights[group_p k + t], k = features.cols; group 0 where groups is empty.
  void (*rank_update)(MatrixView<const T> features, std::span<const std::int32_t> groups,
                      MatrixView<const T> weights, MatrixView<T> out);
  // Its two derivatives: d_weights[group_p k + t] += features[p][t] d_out[p],
  // and d_features[p][t] = weights[group_p k + t] . d_out[p].
  void (*rank_weight_gradient)(MatrixView<const T> features, std::span<const std::int32_t> groups,
                               MatrixView<const T> d_out, MatrixView<T> d_weights);
  void (*rank_feature_gradient)(MatrixView<const T> weights, std::span<const std::int32_t> groups,
                                MatrixView<const T> d_out, MatrixView<T> d_features);
};

// The fastest set this processor runs.
template <class T>
const Kernels<T>& kernels();

// One set for each instruction set this processor runs, fastest first. For comparing them: not to be called
// while other threads ask for kernels().
template <class T>
std::vector<Kernels<T>> kernels_of_every_target();

}  // namespace bl
