#include "model/join.hpp"

#include <cassert>

#include "model/parameters.hpp"

namespace bl {

namespace {

// Where entry (row, col) of a member's tensor goes in the joined one.
struct Place {
  Index row, col;
};

Place place_of(const Architecture& a, const TensorInfo& tensor, Index member, Index members, Index row,
               Index col) {
  if (!tensor.is_matrix())
    return {tensor.role == TensorRole::readout_bias ? row : member * tensor.rows + row, 0};
  const Index own_rows = tensor.role == TensorRole::readout_weight ? 0 : member * tensor.rows;
  if (tensor.role != TensorRole::weight) return {own_rows + row, member * tensor.cols + col};
  if (tensor.layer == 0) return {own_rows + row, col};
  // Columns: z where the layer reads it, then the outputs of one or of all earlier layers.
  Index at = col, offset = 0;
  if (a.skip == Skip::input || a.skip == Skip::dense) {
    if (at < a.input.size()) return {own_rows + row, col};
    at -= a.input.size();
    offset = a.input.size();
  }
  const std::size_t first = a.skip == Skip::dense ? 0 : tensor.layer - 1;
  for (std::size_t l = first; l < tensor.layer; ++l) {
    const Index width = a.layers[l].blocks;
    if (at < width) return {own_rows + row, offset + member * width + at};
    at -= width;
    offset += members * width;
  }
  assert(false);
  return {0, 0};
}

}  // namespace

Architecture joined_architecture(const Architecture& architecture, Index members) {
  assert(architecture.readout.present);
  Architecture joined = architecture;
  for (LayerSpec& layer : joined.layers) layer.blocks *= members;
  return joined;
}

std::vector<double> join_parameters(const Architecture& a, std::span<const std::vector<double>> members) {
  const auto count = static_cast<Index>(members.size());
  const ParameterLayout from(a), to(joined_architecture(a, count));
  std::vector<double> joined(static_cast<std::size_t>(to.size()), 0.0);
  for (const TensorInfo& tensor : from.tensors()) {
    const TensorInfo& target = to.tensor(tensor.name);
    const bool readout = tensor.role == TensorRole::readout_weight || tensor.role == TensorRole::readout_bias;
    for (Index m = 0; m < count; ++m) {
      for (Index i = 0; i < tensor.size(); ++i) {
        const double raw = members[static_cast<std::size_t>(m)][static_cast<std::size_t>(tensor.offset + i)];
        const Place place = place_of(a, tensor, m, count, i / tensor.cols, i % tensor.cols);
        double& entry = joined[static_cast<std::size_t>(target.offset + place.row * target.cols + place.col)];
        if (!readout)
          entry = raw;
        else if (tensor.sign == Sign::non_negative)
          entry = inverse_softplus(softplus(raw) / static_cast<double>(count));
        else
          entry += raw / static_cast<double>(count);
      }
    }
  }
  return joined;
}

std::vector<std::vector<double>> split_parameters(const Architecture& a, Index members,
                                                  std::span<const double> joined) {
  const ParameterLayout from(joined_architecture(a, members)), to(a);
  std::vector<std::vector<double>> apart(static_cast<std::size_t>(members),
                                         std::vector<double>(static_cast<std::size_t>(to.size())));
  for (const TensorInfo& tensor : to.tensors()) {
    const TensorInfo& source = from.tensor(tensor.name);
    for (Index m = 0; m < members; ++m) {
      for (Index i = 0; i < tensor.size(); ++i) {
        const Place place = place_of(a, tensor, m, members, i / tensor.cols, i % tensor.cols);
        const double raw =
            joined[static_cast<std::size_t>(source.offset + place.row * source.cols + place.col)];
        double& entry = apart[static_cast<std::size_t>(m)][static_cast<std::size_t>(tensor.offset + i)];
        if (tensor.role != TensorRole::readout_weight)
          entry = raw;  // a readout's bias is the mean of the members' and serves all of them
        else if (tensor.sign == Sign::non_negative)
          entry = inverse_softplus(softplus(raw) * static_cast<double>(members));
        else
          entry = raw * static_cast<double>(members);
      }
    }
  }
  return apart;
}

}  // namespace bl
