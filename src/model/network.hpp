// The utility BL(x, y): forward, tangent and reverse sweeps over a set of points. No tape: the structure is
// known, so each sweep is a fixed sequence of matrix products and fused block kernels.
//
// The network itself is immutable; parameters arrive prepared, and every intermediate lives in a workspace
// that belongs to one thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compute/kernels.hpp"
#include "model/architecture.hpp"
#include "model/input_product.hpp"
#include "model/parameters.hpp"
#include "model/points.hpp"

namespace bl {

// Parameters as the sweeps need them: effective lambdas and readout, inputs rearranged. Made once per change.
template <class T>
struct PreparedParameters {
  std::span<const T> raw;
  std::vector<PreparedInput<T>> inputs;       // per layer; filled where the layer reads z
  std::vector<Matrix<T>> reads;               // per layer: weights of the blocks it reads, read x heads
  std::vector<std::vector<T>> lambdas;        // per layer, effective
  Matrix<T> readout;                          // effective, outputs x blocks
  Matrix<T> readout_columns;                  // the same, blocks x outputs
  std::vector<std::vector<T>> lambda_slopes;  // d effective / d raw
  std::vector<T> readout_slopes;
};

template <class T>
struct LayerWorkspace {
  InputWorkspace<T> input;
  Matrix<T> phi, slope, a_dot;
};

// All intermediates of one chunk of points. Grows to the largest chunk seen and is then reused.
template <class T>
struct NetworkWorkspace {
  std::vector<LayerWorkspace<T>> layers;
  Matrix<T> s, s_dot, d_s, d_s_dot;  // points x all blocks of all layers
  Matrix<T> d_a;
  Matrix<T> scores, scores_dot;  // points x outputs
};

// Where a thread sums parameter gradients: the flat vector plus sums still in their working arrangement.
template <class T>
struct GradientSum {
  bool begun = false;                    // weights are summed in flat; until then they are not cleared
  AlignedVector<T> flat;                 // by effective lambda and readout until finish() is called
  std::vector<InputGradient<T>> inputs;  // per layer
};

template <class T>
class Network {
 public:
  // Validates the architecture.
  explicit Network(Architecture architecture);

  const Architecture& architecture() const { return architecture_; }
  const ParameterLayout& layout() const { return layout_; }
  Index outputs() const { return architecture_.outputs; }
  // How the heads of layer l form its blocks.
  const BlockShape& block_shape(std::size_t l) const { return plans_[l].shape; }
  // Numbers a point keeps during a gradient, for choosing chunk sizes.
  Index numbers_per_point() const;

  // `parameters` must stay alive and unchanged while `out` is used. The threads of a job, where given, share
  // the work. apart: the first layer's product with the context is taken elsewhere, see Points::row_heads.
  void prepare(std::span<const T> parameters, PreparedParameters<T>& out, const Context* job = nullptr,
               bool apart = false) const;

  // Whether that product can be taken elsewhere and is large enough to be worth it.
  bool wide_context() const;
  // Its weights (heads x context) among the parameters or their gradient, and its bias (null: none).
  MatrixView<const T> context_weights(std::span<const T> parameters) const;
  MatrixView<T> context_weights(std::span<T> gradient) const;
  const T* context_bias(std::span<const T> parameters) const;
  // The first parameter that is not a weight of the first layer.
  Index after_context() const { return plans_[0].shape.total() * plans_[0].columns(); }

  // Scores of all points into ws.scores; keeps what the other sweeps need unless values_only.
  void forward(const PreparedParameters<T>& w, const Points<T>& points, NetworkWorkspace<T>& ws,
               bool values_only = false) const;

  // After forward: derivative of the scores along direction (points x values) into ws.scores_dot.
  void tangent(const PreparedParameters<T>& w, const Points<T>& points, MatrixView<const T> direction,
               NetworkWorkspace<T>& ws) const;

  // After forward: d_values (points x values) = gradient of sum_o d_scores[p][o] score_o by the values of p.
  void value_gradient(const PreparedParameters<T>& w, const Points<T>& points, MatrixView<const T> d_scores,
                      NetworkWorkspace<T>& ws, MatrixView<T> d_values) const;

