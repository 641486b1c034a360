// The reverse sweeps of a network: from derivatives by scores to those by values and parameters.
#include <algorithm>

#include "compute/dense_kernels.hpp"
#include "compute/product.hpp"
#include "model/add_view.hpp"
#include "model/network.hpp"

namespace bl {

// d_s is zero but for the last layer, which receives d_scores through the readout.
template <class T>
void Network<T>::seed_outputs(const PreparedParameters<T>& w, MatrixView<const T> d_scores,
                              MatrixView<T> d_s) const {
  for (Index p = 0; p < d_s.rows; ++p) std::fill_n(d_s.row(p), d_s.cols, T(0));
  const MatrixView<T> last = d_s.columns(plans_.back().out_from, plans_.back().shape.blocks);
  if (readout_offset_ < 0) {
    for (Index p = 0; p < d_s.rows; ++p) last(p, 0) = d_scores(p, 0);
  } else {
    multiply<T>(d_scores, w.readout.view(), last, Accumulate::no);
  }
}

template <class T>
void Network<T>::readout_gradient(MatrixView<const T> d_scores, MatrixView<const T> s,
                                  GradientSum<T>& sums) const {
  if (readout_offset_ < 0) return;
  const MatrixView<const T> last = s.columns(plans_.back().out_from, plans_.back().shape.blocks);
  multiply_first_transposed<T>(
      d_scores, last, {sums.flat.data() + readout_offset_, outputs(), last.cols, last.cols}, Accumulate::yes);
}

template <class T>
void Network<T>::pass_down(const LayerPlan& plan, const PreparedParameters<T>& w, MatrixView<const T> d_a,
                           MatrixView<T> d_s) const {
  if (plan.read_count == 0) return;
  const MatrixView<T> read = d_s.columns(plan.read_from, plan.read_count);
  const MatrixView<const T> own = d_s.columns(plan.out_from, plan.shape.blocks);
  multiply<T>(d_a, weights(plan, w.raw).columns(plan.input_columns, plan.read_count), read, Accumulate::yes);
  if (plan.residual_identity) add<T>(own, read);
  if (plan.projection_offset >= 0)
    multiply<T>(own, {w.raw.data() + plan.projection_offset, own.cols, read.cols, read.cols}, read,
                Accumulate::yes);
}

template <class T>
void Network<T>::projection_gradient(const LayerPlan& plan, MatrixView<const T> s, MatrixView<const T> d_s,
                                     GradientSum<T>& sums) const {
  if (plan.projection_offset < 0) return;
  multiply_first_transposed<T>(
      d_s.columns(plan.out_from, plan.shape.blocks), s.columns(plan.read_from, plan.read_count),
      {sums.flat.data() + plan.projection_offset, plan.shape.blocks, plan.read_count, plan.read_count},
      Accumulate::yes);
}

// Weights and biases of layer l.
template <class T>
void Network<T>::layer_gradient(const LayerPlan& plan, std::size_t l, const Points<T>& points, Heads d_a,
                                NetworkWorkspace<T>& ws, GradientSum<T>& sums) const {
  const MatrixView<T> gradient = weights(plan, std::span<T>(sums.flat));
  T* d_bias = plan.bias_offset < 0 ? nullptr : sums.flat.data() + plan.bias_offset;
  if (plan.input) {
    plan.input->backward(points, d_a.value, d_a.dot, ws.layers[l].input, sums.inputs[l],
                         gradient.columns(0, plan.input_columns), d_bias);
  } else {
    dense_kernels<T>().column_sums(d_a.value, d_bias);
  }
  const MatrixView<T> d_read = gradient.columns(plan.input_columns, plan.read_count);
  multiply_first_transposed<T>(d_a.value, ws.s.view().columns(plan.read_from, plan.read_count), d_read,
                               sums.begun ? Accumulate::yes : Accumulate::no);
  if (d_a.dot.data)
    multiply_first_transposed<T>(d_a.dot, ws.s_dot.view().columns(plan.read_from, plan.read_count), d_read,
                                 Accumulate::yes);
}

template <class T>
void Network<T>::value_gradient(const PreparedParameters<T>& w, const Points<T>& points,
                                MatrixView<const T> d_scores, NetworkWorkspace<T>& ws,
                                MatrixView<T> d_values) const {
  const Kernels<T>& k = kernels<T>();
  const Index n = points.count();
  ws.d_s.resize(n, total_blocks_);
  seed_outputs(w, d_scores, ws.d_s.view());
  for (Index p = 0; p < n; ++p) std::fill_n(d_values.row(p), d_values.cols, T(0));
  for (std::size_t l = plans_.size(); l-- > 0;) {
    const LayerPlan& plan = plans_[l];
    LayerWorkspace<T>& layer = ws.layers[l];
    ws.d_a.resize(n, plan.shape.total());
    k.blocks_backward(plan.shape, w.lambdas[l].data(), layer.phi.view(), layer.slope.view(),
                      ws.d_s.view().columns(plan.out_from, plan.shape.blocks), ws.d_a.view(), nullptr);
    pass_down(plan, w, ws.d_a.view(), ws.d_s.view());
    if (plan.input) plan.input->value_gradient(w.inputs[l], points, ws.d_a.view(), layer.input, d_values);
  }
}

template <class T>
void Network<T>::backward(const PreparedParameters<T>& w, const Points<T>& points,
                          MatrixView<const T> d_scores, NetworkWorkspace<T>& ws, GradientSum<T>& sums) const {
  const Kernels<T>& k = kernels<T>();
  const Index n = points.count();
  ws.d_s.resize(n, total_blocks_);
  seed_outputs(w, d_scores, ws.d_s.view());
  readout_gradient(d_scores, ws.s.view(), sums);
  if (readout_bias_offset_ >= 0) {
    for (Index p = 0; p < n; ++p)
      for (Index o = 0; o < outputs(); ++o)
        sums.flat[static_cast<std::size_t>(readout_bias_offset_ + o)] += d_scores(p, o);
  }
  for (std::size_t l = plans_.size(); l-- > 0;) {
    const LayerPlan& plan = plans_[l];
    LayerWorkspace<T>& layer = ws.layers[l];
    projection_gradient(plan, ws.s.view(), ws.d_s.view(), sums);
    const MatrixView<T> d_a = layer.slope.view();
    k.blocks_backward(plan.shape, w.lambdas[l].data(), layer.phi.view(), d_a,
                      ws.d_s.view().columns(plan.out_from, plan.shape.blocks), d_a,
                      sums.flat.data() + plan.lambda_offset);
    layer_gradient(plan, l, points, {d_a, {}}, ws, sums);
    pass_down(plan, w, d_a, ws.d_s.view());
  }
  sums.begun = true;
}

template <class T>
void Network<T>::backward_tangent(const PreparedParameters<T>& w, const Points<T>& points,
                                  MatrixView<const T> d_scores_dot, NetworkWorkspace<T>& ws,
                                  GradientSum<T>& sums) const {
  const Kernels<T>& k = kernels<T>();
  const Index n = points.count();
  ws.d_s.resize(n, total_blocks_);
  std::fill(ws.d_s.flat().begin(), ws.d_s.flat().end(), T(0));
  ws.d_s_dot.resize(n, total_blocks_);
  seed_outputs(w, d_scores_dot, ws.d_s_dot.view());
  readout_gradient(d_scores_dot, ws.s_dot.view(), sums);
  for (std::size_t l = plans_.size(); l-- > 0;) {
    const LayerPlan& plan = plans_[l];
    LayerWorkspace<T>& layer = ws.layers[l];
    projection_gradient(plan, ws.s.view(), ws.d_s.view(), sums);
    projection_gradient(plan, ws.s_dot.view(), ws.d_s_dot.view(), sums);
    ws.d_a.resize(n, plan.shape.total());
    k.blocks_backward_tangent(plan.shape, w.lambdas[l].data(), layer.phi.view(), layer.slope.view(),
                              layer.a_dot.view(), ws.d_s.view().columns(plan.out_from, plan.shape.blocks),
                              ws.d_s_dot.view().columns(plan.out_from, plan.shape.blocks), ws.d_a.view(),
                              sums.flat.data() + plan.lambda_offset);
    layer_gradient(plan, l, points, {ws.d_a.view(), layer.a_dot.view()}, ws, sums);
    pass_down(plan, w, ws.d_a.view(), ws.d_s.view());
    pass_down(plan, w, layer.a_dot.view(), ws.d_s_dot.view());
  }
  sums.begun = true;
}

template <class T>
void Network<T>::heads_backward(const Points<T>& points, MatrixView<const T> d_heads, NetworkWorkspace<T>& ws,
                                GradientSum<T>& sums) const {
  layer_gradient(plans_[0], 0, points, {d_heads, {}}, ws, sums);
  sums.begun = true;
}

template <class T>
void Network<T>::clear(GradientSum<T>& sums) const {
  sums.flat.resize(static_cast<std::size_t>(layout_.size()));
  // The first reverse sweep writes the weights; columns that none writes are zero ever since.
  Index from = 0;
  for (const LayerPlan& plan : plans_) {
    std::fill(sums.flat.begin() + from, sums.flat.begin() + plan.weight_offset, T(0));
    from = plan.weight_offset + plan.shape.total() * plan.columns();
  }
  std::fill(sums.flat.begin() + from, sums.flat.end(), T(0));
  sums.begun = false;
  sums.inputs.resize(plans_.size());
  for (std::size_t l = 0; l < plans_.size(); ++l)
    if (plans_[l].input) plans_[l].input->clear(sums.inputs[l], plans_[l].shape.total());
}

template <class T>
void Network<T>::gather(const std::vector<InputGradient<T>>& inputs, std::span<T> flat) const {
  for (std::size_t l = 0; l < plans_.size(); ++l) {
    const LayerPlan& plan = plans_[l];
    if (plan.input) plan.input->scatter(inputs[l], weights(plan, flat).columns(0, plan.input_columns));
  }
}

template <class T>
void Network<T>::to_raw(const PreparedParameters<T>& w, std::span<T> gradient) const {
  const auto scale = [&](Index offset, const std::vector<T>& slopes) {
    for (std::size_t i = 0; i < slopes.size(); ++i)
      gradient[static_cast<std::size_t>(offset) + i] *= slopes[i];
  };
  for (std::size_t l = 0; l < plans_.size(); ++l)
    if (architecture_.lambda == Sign::non_negative) scale(plans_[l].lambda_offset, w.lambda_slopes[l]);
  if (readout_offset_ >= 0 && architecture_.readout.sign == Sign::non_negative)
    scale(readout_offset_, w.readout_slopes);
  const auto& mask = layout_.free_mask();
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (!mask[i]) gradient[i] = T(0);
}

// The class as a whole is instantiated in network.cpp; here what is defined here.
#define BL_REVERSE_SWEEPS(T)                                                                                \
  template void Network<T>::value_gradient(const PreparedParameters<T>&, const Points<T>&,                  \
                                           MatrixView<const T>, NetworkWorkspace<T>&, MatrixView<T>) const; \
  template void Network<T>::backward(const PreparedParameters<T>&, const Points<T>&, MatrixView<const T>,   \
                                     NetworkWorkspace<T>&, GradientSum<T>&) const;                          \
  template void Network<T>::backward_tangent(const PreparedParameters<T>&, const Points<T>&,                \
                                             MatrixView<const T>, NetworkWorkspace<T>&, GradientSum<T>&)    \
      const;                                                                                                \
  template void Network<T>::heads_backward(const Points<T>&, MatrixView<const T>, NetworkWorkspace<T>&,     \
                                           GradientSum<T>&) const;                                          \
  template void Network<T>::clear(GradientSum<T>&) const;                                                   \
  template void Network<T>::gather(const std::vector<InputGradient<T>>&, std::span<T>) const;               \
  template void Network<T>::to_raw(const PreparedParameters<T>&, std::span<T>) const;

BL_REVERSE_SWEEPS(float)
BL_REVERSE_SWEEPS(double)

}  // namespace bl
