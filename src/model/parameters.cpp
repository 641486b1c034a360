#include "model/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/random.hpp"

namespace bl {

ParameterLayout::ParameterLayout(const Architecture& a) {
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    const LayerSpec& layer = a.layers[l];
    const Index inputs = layer_input_size(a, l);
    const auto add_per_kind = [&](TensorRole role, const char* suffix, Index cols, Sign sign) {
      for (const HeadKind kind : kHeadKinds) {
        if (layer.heads(kind) == 0) continue;
        add({.name = fmt::format("layers/{}/{}/{}", l, letter(kind), suffix),
             .role = role,
             .layer = l,
             .kind = kind,
             .rows = layer.blocks * layer.heads(kind),
             .cols = cols,
             .sign = sign});
      }
    };
    add_per_kind(TensorRole::weight, "weight", inputs, Sign::free);
    if (l > 0 || !a.basis.response_only) add_per_kind(TensorRole::bias, "bias", 1, Sign::free);
    add_per_kind(TensorRole::lambda, "lambda", 1, a.lambda);
    if (a.skip == Skip::residual && l > 0 && a.layers[l - 1].blocks != layer.blocks)
      add({.name = fmt::format("projections/{}", l),
           .role = TensorRole::projection,
           .layer = l,
           .rows = layer.blocks,
           .cols = a.layers[l - 1].blocks});
  }
  const std::size_t last = a.layers.size() - 1;
  if (a.readout.present) {
    add({.name = "readout/weight",
         .role = TensorRole::readout_weight,
         .layer = last,
         .rows = a.outputs,
         .cols = a.layers[last].blocks,
         .sign = a.readout.sign});
    if (a.readout.bias)
      add({.name = "readout/bias", .role = TensorRole::readout_bias, .layer = last, .rows = a.outputs});
  }
  free_count_ = size_;
  mask_columns_beyond_degree(a);
}

void ParameterLayout::add(TensorInfo tensor) {
  tensor.offset = size_;
  size_ += tensor.size();
  tensors_.push_back(std::move(tensor));
}

// Graded order makes the terms of a lower degree a prefix of those of a higher one.
void ParameterLayout::mask_columns_beyond_degree(const Architecture& a) {
  if (a.basis.kind != BasisKind::monomials) return;
  const int top = a.degree();
  for (const TensorInfo& tensor : tensors_) {
    if (tensor.layer != 0 || tensor.role != TensorRole::weight) continue;
    const auto& degrees = a.layers[0].degrees[static_cast<std::size_t>(tensor.kind)];
    for (Index row = 0; row < tensor.rows; ++row) {
      const int degree = degrees[static_cast<std::size_t>(row) % degrees.size()];
      if (degree == top) continue;
      if (mask_.empty()) mask_.assign(static_cast<std::size_t>(size_), 1);
      const Index used = basis_size(a.basis, a.input, degree);
      const auto begin = mask_.begin() + tensor.offset + row * tensor.cols;
      std::fill(begin + used, begin + tensor.cols, std::uint8_t{0});
      free_count_ -= tensor.cols - used;
    }
  }
}

const TensorInfo& ParameterLayout::tensor(const std::string& name) const {
  for (const TensorInfo& tensor : tensors_)
    if (tensor.name == name) return tensor;
  throw std::out_of_range("no parameter tensor named " + name);
}

bool ParameterLayout::contains(const std::string& name) const {
  return std::any_of(tensors_.begin(), tensors_.end(), [&](const TensorInfo& t) { return t.name == name; });
}

double softplus(double raw) {
  return std::max(raw, 0.0) + std::log1p(std::exp(-std::abs(raw)));
}

double inverse_softplus(double effective) {
  return effective + std::log(-std::expm1(-effective));
}

namespace {

// The effective starting value of one entry; u is uniform in (-1, 1), z standard normal.
double starting_value(const TensorInfo& tensor, bool monomials, Index fan_in, double u, double z) {
  constexpr double kMonomialDeviation = 0.01;
  const double bound = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(fan_in, 1)));
  switch (tensor.role) {
    case TensorRole::lambda:
      return monomials ? std::abs(kMonomialDeviation * z) : 1.0;
    case TensorRole::weight:
    case TensorRole::bias:
      return monomials ? kMonomialDeviation * z : bound * u;
    case TensorRole::readout_weight:
      // A non-negative weight starts in the upper half of its range: near zero, softplus hardly moves.
      return tensor.sign == Sign::non_negative ? bound * (0.5 + 0.5 * std::abs(u)) : bound * u;
    case TensorRole::readout_bias:
    case TensorRole::projection:
      break;
  }
  return bound * u;
}

}  // namespace

template <class T>
void starting_values(const Architecture& a, const ParameterLayout& layout, std::uint64_t seed,
                     std::span<T> parameters) {
  const RandomStream stream(seed, Purpose::initial_values);
  const auto& mask = layout.free_mask();
  for (std::size_t t = 0; t < layout.tensors().size(); ++t) {
    const TensorInfo& tensor = layout.tensors()[t];
    const bool head = tensor.role == TensorRole::weight || tensor.role == TensorRole::bias ||
                      tensor.role == TensorRole::lambda;
    const bool monomials = head && tensor.layer == 0 && a.basis.kind == BasisKind::monomials;
    const Index fan_in =
        head ? layer_input_size(a, tensor.layer)
             : (tensor.role == TensorRole::readout_bias ? a.layers.back().blocks : tensor.cols);
    for (Index i = 0; i < tensor.size(); ++i) {
      const auto at = static_cast<std::size_t>(tensor.offset + i);
      const auto index = static_cast<std::uint64_t>(i);
      const double effective = starting_value(tensor, monomials, fan_in, 2.0 * stream.uniform(t, index) - 1.0,
                                              stream.normal(t, index));
      const double stored = tensor.sign == Sign::non_negative ? inverse_softplus(effective) : effective;
      parameters[at] = mask.empty() || mask[at] ? static_cast<T>(stored) : T(0);
    }
  }
}

template void starting_values<float>(const Architecture&, const ParameterLayout&, std::uint64_t,
                                     std::span<float>);
template void starting_values<double>(const Architecture&, const ParameterLayout&, std::uint64_t,
                                      std::span<double>);

}  // namespace bl
