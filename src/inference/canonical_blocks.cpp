// Canonical form, block by block, and the whole of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "inference/canonicaliser.hpp"

namespace bl::inference {

namespace {

constexpr double kEqual = 1e-12;  // coefficients that differ by less, relative to the largest, are the same
constexpr double kTie = 1e-9;     // keys of an order that differ by less: the next one decides

// True where a comes before b: the first key that differs by more than rounding is larger.
bool comes_first(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > kTie * std::max(std::abs(a[i]), std::abs(b[i]))) return a[i] > b[i];
  return false;
}

// b = factor * a; 0 where it is not.
double proportion(const std::vector<double>& a, const std::vector<double>& b) {
  double dot = 0, squares = 0, largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += a[i] * b[i];
    squares += a[i] * a[i];
    largest = std::max(largest, std::abs(b[i]));
  }
  if (!(squares > 0) || !(largest > 0)) return 0;
  const double factor = dot / squares;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = std::max(difference, std::abs(b[i] - factor * a[i]));
  return difference <= kEqual * largest ? factor : 0;
}

}  // namespace

Canonicaliser::Canonicaliser(const Architecture& architecture, std::span<const double> raw,
                             const CanonicalOptions& options)
    : map_(architecture), options_(options), values_(map_.effective(raw)) {
  const Index classes = architecture.form == Form::vector ? architecture.outputs : architecture.input.classes;
  if (options_.reference < 0 || options_.reference >= std::max<Index>(classes, 1))
    throw UsageError(fmt::format("there is no class {} to be the reference; the model has {}",
                                 options_.reference + 1, classes));
  for (std::size_t l = 0; l < architecture.layers.size(); ++l)
    rules_.push_back(column_rules(architecture, l));
}

double Canonicaliser::block_weight(std::size_t layer, Index block) const {
  double sum = 0;
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& head : map_.heads_of(layer, block, kind))
      sum += amplitude(head, activation(head), values_);
  return sum;
}

bool Canonicaliser::merge_into(const HeadPlace& first, const HeadPlace& second) {
  const Activation f = activation(first);
  const std::vector<Index> to = coefficients(first), from = coefficients(second);
  if (facts(f).linear()) {
    if (second.degree > first.degree) return false;
    for (std::size_t i = 0; i < to.size(); ++i)
      at(to[i]) += at(second.lambda) / at(first.lambda) * at(from[i]);
    return true;
  }
  std::vector<double> a, b;
  for (std::size_t i = 0; i < to.size(); ++i) {
    a.push_back(at(to[i]));
    b.push_back(at(from[i]));
  }
  const double factor = proportion(a, b);
  if (const int degree = facts(f).degree; degree > 0) {
    if (!(factor > 0) || at(first.lambda) != at(second.lambda)) return false;
    const double grown = degree == 2 ? std::sqrt(1 + factor * factor) : 1 + factor;
    for (const Index i : to) at(i) *= grown;
    return true;
  }
  if (std::abs(factor - 1) > kEqual) return false;
  at(first.lambda) += at(second.lambda);
  return true;
}

void Canonicaliser::merge_heads(std::size_t layer, Index block) {
  for (const HeadKind kind : kHeadKinds) {
    const auto heads = map_.heads_of(layer, block, kind);
    for (const HeadPlace& first : heads)
      for (const HeadPlace& second : heads) {
        const bool empty = largest(coefficients(first)) == 0 || largest(coefficients(second)) == 0;
        if (&first == &second || empty || is_zero(first) || is_zero(second) || !merge_into(first, second))
          continue;
        clear(second);
        notes_.push_back(fmt::format("{} and {} are the same head; {} now stands for both", head_name(first),
                                     head_name(second), head_name(first)));
      }
  }
}

void Canonicaliser::prune_heads(std::size_t layer, Index block) {
  const double most = options_.prune * block_weight(layer, block);
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& head : map_.heads_of(layer, block, kind)) {
      if (is_zero(head) || facts(activation(head)).linear()) continue;
      if (amplitude(head, activation(head), values_) > most) continue;
      clear(head);
      notes_.push_back(fmt::format("{} has no weight and is left out", head_name(head)));
    }
}

void Canonicaliser::scale_heads(std::size_t layer, Index block, double factor) {
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& head : map_.heads_of(layer, block, kind)) {
      const int degree = facts(activation(head)).degree;
      if (degree == 0) {
        at(head.lambda) *= factor;
        continue;
      }
      for (const Index i : coefficients(head)) at(i) *= degree == 2 ? std::sqrt(factor) : factor;
    }
}

