#include "engine/reference/utility.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace bl::reference {

Activated activate(Activation activation, double a) {
  switch (activation) {
    case Activation::tanh:
      return {std::tanh(a), 1 - std::tanh(a) * std::tanh(a),
              -2 * std::tanh(a) * (1 - std::tanh(a) * std::tanh(a))};
    case Activation::identity:
      return {a, 1, 0};
    case Activation::relu:
      return {a > 0 ? a : 0, a > 0 ? 1.0 : 0.0, 0};
    case Activation::softplus: {
      const double sigmoid = 1 / (1 + std::exp(-a));
      return {a > 30 ? a : std::log1p(std::exp(a)), sigmoid, sigmoid * (1 - sigmoid)};
    }
    case Activation::abs:
      return {std::abs(a), a > 0 ? 1.0 : -1.0, 0};
    case Activation::square:
      return {a * a, 2 * a, 2};
    case Activation::huber:
      if (a > -1 && a <= 1) return {0.5 * a * a, a, 1};
      return {std::abs(a) - 0.5, a > 0 ? 1.0 : -1.0, 0};
    case Activation::clip:
      return {a < -1 ? -1 : a > 1 ? 1 : a, a > -1 && a <= 1 ? 1.0 : 0.0, 0};
  }
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return {kUnknown, kUnknown, kUnknown};
}

Utility::Utility(const Architecture& architecture, const ParameterLayout& layout, std::span<const double> raw)
    : a_(architecture),
      layout_(layout),
      raw_(raw.begin(), raw.end()),
      terms_(basis_terms(a_.basis, a_.input, a_.degree())),
      readout_(find("readout/weight")),
      readout_bias_(find("readout/bias")) {
  for (std::size_t l = 0; l < a_.layers.size(); ++l) {
    heads_.emplace_back();
    for (const HeadKind kind : kHeadKinds) {
      if (a_.layers[l].heads(kind) == 0) continue;
      const std::string prefix = "layers/" + std::to_string(l) + "/" + std::string(letter(kind)) + "/";
      heads_[l].push_back({.weight = find(prefix + "weight"),
                           .bias = find(prefix + "bias"),
                           .lambda = find(prefix + "lambda"),
                           .activation = a_.activation(kind),
                           .sign = kind == HeadKind::utility ? 1.0 : -1.0,
                           .per_block = a_.layers[l].heads(kind)});
    }
    projections_.push_back(find("projections/" + std::to_string(l)));
  }
}

const TensorInfo* Utility::find(const std::string& name) const {
  return layout_.contains(name) ? &layout_.tensor(name) : nullptr;
}

// softplus(raw) where the value is kept non-negative.
double Utility::value(const TensorInfo& tensor, Index i) const {
  const double raw = raw_[static_cast<std::size_t>(tensor.offset + i)];
  return tensor.sign == Sign::non_negative ? std::log1p(std::exp(raw)) : raw;
}

void Utility::deposit(const TensorInfo& tensor, Index i, double derivative,
                      std::span<double> gradient) const {
  const auto at = static_cast<std::size_t>(tensor.offset + i);
  if (!layout_.free_mask().empty() && !layout_.free_mask()[at]) return;  // held at zero
  gradient[at] += tensor.sign == Sign::non_negative ? derivative / (1 + std::exp(-raw_[at])) : derivative;
}

Trace Utility::trace(std::span<const double> z, std::span<const double> direction) const {
  const std::vector<double> nowhere(z.size(), 0.0);
  if (direction.empty()) direction = nowhere;
  Trace out;
  for (std::size_t l = 0; l < a_.layers.size(); ++l) {
    LayerTrace layer;
    if (l == 0)
      read_first(z, direction, layer);
    else
      read_later(l, z, direction, out, layer);
    layer.blocks.assign(static_cast<std::size_t>(a_.layers[l].blocks), 0.0);
    layer.blocks_dot = layer.blocks;
    for (const Heads& heads : heads_[l]) add_heads(heads, layer);
    if (a_.skip == Skip::residual && l > 0) add_residual(l, out.layers.back(), layer);
    out.layers.push_back(std::move(layer));
  }
  read_out(out);
  return out;
}

