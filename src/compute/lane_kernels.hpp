// Layers with the points in the lanes of vectors: every quantity is kLanePoints adjacent numbers, one per
// point, so that vectors are full whatever the widths of the layers. Compiled for several instruction sets,
// chosen at run time.
#pragma once

#include <vector>

#include "compute/kernels.hpp"
#include "compute/strided_matrix.hpp"

namespace bl {

inline constexpr Index kLanePoints = 32;

template <class T>
struct LaneKernels {
  // out[r] = from[r] + sum_c weights[r][c] in[c]; from null: zero.
  void (*product)(const StridedMatrix<T>& weights, const T* from, const T* in, T* out);

  // s[b] = sum over the heads h of block b of sign lambda phi(a_h); each a_h is replaced by sign lambda
  // phi'(a_h).
  void (*blocks)(const BlockShape& shape, const T* lambda, T* heads, T* s);

  // d_a_h = d_s[b] sign lambda phi'(a_h), in the place of what `blocks` left.
  void (*blocks_backward)(const BlockShape& shape, const T* d_s, T* heads);
};

// The fastest set this processor runs.
template <class T>
const LaneKernels<T>& lane_kernels();

// One set for each instruction set this processor runs, fastest first, as kernels_of_every_target.
template <class T>
std::vector<LaneKernels<T>> lane_kernels_of_every_target();

}  // namespace bl