void Canonicaliser::scale_block(std::size_t layer, Index block) {
  if (!map_.architecture().readout.present || map_.continues(layer)) return;
  const double weight = block_weight(layer, block);
  if (!(weight > 0) || std::abs(weight - 1) < 1e-15) return;
  for (const Index i : map_.projection_row(layer, block)) at(i) /= weight;
  for (std::size_t l = layer; l == layer || (l < rules_.size() && map_.continues(l)); ++l) {
    scale_heads(l, block, 1 / weight);
    for (const Index i : map_.readers(l, block)) at(i) *= weight;
  }
}

void Canonicaliser::order_heads(std::size_t layer, Index block) {
  const auto key = [&](const HeadPlace& head) {
    std::vector<double> values = {amplitude(head, activation(head), values_)};
    for (const Index i : coefficients(head)) values.push_back(at(i));
    return values;
  };
  for (const HeadKind kind : kHeadKinds) {
    const auto heads = map_.heads_of(layer, block, kind);
    for (std::size_t i = 0; i < heads.size(); ++i)
      for (std::size_t j = i + 1; j < heads.size(); ++j) {
        if (heads[i].degree != heads[j].degree || !comes_first(key(heads[j]), key(heads[i]))) continue;
        const std::vector<Index> a = coefficients(heads[i]), b = coefficients(heads[j]);
        for (std::size_t k = 0; k < a.size(); ++k) std::swap(at(a[k]), at(b[k]));
        std::swap(at(heads[i].lambda), at(heads[j].lambda));
      }
  }
}

// Positions of all parameters of the block's heads, in a fixed order.
std::vector<Index> Canonicaliser::block_positions(std::size_t layer, Index block) const {
  std::vector<Index> positions;
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& head : map_.heads_of(layer, block, kind)) {
      positions.push_back(head.lambda);
      const std::vector<Index> all = coefficients(head);
      positions.insert(positions.end(), all.begin(), all.end());
    }
  return positions;
}

void Canonicaliser::clear_block(std::size_t layer, Index block) {
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& head : map_.heads_of(layer, block, kind)) clear(head);
  for (const Index i : map_.readers(layer, block)) at(i) = 0;
}

std::vector<double> Canonicaliser::values_at(const std::vector<Index>& positions) const {
  std::vector<double> values;
  for (const Index i : positions) values.push_back(at(i));
  return values;
}

void Canonicaliser::merge_blocks(std::size_t layer) {
  const Architecture& a = map_.architecture();
  if (!a.readout.present || a.skip == Skip::residual) return;
  for (Index first = 0; first < a.layers[layer].blocks; ++first)
    for (Index second = first + 1; second < a.layers[layer].blocks; ++second) {
      const double factor =
          proportion(values_at(block_positions(layer, first)), values_at(block_positions(layer, second)));
      if (std::abs(factor - 1) > kEqual) continue;
      const std::vector<Index> to = map_.readers(layer, first), from = map_.readers(layer, second);
      for (std::size_t i = 0; i < to.size(); ++i) at(to[i]) += at(from[i]);
      clear_block(layer, second);
      notes_.push_back(
          fmt::format("blocks L{0}.B{1} and L{0}.B{2} are the same; L{0}.B{1} now stands for both", layer + 1,
                      first + 1, second + 1));
    }
}

double Canonicaliser::reader_norm(std::size_t layer, Index block) const {
  double squares = 0;
  for (std::size_t l = layer; l == layer || (l < rules_.size() && map_.continues(l)); ++l)
    for (const Index i : map_.readers(l, block)) squares += at(i) * at(i);
  return std::sqrt(squares);
}

void Canonicaliser::prune_blocks(std::size_t layer) {
  const Architecture& a = map_.architecture();
  if (!a.readout.present || a.skip == Skip::residual) return;
  double most = 0;
  for (Index b = 0; b < a.layers[layer].blocks; ++b) most = std::max(most, reader_norm(layer, b));
  for (Index b = 0; b < a.layers[layer].blocks; ++b) {
    if (reader_norm(layer, b) > options_.prune * most || block_weight(layer, b) == 0) continue;
    clear_block(layer, b);
    notes_.push_back(fmt::format("block L{}.B{} is read by nothing and is left out", layer + 1, b + 1));
  }
}

