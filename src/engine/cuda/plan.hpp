// A model and its objective as the GPU reads them: plain numbers, and where everything lies.
//
// Intermediates of a chunk of points form one matrix, the workspace: row r of it holds one quantity (a
// feature, a head, a block's output) for every point, points next to each other. A slab is a range of its
// rows.
//
// Parameters are kept in an order of their own: every weight matrix is cut into what it reads (features of
// the row, features of the point, blocks) and its rows are padded, so that four numbers can be loaded at
// once. The padding is zero and stays zero. The weights of the row's features come last.
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_device.hpp"
#include "objective/objective.hpp"

namespace bl::cuda {

inline constexpr int kMostLayers = 16;

// Rows of at least n numbers, an odd number of times four: neighbouring rows begin in different banks.
constexpr int padded(int n) {
  return n == 0 ? 0 : (((n + 3) / 4) | 1) * 4;
}

// Part of a weight matrix: count columns of every row.
struct Piece {
  int weight = 0, stride = 0, count = 0;
  bool operator==(const Piece&) const = default;
};

struct LayerPlan {
  int blocks = 0, heads = 0;
  int per_block[3] = {};  // heads of each kind in a block
  int first[3] = {};      // the first head of each kind
  Activation activation[3] = {};
  Piece context, inputs, reads;
  int bias = -1, lambda = 0;
  Piece projection;  // residual, where widths differ
  bool residual = false;
  int read = 0, out = 0;            // places among the blocks of all layers: what it reads, what it gives
  int phi = 0, slope = 0, dot = 0;  // slabs
  bool operator==(const LayerPlan&) const = default;
};

enum class Source { outputs, classes, alternatives, nodes, random, values };

struct Plan {
  int layers = 0;
  LayerPlan layer[kMostLayers];
  int context = 0, values = 0, classes = 0, outputs = 1;
  bool vector_form = false, dense = false;
  Piece readout;  // count 0: none
  int readout_bias = -1;
  int terms = 0, row_terms = 0;  // of the first layer; the leading ones that depend on the row alone
  bool single_factors = false;   // term i is input first_input + i
  int first_input = 0;
  bool reads_input = false;  // later layers read z
  int blocks = 0;            // of all layers
  int parameters = 0;        // padded; the weights of row features come last, from `resident` on
  int resident = 0;

  ObjectiveKind kind = ObjectiveKind::likelihood;
  Source source = Source::outputs;
  int per_row = 1;  // candidates of a row
  int draws = 1;
  double inverse_temperature = 1, gamma_discrete = 1, gamma_continuous = 1;
  double smoothing = 0;  // share of the observed class that is spread over all

  // Slabs.
  int row_features = 0, row_heads = 0, features = 0, features_dot = 0, z = 0, z_dot = 0;
  int s = 0, s_dot = 0, d_s = 0, d_s_dot = 0, out = 0, out_dot = 0, d_out = 0;
  int value = 0, noise = 0, residual = 0, direction = 0, log_weight = 0;
  int rows = 0;  // of the workspace

  const std::int32_t* term_begin = nullptr;  // on the GPU
  const std::int32_t* factors = nullptr;

  bool operator==(const Plan&) const = default;
  BL_HOST_DEVICE LayerPlan const& last() const { return layer[layers - 1]; }
  // Points of a row in the larger of its sweeps.
  BL_HOST_DEVICE int most_per_row() const {
    return kind == ObjectiveKind::score_matching ? draws
           : kind == ObjectiveKind::hybrid       ? (per_row > draws ? per_row : draws)
                                                 : per_row;
  }
};

// What is known of a parameter.
struct Slot {
  std::uint8_t free = 0, raw = 0, bound = 0;  // bound: Bound as a number
  bool operator==(const Slot&) const = default;
};

struct PlannedModel {
  Plan plan;
  std::vector<std::int32_t> place;  // of each parameter among the padded ones
  std::vector<Slot> slots;          // of the padded ones
  std::vector<std::int32_t> term_begin, factors;
};

// What a plan is made for. split: features that depend on the row alone have weights of their own. apart:
// their product is not part of a chunk's sweep.
struct PlanUse {
  bool split = false, apart = false;
  bool samples = false;  // values and their gradient by the response, no more
};

// UsageError for what this engine does not compute (cuda.hpp, why_processor_only).
PlannedModel plan_model(const Architecture& architecture, const ParameterLayout& layout,
                        const ObjectiveSpec& spec, Source source, int per_row, PlanUse use);

// How the likelihood of this objective sees its rows.
Source source_of(const Architecture& architecture, const ObjectiveSpec& spec, bool alternatives);

}  // namespace bl::cuda
