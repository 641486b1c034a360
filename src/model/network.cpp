#include "model/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compute/dense_kernels.hpp"
#include "compute/product.hpp"
#include "model/add_view.hpp"

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
void Network<T>::prepare(std::span<const T> parameters, PreparedParameters<T>& out, const Context* job,
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
      plan.input->prepare(weights(plan, parameters).columns(0, plan.input_columns), out.inputs[l], job,
                          apart && l == 0);
    out.reads[l].resize(plan.read_count, plan.shape.total());
    if (plan.read_count > 0)
      transpose<T>(weights(plan, parameters).columns(plan.input_columns, plan.read_count),
                   out.reads[l].view(), job);
    out.lambdas[l].resize(static_cast<std::size_t>(plan.shape.total()));
    effective(plan.lambda_offset, architecture_.lambda, out.lambdas[l], out.lambda_slopes[l]);
  }
  if (readout_offset_ < 0) return;
  out.readout.resize(outputs(), plans_.back().shape.blocks);
  effective(readout_offset_, architecture_.readout.sign, out.readout.flat(), out.readout_slopes);
  out.readout_columns.resize(out.readout.cols(), out.readout.rows());
  transpose<T>(std::as_const(out.readout).view(), out.readout_columns.view(), job);
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
  std::fill(ws.s_dot.flat().begin(), ws.s_dot.flat().end(), T(0));
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

template class Network<float>;
template class Network<double>;

}  // namespace bl