void Canonicaliser::shift_readout() {
  const Architecture& a = map_.architecture();
  for (const TensorInfo& tensor : map_.layout().tensors()) {
    if (tensor.role != TensorRole::readout_weight && tensor.role != TensorRole::readout_bias) continue;
    if (a.form == Form::scalar) {
      if (tensor.role == TensorRole::readout_bias) at(tensor.offset) = 0;
      continue;
    }
    for (Index col = 0; col < tensor.cols; ++col) {
      // A weight that may not be negative can only be measured from the smallest.
      double shift = at(tensor.offset + options_.reference * tensor.cols + col);
      for (Index row = 0; tensor.sign == Sign::non_negative && row < tensor.rows; ++row)
        shift = std::min(shift, at(tensor.offset + row * tensor.cols + col));
      for (Index row = 0; row < tensor.rows; ++row) at(tensor.offset + row * tensor.cols + col) -= shift;
    }
  }
}

// Swaps two blocks with all that reads them, in every layer through which a residual network carries them.
void Canonicaliser::order_blocks(std::size_t layer) {
  if (map_.continues(layer) || !map_.architecture().readout.present) return;
  const auto key = [&](Index block) {
    std::vector<double> values = values_at(block_positions(layer, block));
    values.insert(values.begin(), reader_norm(layer, block));
    return values;
  };
  const auto exchange = [&](const std::vector<Index>& a, const std::vector<Index>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) std::swap(at(a[i]), at(b[i]));
  };
  for (Index i = 0; i < map_.architecture().layers[layer].blocks; ++i)
    for (Index j = i + 1; j < map_.architecture().layers[layer].blocks; ++j) {
      if (!comes_first(key(j), key(i))) continue;
      for (std::size_t l = layer; l == layer || (l < rules_.size() && map_.continues(l)); ++l) {
        exchange(block_positions(l, i), block_positions(l, j));
        exchange(map_.projection_row(l, i), map_.projection_row(l, j));
        exchange(map_.readers(l, i), map_.readers(l, j));
      }
    }
}

// Below the last layer, where blocks are odd utility heads alone and no square above them hides a sign.
void Canonicaliser::turn_odd_blocks(std::size_t layer) {
  const Architecture& a = map_.architecture();
  const LayerSpec& spec = a.layers[layer];
  bool odd = turns_sign(a.activation(HeadKind::utility)) && a.skip != Skip::residual &&
             layer + 1 < a.layers.size() && spec.heads(HeadKind::utility) == spec.heads_per_block();
  for (std::size_t l = layer + 1; l < a.layers.size(); ++l) odd &= a.layers[l].heads(HeadKind::equality) == 0;
  for (Index block = 0; odd && block < spec.blocks; ++block) {
    const std::vector<Index> readers = map_.readers(layer, block);
    if (largest(readers) >= 0) continue;
    for (const Index i : readers) at(i) = -at(i);
    for (const HeadPlace& head : map_.heads_of(layer, block, HeadKind::utility))
      for (const Index i : coefficients(head)) at(i) = -at(i);
    order_heads(layer, block);
  }
}

CanonicalForm Canonicaliser::run() {
  const Architecture& a = map_.architecture();
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    for (Index block = 0; block < a.layers[l].blocks; ++block) {
      for (const HeadKind kind : kHeadKinds)
        for (const HeadPlace& head : map_.heads_of(l, block, kind)) {
          fold_columns(head);
          absorb_weight(head);
        }
      turn_inequalities(l, block);
      for (const HeadPlace& head : map_.heads_of(l, block, HeadKind::equality)) turn_equality(head);
      for (const HeadPlace& head : map_.heads_of(l, block, HeadKind::utility)) {
        turn_two_classes(head);
        if (linear_to_output(a, l)) drop_unseen(head);
        if (l + 1 < a.layers.size() && a.skip != Skip::residual) pass_constant_on(head);
      }
      if (options_.merge) merge_heads(l, block);
      prune_heads(l, block);
      scale_block(l, block);
      order_heads(l, block);
    }
    if (options_.merge) merge_blocks(l);
  }
  shift_readout();
  for (std::size_t l = a.layers.size(); l-- > 0;) prune_blocks(l);
  for (std::size_t l = a.layers.size(); l-- > 0;) turn_odd_blocks(l);
  for (std::size_t l = 0; l < a.layers.size(); ++l) order_blocks(l);
  return {.parameters = map_.raw(values_), .notes = std::move(notes_)};
}

CanonicalForm canonical_form(const Architecture& architecture, std::span<const double> raw,
                             const CanonicalOptions& options) {
  return Canonicaliser(architecture, raw, options).run();
}

}  // namespace bl::inference
