// What the operations of a sweep work on: rows on the GPU, a chunk of them, its workspace, the parameters.
#pragma once

#include "base/random_block.hpp"
#include "compute/activation_kinds.hpp"
#include "engine/cuda/plan.hpp"
#include "objective/proposal_boxes.hpp"

namespace bl::cuda {

// The rows of an objective.
template <class T>
struct Data {
  int context_stride = 0;      // a multiple of four
  const T* context = nullptr;  // rows x context_stride, padded with zeros
  const T* values = nullptr;   // rows x values
  const int* classes = nullptr;
  const T* weights = nullptr;  // null: all 1
  // Alternatives that are available, set after set.
  const int* set_begin = nullptr;
  const T* attributes = nullptr;
  const int* set_classes = nullptr;
  const int* chosen = nullptr;
  // Quadrature.
  const T* nodes = nullptr;
  const T* log_weights = nullptr;  // of nodes; of random candidates by box
  // Random candidates.
  ProposalBoxes boxes;
  const T* own_log_weights = nullptr;  // of each row's own value

  __device__ double weight(int row) const { return weights ? static_cast<double>(weights[row]) : 1.0; }
};

// Which rows a step takes and with which noise.
struct StepInput {
  const int* rows = nullptr;
  int count = 0;
  double scale = 1;
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0;
  std::uint16_t purpose = 0;
  double sigma = 1, inverse_sigma = 1;
  const double* given_noise = nullptr;  // rows x draws * values
};

// A chunk of a step's rows.
template <class T>
struct Frame {
  const Plan* plan;
  const StepInput* step;
  Data<T> data;
  const T* w;        // parameters, effective
  T* g;              // their gradient
  T* ws;             // workspace
  int ld;            // length of its rows
  int first;         // the chunk's first row among those of the step
  Source source;     // what its points are; values: noisy ones
  int per_row;       // points of each row
  double* row_loss;  // of each row of the chunk, times its weight
  T* outer_heads;    // heads x outer_ld: row features' share of the heads, where it is computed apart
  int outer_ld;
  const T* held_heads;    // samplers: the same share, heads x ld, which stays as it is
  const int* point_rows;  // samplers: the row of each point, in the place of the step's

  __device__ T* at(int slab, int p) const {
    return ws + (slab * ld + p);  // a workspace has fewer than 2^31 numbers
  }
  __device__ int row_of(int p) const { return point_rows ? point_rows[p] : step->rows[first + p / per_row]; }
  __device__ int candidate_of(int p) const { return p % per_row; }
  // Of alternatives: whether a point is one at all.
  __device__ bool present(int row, int k) const {
    return source != Source::alternatives || k < data.set_begin[row + 1] - data.set_begin[row];
  }
  __device__ int class_of(int row, int k) const {
    if (source == Source::classes) return k;
    if (source == Source::alternatives) return data.set_classes[data.set_begin[row] + k];
    return data.classes[row];
  }
  // Input i of z = [x ; v ; one-hot class] at a point that is present.
  __device__ T input(int i, int row, int p) const {
    if (i < plan->context) return data.context[static_cast<std::size_t>(row) * data.context_stride + i];
    i -= plan->context;
    if (i < plan->values) return *at(plan->value + i, p);
    return class_of(row, candidate_of(p)) == i - plan->values ? T(1) : T(0);
  }
  // Its derivative along the direction of the sweep.
  __device__ T input_dot(int i, int p) const {
    i -= plan->context;
    if (i < 0 || i >= plan->values) return T(0);
    return plan->values == 1 ? T(1) : *at(plan->direction + i, p);  // of one value: its own axis
  }
};

}  // namespace bl::cuda