// The terms of the basis: products of entries of z.
void Utility::read_first(std::span<const double> z, std::span<const double> direction,
                         LayerTrace& layer) const {
  for (const Term& term : terms_) {
    double product = 1, dot = 0;
    for (std::size_t k = 0; k < term.size(); ++k) {
      double others = 1;
      for (std::size_t j = 0; j < term.size(); ++j)
        if (j != k) others *= z[static_cast<std::size_t>(term[j])];
      product *= z[static_cast<std::size_t>(term[k])];
      dot += direction[static_cast<std::size_t>(term[k])] * others;
    }
    layer.in.push_back(product);
    layer.in_dot.push_back(dot);
  }
}

// s_{l-1};  [z ; s_{l-1}] with skip input;  [z ; s_0 ; ... ; s_{l-1}] with skip dense.
void Utility::read_later(std::size_t l, std::span<const double> z, std::span<const double> direction,
                         const Trace& before, LayerTrace& layer) const {
  if (a_.skip == Skip::input || a_.skip == Skip::dense) {
    layer.in.assign(z.begin(), z.end());
    layer.in_dot.assign(direction.begin(), direction.end());
  }
  for (std::size_t k = a_.skip == Skip::dense ? 0 : l - 1; k < l; ++k) {
    const LayerTrace& from = before.layers[k];
    layer.in.insert(layer.in.end(), from.blocks.begin(), from.blocks.end());
    layer.in_dot.insert(layer.in_dot.end(), from.blocks_dot.begin(), from.blocks_dot.end());
  }
}

// head = bias + weight . in;  block += sign lambda f(head).
void Utility::add_heads(const Heads& heads, LayerTrace& layer) const {
  const auto columns = static_cast<Index>(layer.in.size());
  for (Index h = 0; h < heads.weight->rows; ++h) {
    double head = heads.bias ? value(*heads.bias, h) : 0, dot = 0;
    for (Index j = 0; j < columns; ++j) {
      head += value(*heads.weight, h * columns + j) * layer.in[static_cast<std::size_t>(j)];
      dot += value(*heads.weight, h * columns + j) * layer.in_dot[static_cast<std::size_t>(j)];
    }
    const Activated f = reference::activate(heads.activation, head);
    const auto block = static_cast<std::size_t>(h / heads.per_block);
    layer.blocks[block] += heads.sign * value(*heads.lambda, h) * f.value;
    layer.blocks_dot[block] += heads.sign * value(*heads.lambda, h) * f.slope * dot;
    layer.heads.push_back(head);
    layer.heads_dot.push_back(dot);
  }
}

// s_l += s_{l-1}, or a projection of it where widths differ.
void Utility::add_residual(std::size_t l, const LayerTrace& before, LayerTrace& layer) const {
  const std::size_t width = before.blocks.size();
  for (std::size_t i = 0; i < layer.blocks.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const double weight =
          projections_[l] ? value(*projections_[l], static_cast<Index>(i * width + j)) : (i == j ? 1 : 0);
      layer.blocks[i] += weight * before.blocks[j];
      layer.blocks_dot[i] += weight * before.blocks_dot[j];
    }
  }
}

// output = bias + weight . s_last; without a readout the output is the one block.
void Utility::read_out(Trace& trace) const {
  const LayerTrace& last = trace.layers.back();
  trace.outputs = last.blocks;
  trace.outputs_dot = last.blocks_dot;
  if (!readout_) return;
  const std::size_t width = last.blocks.size();
  trace.outputs.assign(static_cast<std::size_t>(a_.outputs), 0.0);
  trace.outputs_dot = trace.outputs;
  for (std::size_t o = 0; o < trace.outputs.size(); ++o) {
    if (readout_bias_) trace.outputs[o] = value(*readout_bias_, static_cast<Index>(o));
    for (std::size_t b = 0; b < width; ++b) {
      const double weight = value(*readout_, static_cast<Index>(o * width + b));
      trace.outputs[o] += weight * last.blocks[b];
      trace.outputs_dot[o] += weight * last.blocks_dot[b];
    }
  }
}

void Utility::add_gradient(const Trace& at, std::span<const double> weights,
                           std::span<const double> dot_weights, std::span<double> gradient) const {
  std::vector<Adjoint> adjoints;
  for (const LayerTrace& layer : at.layers)
    adjoints.push_back(
        {std::vector<double>(layer.blocks.size(), 0.0), std::vector<double>(layer.blocks.size(), 0.0)});
  adjoints.back() = readout_gradient(at, weights, dot_weights, gradient);
  for (std::size_t l = at.layers.size(); l-- > 0;) {
    if (a_.skip == Skip::residual && l > 0) residual_gradient(l, at, adjoints, gradient);
    layer_gradient(l, at, adjoints, gradient);
  }
}