  // After forward: sums += parameter gradient of sum_p d_scores[p] . scores[p]. Uses up the slopes in ws: no
  // other sweep may follow without another forward.
  void backward(const PreparedParameters<T>& w, const Points<T>& points, MatrixView<const T> d_scores,
                NetworkWorkspace<T>& ws, GradientSum<T>& sums) const;

  // After forward and tangent: sums += parameter gradient of sum_p d_scores_dot[p] . scores_dot[p].
  void backward_tangent(const PreparedParameters<T>& w, const Points<T>& points,
                        MatrixView<const T> d_scores_dot, NetworkWorkspace<T>& ws,
                        GradientSum<T>& sums) const;

  // Of a network of one layer: its heads at the points, before their activation, and the reverse sweep from
  // derivatives by them to weights and biases. `heads` of this call live in ws until the next sweep.
  MatrixView<T> heads(const PreparedParameters<T>& w, const Points<T>& points, NetworkWorkspace<T>& ws) const;
  void heads_backward(const Points<T>& points, MatrixView<const T> d_heads, NetworkWorkspace<T>& ws,
                      GradientSum<T>& sums) const;
  // Where the lambdas of the last layer and the readout begin among the parameters; -1: no readout.
  Index lambda_offset() const { return plans_.back().lambda_offset; }
  Index readout_offset() const { return readout_offset_; }

  // To be followed by a reverse sweep.
  void clear(GradientSum<T>& sums) const;
  // Completes sums.flat in two steps. gather: puts in the sums that are still in their working arrangement.
  void gather(GradientSum<T>& sums) const { gather(sums.inputs, sums.flat); }
  void gather(const std::vector<InputGradient<T>>& inputs, std::span<T> flat) const;
  // to_raw: from effective to raw values, and zero in masked entries. May be applied to a sum of gradients.
  void to_raw(const PreparedParameters<T>& w, std::span<T> gradient) const;
  void finish(const PreparedParameters<T>& w, GradientSum<T>& sums) const {
    gather(sums);
    to_raw(w, sums.flat);
  }

 private:
  struct LayerPlan {
    BlockShape shape;
    std::optional<InputProduct<T>> input;  // where the layer reads z
    Index input_columns = 0;               // how many of its columns that takes
    Index read_from = 0;                   // first column of the block outputs it reads
    Index read_count = 0;
    Index out_from = 0;       // where its own outputs lie
    Index weight_offset = 0;  // heads x (input_columns + read_count)
    Index bias_offset = -1;
    Index lambda_offset = 0;
    Index projection_offset = -1;  // residual: -1 with residual_identity, or no addition
    bool residual_identity = false;

    Index columns() const { return input_columns + read_count; }
  };

  // Derivatives by the heads of a layer and, where there is a tangent, by their tangents.
  struct Heads {
    MatrixView<const T> value, dot;
  };

  LayerPlan plan_layer(std::size_t l) const;
  MatrixView<const T> weights(const LayerPlan& plan, std::span<const T> parameters) const;
  MatrixView<T> weights(const LayerPlan& plan, std::span<T> gradient) const;
  // scores = bias + last layer's blocks times the readout; bias may be null.
  void read_out(const PreparedParameters<T>& w, MatrixView<const T> last, const T* bias,
                MatrixView<T> scores) const;
  void seed_outputs(const PreparedParameters<T>& w, MatrixView<const T> d_scores, MatrixView<T> d_s) const;
  void readout_gradient(MatrixView<const T> d_scores, MatrixView<const T> s, GradientSum<T>& sums) const;
  // d_s of what layer l read, from d_a of its heads and from its residual addition.
  void pass_down(const LayerPlan& plan, const PreparedParameters<T>& w, MatrixView<const T> d_a,
                 MatrixView<T> d_s) const;
  void layer_gradient(const LayerPlan& plan, std::size_t l, const Points<T>& points, Heads d_a,
                      NetworkWorkspace<T>& ws, GradientSum<T>& sums) const;
  void projection_gradient(const LayerPlan& plan, MatrixView<const T> s, MatrixView<const T> d_s,
                           GradientSum<T>& sums) const;

  Architecture architecture_;
  ParameterLayout layout_;
  std::vector<LayerPlan> plans_;
  Index total_blocks_ = 0;
  Index readout_offset_ = -1;
  Index readout_bias_offset_ = -1;
};

}  // namespace bl
