#include "inference/parameter_map.hpp"

#include <fmt/format.h>

namespace bl::inference {

std::string head_name(const HeadPlace& place) {
  return fmt::format("L{}.B{}.{}{}", place.layer + 1, place.block + 1, letter(place.kind), place.head + 1);
}

ParameterMap::ParameterMap(const Architecture& architecture)
    : architecture_(architecture), layout_(architecture) {
  for (std::size_t l = 0; l < architecture_.layers.size(); ++l) {
    const LayerSpec& layer = architecture_.layers[l];
    layer_first_.push_back(first_.size());
    for (Index block = 0; block < layer.blocks; ++block) {
      for (const HeadKind kind : kHeadKinds) {
        first_.push_back(heads_.size());
        const auto name = [&](const char* what) {
          return fmt::format("layers/{}/{}/{}", l, letter(kind), what);
        };
        for (Index h = 0; h < layer.heads(kind); ++h) {
          const TensorInfo& weight = layout_.tensor(name("weight"));
          const Index row = block * layer.heads(kind) + h;
          const bool biased = layout_.contains(name("bias"));
          heads_.push_back(
              {.layer = l,
               .block = block,
               .kind = kind,
               .head = h,
               .weights = weight.offset + row * weight.cols,
               .columns = weight.cols,
               .bias = biased ? layout_.tensor(name("bias")).offset + row : -1,
               .lambda = layout_.tensor(name("lambda")).offset + row,
               .degree = layer.degrees[static_cast<std::size_t>(kind)][static_cast<std::size_t>(h)]});
        }
      }
    }
  }
  first_.push_back(heads_.size());
}

std::span<const HeadPlace> ParameterMap::heads_of(std::size_t layer, Index block, HeadKind kind) const {
  const std::size_t at =
      layer_first_[layer] + 3 * static_cast<std::size_t>(block) + static_cast<std::size_t>(kind);
  return std::span(heads_).subspan(first_[at], first_[at + 1] - first_[at]);
}

Index ParameterMap::column_of(std::size_t reader, std::size_t layer, Index block) const {
  if (reader <= layer) return -1;
  const Architecture& a = architecture_;
  if (a.skip != Skip::dense)
    return reader == layer + 1 ? (a.skip == Skip::input ? a.input.size() : 0) + block : -1;
  Index column = a.input.size() + block;
  for (std::size_t l = 0; l < layer; ++l) column += a.layers[l].blocks;
  return column;
}

std::vector<Index> ParameterMap::readers(std::size_t layer, Index block) const {
  std::vector<Index> positions;
  for (const HeadPlace& head : heads_) {
    const Index column = column_of(head.layer, layer, block);
    if (column >= 0) positions.push_back(head.weights + column);
  }
  for (const TensorInfo& tensor : layout_.tensors()) {
    const bool projection = tensor.role == TensorRole::projection && tensor.layer == layer + 1;
    const bool readout =
        tensor.role == TensorRole::readout_weight && layer + 1 == architecture_.layers.size();
    for (Index row = 0; (projection || readout) && row < tensor.rows; ++row)
      positions.push_back(tensor.offset + row * tensor.cols + block);
  }
  return positions;
}

std::vector<Index> ParameterMap::projection_row(std::size_t layer, Index block) const {
  std::vector<Index> positions;
  for (const TensorInfo& tensor : layout_.tensors())
    if (tensor.role == TensorRole::projection && tensor.layer == layer)
      for (Index col = 0; col < tensor.cols; ++col)
        positions.push_back(tensor.offset + block * tensor.cols + col);
  return positions;
}

bool ParameterMap::continues(std::size_t layer) const {
  return architecture_.skip == Skip::residual && layer > 0 &&
         architecture_.layers[layer - 1].blocks == architecture_.layers[layer].blocks;
}

const TensorInfo& ParameterMap::tensor_at(Index position) const {
  const auto& tensors = layout_.tensors();
  std::size_t t = 0;
  while (t + 1 < tensors.size() && position >= tensors[t + 1].offset) ++t;
  return tensors[t];
}

const HeadPlace* ParameterMap::head_at(Index position) const {
  const TensorInfo& tensor = tensor_at(position);
  if (tensor.role != TensorRole::weight && tensor.role != TensorRole::bias &&
      tensor.role != TensorRole::lambda)
    return nullptr;
  const Index row = (position - tensor.offset) / tensor.cols;
  const Index per_block = architecture_.layers[tensor.layer].heads(tensor.kind);
  return &heads_of(tensor.layer, row / per_block, tensor.kind)[static_cast<std::size_t>(row % per_block)];
}

std::vector<double> ParameterMap::effective(std::span<const double> raw) const {
  std::vector<double> values(raw.begin(), raw.end());
  for (const TensorInfo& tensor : layout_.tensors())
    for (Index i = tensor.offset; tensor.sign == Sign::non_negative && i < tensor.offset + tensor.size(); ++i)
      values[static_cast<std::size_t>(i)] = softplus(values[static_cast<std::size_t>(i)]);
  return values;
}

std::vector<double> ParameterMap::raw(std::span<const double> effective) const {
  std::vector<double> values(effective.begin(), effective.end());
  for (const TensorInfo& tensor : layout_.tensors())
    for (Index i = tensor.offset; tensor.sign == Sign::non_negative && i < tensor.offset + tensor.size();
         ++i) {
      double& value = values[static_cast<std::size_t>(i)];
      value = value > 0 ? std::max(inverse_softplus(value), kRawZero) : kRawZero;
    }
  return values;
}

}  // namespace bl::inference
