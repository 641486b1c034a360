#include "support/planted/planted_block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bl/errors.hpp"

namespace bl::simulation {

namespace {

void require_single_block(const Architecture& a) {
  bool single = a.layers.size() == 1 && a.layers[0].blocks == 1 && !a.readout.present;
  for (const HeadKind kind : kHeadKinds) single = single && a.layers[0].heads(kind) <= 1;
  if (!single) throw UsageError("planted problems are single blocks with at most one head of each kind");
}

// "layers/0/U/weight" and the like.
std::string tensor_name(HeadKind kind, const char* what) {
  return fmt::format("layers/0/{}/{}", letter(kind), what);
}

}  // namespace

std::vector<double> raw_parameters(const Architecture& a, const Block& block) {
  require_single_block(a);
  const ParameterLayout layout(a);
  std::vector<double> raw(static_cast<std::size_t>(layout.size()), 0.0);
  for (const HeadKind kind : kHeadKinds) {
    if (a.layers[0].heads(kind) == 0) continue;
    const Head& head = block[static_cast<std::size_t>(kind)].value();
    const TensorInfo& weight = layout.tensor(tensor_name(kind, "weight"));
    if (static_cast<Index>(head.coefficients.size()) != weight.cols)
      throw UsageError(fmt::format("head {} has {} coefficients, its basis {} terms", letter(kind),
                                   head.coefficients.size(), weight.cols));
    std::copy(head.coefficients.begin(), head.coefficients.end(), raw.begin() + weight.offset);
    if (layout.contains(tensor_name(kind, "bias")))
      raw[static_cast<std::size_t>(layout.tensor(tensor_name(kind, "bias")).offset)] = head.bias;
    else if (head.bias != 0)
      throw UsageError(fmt::format("head {} has no place for the bias {}", letter(kind), head.bias));
    const TensorInfo& lambda = layout.tensor(tensor_name(kind, "lambda"));
    raw[static_cast<std::size_t>(lambda.offset)] =
        lambda.sign == Sign::non_negative ? inverse_softplus(head.lambda) : head.lambda;
  }
  return raw;
}

Block block_of(const Architecture& a, std::span<const double> parameters) {
  require_single_block(a);
  const ParameterLayout layout(a);
  Block block;
  for (const HeadKind kind : kHeadKinds) {
    if (a.layers[0].heads(kind) == 0) continue;
    Head& head = block[static_cast<std::size_t>(kind)].emplace();
    const TensorInfo& weight = layout.tensor(tensor_name(kind, "weight"));
    const auto first = parameters.begin() + weight.offset;
    head.coefficients.assign(first, first + weight.cols);
    if (layout.contains(tensor_name(kind, "bias")))
      head.bias = parameters[static_cast<std::size_t>(layout.tensor(tensor_name(kind, "bias")).offset)];
    const TensorInfo& lambda = layout.tensor(tensor_name(kind, "lambda"));
    const double stored = parameters[static_cast<std::size_t>(lambda.offset)];
    head.lambda = lambda.sign == Sign::non_negative ? softplus(stored) : stored;
  }
  return block;
}

}  // namespace bl::simulation
