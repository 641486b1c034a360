#include "model/lane_network.hpp"

#include <algorithm>

namespace bl {

namespace {

template <class T>
StridedMatrix<T> transposed(const StridedMatrix<T>& w) {
  return {w.data, w.cols, w.rows, w.column_stride, w.row_stride};
}

template <class T>
void fill_lanes(T* out, T value) {
  std::fill_n(out, kLanePoints, value);
}

}  // namespace

template <class T>
bool LaneNetwork<T>::supports(const Architecture& a) {
  return a.form == Form::scalar && a.outputs == 1 && a.input.classes == 0 && a.input.values > 0 &&
         a.skip == Skip::none && a.basis.kind == BasisKind::affine && !a.basis.response_only;
}

template <class T>
LaneNetwork<T>::LaneNetwork(const Network<T>& network, const PreparedParameters<T>& parameters)
    : context_(network.architecture().input.context) {
  const Architecture& a = network.architecture();
  layers_.resize(a.layers.size());
  biases_.resize(a.layers.size());
  Index inputs = a.input.size();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Index unread = l == 0 ? context_ : 0;
    layers_[l].shape = network.block_shape(l);
    layers_[l].weights = {nullptr, layers_[l].shape.total(), inputs - unread, inputs, 1};
    layers_[l].lambda = parameters.lambdas[l].data();
    inputs = layers_[l].shape.blocks;
  }
  // The first tensor of a layer and role starts the matrix of all its heads.
  for (const TensorInfo& tensor : network.layout().tensors()) {
    const T* data = parameters.raw.data() + tensor.offset;
    Layer& layer = layers_[tensor.layer];
    if (tensor.role == TensorRole::weight && !layer.weights.data)
      layer.weights.data = data + (tensor.layer == 0 ? context_ : 0);
    if (tensor.role == TensorRole::bias)
      for (Index h = 0; h < tensor.size(); ++h)
        biases_[tensor.layer].insert(biases_[tensor.layer].end(), static_cast<std::size_t>(kLanePoints),
                                     data[h]);
    if (tensor.role == TensorRole::readout_bias) readout_bias_ = *data;
  }
  readout_.assign(static_cast<std::size_t>(inputs), T(1));
  if (a.readout.present) std::copy_n(parameters.readout.data(), inputs, readout_.begin());
}

template <class T>
void LaneNetwork<T>::context_heads(MatrixView<const T> context, T* out) const {
  std::vector<T> lanes(static_cast<std::size_t>(context_ * kLanePoints), T(0));
  for (Index p = 0; p < context.rows && context_ > 0; ++p)
    for (Index j = 0; j < context_; ++j) lanes[static_cast<std::size_t>(j * kLanePoints + p)] = context(p, j);
  const StridedMatrix<T>& w = layers_.front().weights;
  lane_kernels<T>().product({w.data - context_, w.rows, context_, w.row_stride, 1}, biases_.front().data(),
                            lanes.data(), out);
}

template <class T>
void LaneNetwork<T>::evaluate(const T* context_heads, const T* values, T factor, LaneWorkspace<T>& ws,
                              T* scores, T* gradient) const {
  const LaneKernels<T>& k = lane_kernels<T>();
  ws.heads.resize(layers_.size());
  ws.s.resize(layers_.size());
  const T* in = values;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const Index total = layer.shape.total();
    ws.heads[l].resize(static_cast<std::size_t>(total * kLanePoints));
    ws.s[l].resize(static_cast<std::size_t>(layer.shape.blocks * kLanePoints));
    T* heads = ws.heads[l].data();
    k.product(layer.weights, l == 0 ? context_heads : biases_[l].data(), in, heads);
    k.blocks(layer.shape, layer.lambda, heads, ws.s[l].data());
    in = ws.s[l].data();
  }
  const auto blocks = static_cast<Index>(readout_.size());
  k.product({readout_.data(), 1, blocks, blocks, 1}, nullptr, in, scores);
  for (Index p = 0; p < kLanePoints; ++p) scores[p] = factor * (scores[p] + readout_bias_);
  if (gradient) backward(factor, ws, gradient);
}

template <class T>
void LaneNetwork<T>::backward(T factor, LaneWorkspace<T>& ws, T* gradient) const {
  const LaneKernels<T>& k = lane_kernels<T>();
  std::size_t widest = 0;
  for (const auto& s : ws.s) widest = std::max(widest, s.size());
  ws.d_s.resize(widest);
  for (std::size_t b = 0; b < readout_.size(); ++b)
    fill_lanes(ws.d_s.data() + b * static_cast<std::size_t>(kLanePoints), factor * readout_[b]);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    k.blocks_backward(layers_[l].shape, ws.d_s.data(), ws.heads[l].data());
    T* out = l == 0 ? gradient : ws.d_s.data();
    k.product(transposed(layers_[l].weights), nullptr, ws.heads[l].data(), out);
  }
}

template class LaneNetwork<float>;
template class LaneNetwork<double>;

}  // namespace bl
