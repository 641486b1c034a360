#include "model/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compute/dense_kernels.hpp"
#include "compute/product.hpp"

namespace bl {

namespace {

Architecture validated(Architecture architecture) {
  validate(architecture);
  return architecture;
}

BlockShape shape_of(const Architecture& a, const LayerSpec& layer) {
  BlockShape shape;
  shape.blocks = layer.blocks;
  Index begin = 0;
  for (const HeadKind kind : kHeadKinds) {
    shape.sections[static_cast<std::size_t>(kind)] = {.activation = a.activation(kind),
                                                      .sign = kind == HeadKind::utility ? 1.0 : -1.0,
                                                      .begin = begin,
                                                      .heads_per_block = layer.heads(kind)};
    begin += layer.blocks * layer.heads(kind);
  }
  return shape;
}

template <class T>
void fill(Matrix<T>& matrix, T value) {
  std::fill(matrix.flat().begin(), matrix.flat().end(), value);
}

template <class T>
void add(MatrixView<const T> from, MatrixView<T> to) {
  for (Index i = 0; i < from.rows; ++i)
    for (Index j = 0; j < from.cols; ++j) to(i, j) += from(i, j);
}

// The flat vector's first tensor with this layer and role; -1 if there is none.
Index offset_of(const ParameterLayout& layout, std::size_t layer, TensorRole role) {
  for (const TensorInfo& tensor : layout.tensors())
    if (tensor.layer == layer && tensor.role == role) return tensor.offset;
  return -1;
}

}  // namespace

template <class T>
Network<T>::Network(Architecture architecture)
    : architecture_(validated(std::move(architecture))), layout_(architecture_) {
  for (const LayerSpec& layer : architecture_.layers) total_blocks_ += layer.blocks;
  for (std::size_t l = 0; l < architecture_.layers.size(); ++l) plans_.push_back(plan_layer(l));
  readout_offset_ = offset_of(layout_, plans_.size() - 1, TensorRole::readout_weight);
  readout_bias_offset_ = offset_of(layout_, plans_.size() - 1, TensorRole::readout_bias);
}

template <class T>
typename Network<T>::LayerPlan Network<T>::plan_layer(std::size_t l) const {
  const Architecture& a = architecture_;
  LayerPlan plan;
  plan.shape = shape_of(a, a.layers[l]);
  for (std::size_t k = 0; k < l; ++k) plan.out_from += a.layers[k].blocks;
  const bool reads_input = l == 0 || a.skip == Skip::input || a.skip == Skip::dense;
  if (reads_input) {
    const BasisSpec& basis = l == 0 ? a.basis : BasisSpec{};
    plan.input.emplace(InputPlan(a.input, basis_terms(basis, a.input, l == 0 ? a.degree() : 1)));
    plan.input_columns = l == 0 ? layer_input_size(a, 0) : a.input.size();
  }
  if (l > 0) {
    plan.read_count = a.skip == Skip::dense ? plan.out_from : a.layers[l - 1].blocks;
    plan.read_from = plan.out_from - plan.read_count;
  }
  plan.weight_offset = offset_of(layout_, l, TensorRole::weight);
  plan.bias_offset = offset_of(layout_, l, TensorRole::bias);
  plan.lambda_offset = offset_of(layout_, l, TensorRole::lambda);
  plan.projection_offset = offset_of(layout_, l, TensorRole::projection);
  plan.residual_identity = a.skip == Skip::residual && l > 0 && plan.projection_offset < 0;
  return plan;
}

template <class T>
Index Network<T>::numbers_per_point() const {
  Index heads = 0;
  for (const LayerPlan& plan : plans_) heads += plan.shape.total();
  return 3 * heads + 4 * total_blocks_;
}

template <class T>
MatrixView<const T> Network<T>::weights(const LayerPlan& plan, std::span<const T> parameters) const {
  return {parameters.data() + plan.weight_offset, plan.shape.total(), plan.columns(), plan.columns()};
}

template <class T>
MatrixView<T> Network<T>::weights(const LayerPlan& plan, std::span<T> gradient) const {
  return {gradient.data() + plan.weight_offset, plan.shape.total(), plan.columns(), plan.columns()};
}

template <class T>
bool Network<T>::wide_context() const {
  constexpr Index kWide = 1 << 15;  // numbers: narrower ones are not worth sharing out
  for (std::size_t l = 1; l < plans_.size(); ++l)
    if (plans_[l].input) return false;
  const LayerPlan& first = plans_[0];
  return first.weight_offset == 0 && first.shape.total() * first.input->context_columns() >= kWide;
}

template <class T>
MatrixView<const T> Network<T>::context_weights(std::span<const T> parameters) const {
  const InputProduct<T>& input = *plans_[0].input;
  return weights(plans_[0], parameters).columns(input.context_begin(), input.context_columns());
}

template <class T>
MatrixView<T> Network<T>::context_weights(std::span<T> gradient) const {
  const InputProduct<T>& input = *plans_[0].input;
  return weights(plans_[0], gradient).columns(input.context_begin(), input.context_columns());
}

template <class T>
const T* Network<T>::context_bias(std::span<const T> parameters) const {
  return plans_[0].bias_offset < 0 ? nullptr : parameters.data() + plans_[0].bias_offset;
}

template <class T>
void Network<T>::prepare(std::span<const T> parameters, PreparedParameters<T>& out, ThreadPool* pool,
                         bool apart) const {
  out.raw = parameters;
  out.inputs.resize(plans_.size());
  out.reads.resize(plans_.size());
  out.lambdas.resize(plans_.size());
  out.lambda_slopes.resize(plans_.size());
  const auto effective = [&](Index at, Sign sign, std::span<T> values, std::vector<T>& slopes) {
    slopes.resize(values.size(), T(1));
    const T* raw = parameters.data() + at;
    if (sign == Sign::non_negative)
      kernels<T>().softplus(raw, values.data(), slopes.data(), static_cast<Index>(values.size()));
    else
      std::copy_n(raw, values.size(), values.begin());
  };
  for (std::size_t l = 0; l < plans_.size(); ++l) {
    const LayerPlan& plan = plans_[l];
    if (plan.input)
      plan.input->prepare(weights(plan, parameters).columns(0, plan.input_columns), out.inputs[l], pool,
                          apart && l == 0);
    out.reads[l].resize(plan.read_count, plan.shape.total());
    if (plan.read_count > 0)
      transpose<T>(weights(plan, parameters).columns(plan.input_columns, plan.read_count),
                   out.reads[l].view(), pool);
    out.lambdas[l].resize(static_cast<std::size_t>(plan.shape.total()));
    effective(plan.lambda_offset, architecture_.lambda, out.lambdas[l], out.lambda_slopes[l]);
  }
  if (readout_offset_ < 0) return;
  out.readout.resize(outputs(), plans_.back().shape.blocks);
  effective(readout_offset_, architecture_.readout.sign, out.readout.flat(), out.readout_slopes);
  out.readout_columns.resize(out.readout.cols(), out.readout.rows());
  transpose<T>(std::as_const(out.readout).view(), out.readout_columns.view(), pool);
}

template <class T>
void Network<T>::forward(const PreparedParameters<T>& w, const Points<T>& points, NetworkWorkspace<T>& ws,
                         bool values_only) const {
  const Kernels<T>& k = kernels<T>();
  const Index n = points.count();
  ws.layers.resize(plans_.size());
  ws.s.resize(n, total_blocks_);
  for (std::size_t l = 0; l < plans_.size(); ++l) {
    const LayerPlan& plan = plans_[l];
    LayerWorkspace<T>& layer = ws.layers[l];
    layer.phi.resize(n, plan.shape.total());
    const T* bias = plan.bias_offset < 0 ? nullptr : w.raw.data() + plan.bias_offset;
    if (plan.input) plan.input->forward(w.inputs[l], bias, points, layer.input, layer.phi.view());
    const MatrixView<T> read = ws.s.view().columns(plan.read_from, plan.read_count);
    if (!plan.input)
      multiply_plus<T>(read, w.reads[l].view(), bias, layer.phi.view());
    else if (plan.read_count > 0)
      multiply<T>(read, w.reads[l].view(), layer.phi.view(), Accumulate::yes);
    const MatrixView<T> out = ws.s.view().columns(plan.out_from, plan.shape.blocks);
    if (plan.residual_identity)
      for (Index p = 0; p < n; ++p) std::copy_n(read.row(p), read.cols, out.row(p));
    if (plan.projection_offset >= 0)
      multiply_transposed<T>(read, {w.raw.data() + plan.projection_offset, out.cols, read.cols, read.cols},
                             out, Accumulate::no);
    MatrixView<T> slope;
    if (!values_only) {
      layer.slope.resize(n, plan.shape.total());
      slope = layer.slope.view();
    }
    k.blocks_forward(plan.shape, w.lambdas[l].data(), layer.phi.view(), slope, out,
                     plan.residual_identity || plan.projection_offset >= 0);
  }
  const MatrixView<T> last = ws.s.view().columns(plans_.back().out_from, plans_.back().shape.blocks);
  ws.scores.resize(n, outputs());
  if (readout_offset_ < 0) {
    for (Index p = 0; p < n; ++p) ws.scores(p, 0) = last(p, 0);
    return;
  }
  read_out(w, last, readout_bias_offset_ < 0 ? nullptr : w.raw.data() + readout_bias_offset_,
           ws.scores.view());
}

template <class T>
MatrixView<T> Network<T>::heads(const PreparedParameters<T>& w, const Points<T>& points,
                                NetworkWorkspace<T>& ws) const {
  const LayerPlan& plan = plans_[0];
  ws.layers.resize(plans_.size());
  ws.s.resize(points.count(), total_blocks_);
  LayerWorkspace<T>& layer = ws.layers[0];
  layer.phi.resize(points.count(), plan.shape.total());
  plan.input->forward(w.inputs[0], plan.bias_offset < 0 ? nullptr : w.raw.data() + plan.bias_offset, points,
                      layer.input, layer.phi.view());
  return layer.phi.view();
}

template <class T>
void Network<T>::heads_backward(const Points<T>& points, MatrixView<const T> d_heads, NetworkWorkspace<T>& ws,
                                GradientSum<T>& sums) const {
  layer_gradient(plans_[0], 0, points, {d_heads, {}}, ws, sums);
  sums.begun = true;
}

template <class T>
void Network<T>::read_out(const PreparedParameters<T>& w, MatrixView<const T> last, const T* bias,
                          MatrixView<T> scores) const {
  if (outputs() == 1)
    return dense_kernels<T>().row_dots(last, w.readout.data(), bias ? *bias : T(0), scores.data);
  multiply_plus<T>(last, w.readout_columns.view(), bias, scores);
}

template <class T>
void Network<T>::tangent(const PreparedParameters<T>& w, const Points<T>& points,
                         MatrixView<const T> direction, NetworkWorkspace<T>& ws) const {
  const Kernels<T>& k = kernels<T>();
  const Index n = points.count();
  ws.s_dot.resize(n, total_blocks_);
  fill(ws.s_dot, T(0));
  for (std::size_t l = 0; l < plans_.size(); ++l) {
    const LayerPlan& plan = plans_[l];
    LayerWorkspace<T>& layer = ws.layers[l];
    layer.a_dot.resize(n, plan.shape.total());
    if (plan.input) plan.input->tangent(w.inputs[l], points, direction, layer.input, layer.a_dot.view());
    const MatrixView<T> read = ws.s_dot.view().columns(plan.read_from, plan.read_count);
    if (plan.read_count > 0)
      multiply<T>(read, w.reads[l].view(), layer.a_dot.view(), plan.input ? Accumulate::yes : Accumulate::no);
    const MatrixView<T> out = ws.s_dot.view().columns(plan.out_from, plan.shape.blocks);
    if (plan.residual_identity) add<T>(read, out);
    if (plan.projection_offset >= 0)
      multiply_transposed<T>(read, {w.raw.data() + plan.projection_offset, out.cols, read.cols, read.cols},
                             out, Accumulate::yes);
    k.blocks_tangent(plan.shape, w.lambdas[l].data(), layer.slope.view(), layer.a_dot.view(), out);
  }
  const MatrixView<T> last = ws.s_dot.view().columns(plans_.back().out_from, plans_.back().shape.blocks);
  ws.scores_dot.resize(n, outputs());
  if (readout_offset_ < 0) {
    for (Index p = 0; p < n; ++p) ws.scores_dot(p, 0) = last(p, 0);
  } else {
    read_out(w, last, nullptr, ws.scores_dot.view());
  }
}

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
  fill(ws.d_s, T(0));
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

template class Network<float>;
template class Network<double>;

}  // namespace bl
