#include "model/join.hpp"

#include <cassert>
#include <numeric>

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

// A raw readout entry whose effective value is `factor` times as large.
double scaled(const TensorInfo& tensor, double raw, double factor) {
  return tensor.sign == Sign::non_negative ? inverse_softplus(softplus(raw) * factor) : raw * factor;
}

// Whether no weight leads from one of `members` networks to another.
bool apart(const Architecture& joined, Index members, std::span<const double> parameters) {
  const Architecture one = member_architecture(joined, members);
  const ParameterLayout from(one), to(joined);
  std::vector<bool> within(parameters.size(), false);
  for (const TensorInfo& tensor : from.tensors()) {
    const TensorInfo& target = to.tensor(tensor.name);
    for (Index m = 0; m < members; ++m)
      for (Index i = 0; i < tensor.size(); ++i) {
        const Place place = place_of(one, tensor, m, members, i / tensor.cols, i % tensor.cols);
        within[static_cast<std::size_t>(target.offset + place.row * target.cols + place.col)] = true;
      }
  }
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!within[i] && parameters[i] != 0) return false;
  return true;
}

}  // namespace

Architecture member_architecture(const Architecture& joined, Index members) {
  Architecture one = joined;
  for (LayerSpec& layer : one.layers) layer.blocks /= members;
  return one;
}

Index joined_members(const Architecture& joined, std::span<const double> parameters) {
  if (joined.layers.size() < 2 || !joined.readout.present) return 1;
  Index most = 0;
  for (const LayerSpec& layer : joined.layers) most = std::gcd(most, layer.blocks);
  for (Index members = most; members > 1; --members)
    if (most % members == 0 && apart(joined, members, parameters)) return members;
  return 1;
}

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
        else  // the one bias is the mean of all members'; the weights are each member's own
          entry += scaled(tensor, raw, 1 / static_cast<double>(count));
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
        // A readout's bias is the mean of the members' and serves all of them.
        entry = tensor.role == TensorRole::readout_weight ? scaled(tensor, raw, static_cast<double>(members))
                                                          : raw;
      }
    }
  }
  return apart;
}

void scale_utility(const Architecture& architecture, double factor, std::vector<double>& parameters) {
  assert(architecture.readout.present && factor > 0);
  const ParameterLayout layout(architecture);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::readout_weight && tensor.role != TensorRole::readout_bias) continue;
    for (Index i = 0; i < tensor.size(); ++i) {
      double& raw = parameters[static_cast<std::size_t>(tensor.offset + i)];
      raw = scaled(tensor, raw, factor);
    }
  }
}

}  // namespace bl
