// Canonical form, head by head.
#include <algorithm>
#include <cmath>

#include "inference/canonicaliser.hpp"

namespace bl::inference {

namespace {

constexpr double kSizeTie = 1e-9;  // sizes that differ by less are equal: the first of them decides

}  // namespace

bool turns_sign(Activation activation) {
  return facts(activation).parity == Parity::odd && facts(activation).degree == 0;
}

double amplitude(const HeadPlace& head, Activation activation, std::span<const double> effective) {
  const double lambda = std::abs(effective[static_cast<std::size_t>(head.lambda)]);
  const int degree = facts(activation).degree;
  if (degree == 0) return lambda;
  double squares = head.bias < 0 ? 0 : std::pow(effective[static_cast<std::size_t>(head.bias)], 2);
  for (Index c = 0; c < head.columns; ++c)
    squares += std::pow(effective[static_cast<std::size_t>(head.weights + c)], 2);
  return lambda * (degree == 2 ? squares : std::sqrt(squares));
}

bool linear_to_output(const Architecture& a, std::size_t layer) {
  return a.form == Form::scalar && layer + 1 == a.layers.size() &&
         facts(a.activation(HeadKind::utility)).linear();
}

std::vector<Index> Canonicaliser::coefficients(const HeadPlace& head) const {
  std::vector<Index> positions;
  for (Index c = 0; c < head.columns; ++c) positions.push_back(head.weights + c);
  if (head.bias >= 0) positions.push_back(head.bias);
  return positions;
}

double Canonicaliser::largest(const std::vector<Index>& positions) const {
  double size = 0;
  for (const Index i : positions) size = std::max(size, std::abs(at(i)));
  for (const Index i : positions)
    if (std::abs(at(i)) >= size * (1 - kSizeTie)) return at(i);
  return 0;
}

// A linear head without coefficients is no limit: its coefficients have both signs.
bool Canonicaliser::is_zero(const HeadPlace& head) const {
  if (facts(activation(head)).linear()) return false;
  return at(head.lambda) == 0 || (activate(activation(head), 0) == 0 && largest(coefficients(head)) == 0);
}

void Canonicaliser::clear(const HeadPlace& head) {
  for (const Index i : coefficients(head)) at(i) = 0;
  if (!facts(activation(head)).linear()) at(head.lambda) = 0;
}

void Canonicaliser::fold_columns(const HeadPlace& head) {
  const ColumnRules& rules = rules_[head.layer];
  for (Index c = 0; c < head.columns; ++c) {
    double& weight = at(head.weights + c);
    const Index same = rules.same_as[static_cast<std::size_t>(c)];
    if (rules.vanishes[static_cast<std::size_t>(c)]) weight = 0;
    if (same == c) continue;
    at(head.weights + same) += weight;
    weight = 0;
  }
  for (const ColumnRules::Reference& one : rules.references) {
    if (one.base == ColumnRules::kNone) continue;
    const double shift = at(head.weights + one.by_class[static_cast<std::size_t>(options_.reference)]);
    for (const Index c : one.by_class) at(head.weights + c) -= shift;
    at(one.base == ColumnRules::kBias ? head.bias : head.weights + one.base) += shift;
  }
}

void Canonicaliser::absorb_weight(const HeadPlace& head) {
  const Activation f = activation(head);
  double& lambda = at(head.lambda);
  if (turns_sign(f) && lambda < 0) {
    for (const Index i : coefficients(head)) at(i) = -at(i);
    lambda = -lambda;
  }
  if (const int degree = facts(f).degree; degree > 0) {
    const double factor = degree == 2 ? std::sqrt(std::abs(lambda)) : std::abs(lambda);
    for (const Index i : coefficients(head)) at(i) *= factor;
    lambda = lambda < 0 ? -1 : 1;
  }
  if (is_zero(head)) clear(head);
}

std::vector<Canonicaliser::Group> Canonicaliser::sign_groups(const HeadPlace& head) const {
  const ColumnRules& rules = rules_[head.layer];
  if (!rules.separate_classes) return {{coefficients(head)}};
  std::vector<Group> groups(static_cast<std::size_t>(map_.architecture().input.classes));
  for (Index c = 0; c < head.columns; ++c)
    if (rules.class_of[static_cast<std::size_t>(c)] >= 0)
      groups[static_cast<std::size_t>(rules.class_of[static_cast<std::size_t>(c)])].positions.push_back(
          head.weights + c);
  return groups;
}

void Canonicaliser::turn_equality(const HeadPlace& head) {
  for (const Group& group : sign_groups(head))
    if (largest(group.positions) < 0)
      for (const Index i : group.positions) at(i) = -at(i);
}

// Into the first linear head that has all the columns of the inequality.
void Canonicaliser::turn_inequalities(std::size_t layer, Index block) {
  const Architecture& a = map_.architecture();
  if (!facts(a.activation(HeadKind::utility)).linear() || !facts(a.activation(HeadKind::inequality)).reflects)
    return;
  for (const HeadPlace& head : map_.heads_of(layer, block, HeadKind::inequality)) {
    const auto utilities = map_.heads_of(layer, block, HeadKind::utility);
    const auto taker = std::find_if(utilities.begin(), utilities.end(),
                                    [&](const HeadPlace& u) { return u.degree >= head.degree; });
    if (taker == utilities.end() || is_zero(head)) continue;
    const double factor = at(head.lambda) / at(taker->lambda);
    for (const Group& group : sign_groups(head)) {
      if (largest(group.positions) >= 0) continue;
      for (const Index i : group.positions) {
        at(i == head.bias ? taker->bias : taker->weights + (i - head.weights)) -= factor * at(i);
        at(i) = -at(i);
      }
    }
  }
}

void Canonicaliser::turn_two_classes(const HeadPlace& head) {
  const Architecture& a = map_.architecture();
  const ColumnRules& rules = rules_[head.layer];
  if (!turns_sign(activation(head)) || a.layers.size() != 1 || a.form != Form::scalar ||
      a.input.classes != 2 || !rules.separate_classes || largest(coefficients(head)) >= 0)
    return;
  std::vector<bool> paired(static_cast<std::size_t>(head.columns), false);
  for (const ColumnRules::Reference& one : rules.references)
    for (const Index c : one.by_class) paired[static_cast<std::size_t>(c)] = true;
  for (Index c = 0; c < head.columns; ++c)
    if (!paired[static_cast<std::size_t>(c)] && at(head.weights + c) != 0) return;
  for (const ColumnRules::Reference& one : rules.references) {
    double& first = at(head.weights + one.by_class[0]);
    double& second = at(head.weights + one.by_class[1]);
    first = -first;
    second = -second;
    std::swap(first, second);
  }
}

void Canonicaliser::drop_unseen(const HeadPlace& head) {
  const ColumnRules& rules = rules_[head.layer];
  for (Index c = 0; c < head.columns; ++c)
    if (rules.context_only[static_cast<std::size_t>(c)]) at(head.weights + c) = 0;
  if (head.bias >= 0) at(head.bias) = 0;
  for (const ColumnRules::Reference& one : rules.references) {
    if (one.base != ColumnRules::kNone || !one.context_only) continue;
    const double shift = at(head.weights + one.by_class[static_cast<std::size_t>(options_.reference)]);
    for (const Index c : one.by_class) at(head.weights + c) -= shift;
  }
}

void Canonicaliser::pass_constant_on(const HeadPlace& head) {
  if (head.bias < 0 || !facts(activation(head)).linear()) return;
  const double shift = at(head.lambda) * at(head.bias);
  at(head.bias) = 0;
  for (const HeadPlace& reader : map_.heads()) {
    const Index column = map_.column_of(reader.layer, head.layer, head.block);
    if (column >= 0) at(reader.bias) += shift * at(reader.weights + column);
  }
}

}  // namespace bl::inference