Utility::Adjoint Utility::readout_gradient(const Trace& at, std::span<const double> weights,
                                           std::span<const double> dot_weights,
                                           std::span<double> gradient) const {
  if (!readout_) return {{weights.begin(), weights.end()}, {dot_weights.begin(), dot_weights.end()}};
  const LayerTrace& last = at.layers.back();
  const std::size_t width = last.blocks.size();
  Adjoint out{std::vector<double>(width, 0.0), std::vector<double>(width, 0.0)};
  for (std::size_t o = 0; o < at.outputs.size(); ++o) {
    if (readout_bias_) deposit(*readout_bias_, static_cast<Index>(o), weights[o], gradient);
    for (std::size_t b = 0; b < width; ++b) {
      const auto i = static_cast<Index>(o * width + b);
      deposit(*readout_, i, weights[o] * last.blocks[b] + dot_weights[o] * last.blocks_dot[b], gradient);
      out.blocks[b] += weights[o] * value(*readout_, i);
      out.blocks_dot[b] += dot_weights[o] * value(*readout_, i);
    }
  }
  return out;
}

void Utility::residual_gradient(std::size_t l, const Trace& at, std::vector<Adjoint>& adjoints,
                                std::span<double> gradient) const {
  const LayerTrace& before = at.layers[l - 1];
  const std::size_t width = before.blocks.size();
  for (std::size_t i = 0; i < at.layers[l].blocks.size(); ++i) {
    const double d = adjoints[l].blocks[i], d_dot = adjoints[l].blocks_dot[i];
    for (std::size_t j = 0; j < width; ++j) {
      const auto k = static_cast<Index>(i * width + j);
      const double weight = projections_[l] ? value(*projections_[l], k) : (i == j ? 1 : 0);
      if (projections_[l])
        deposit(*projections_[l], k, d * before.blocks[j] + d_dot * before.blocks_dot[j], gradient);
      adjoints[l - 1].blocks[j] += d * weight;
      adjoints[l - 1].blocks_dot[j] += d_dot * weight;
    }
  }
}

// With g and g_dot the derivatives by a block and by its tangent:
//   block = sign lambda f(head),  block_dot = sign lambda f'(head) head_dot,
//   by head:      sign lambda (g f' + g_dot f'' head_dot)
//   by head_dot:  sign lambda g_dot f'
void Utility::layer_gradient(std::size_t l, const Trace& at, std::vector<Adjoint>& adjoints,
                             std::span<double> gradient) const {
  const LayerTrace& layer = at.layers[l];
  const auto columns = static_cast<Index>(layer.in.size());
  std::vector<double> by_in(layer.in.size(), 0.0), by_in_dot(layer.in.size(), 0.0);
  std::size_t place = 0;
  for (const Heads& heads : heads_[l]) {
    for (Index h = 0; h < heads.weight->rows; ++h, ++place) {
      const double head_dot = layer.heads_dot[place], lambda = value(*heads.lambda, h);
      const Activated f = reference::activate(heads.activation, layer.heads[place]);
      const auto block = static_cast<std::size_t>(h / heads.per_block);
      const double g = heads.sign * adjoints[l].blocks[block],
                   g_dot = heads.sign * adjoints[l].blocks_dot[block];
      deposit(*heads.lambda, h, g * f.value + g_dot * f.slope * head_dot, gradient);
      const double by_head = lambda * (g * f.slope + g_dot * f.curvature * head_dot);
      const double by_head_dot = lambda * g_dot * f.slope;
      if (heads.bias) deposit(*heads.bias, h, by_head, gradient);
      for (Index j = 0; j < columns; ++j) {
        const auto i = static_cast<std::size_t>(j);
        const double weight = value(*heads.weight, h * columns + j);
        deposit(*heads.weight, h * columns + j, by_head * layer.in[i] + by_head_dot * layer.in_dot[i],
                gradient);
        by_in[i] += by_head * weight;
        by_in_dot[i] += by_head_dot * weight;
      }
    }
  }
  if (l == 0) return;
  std::size_t i =
      a_.skip == Skip::input || a_.skip == Skip::dense ? static_cast<std::size_t>(a_.input.size()) : 0;
  for (std::size_t k = a_.skip == Skip::dense ? 0 : l - 1; k < l; ++k) {
    for (std::size_t b = 0; b < adjoints[k].blocks.size(); ++b, ++i) {
      adjoints[k].blocks[b] += by_in[i];
      adjoints[k].blocks_dot[b] += by_in_dot[i];
    }
  }
}

}  // namespace bl::reference
