#include "random_utility/utility.hpp"

#include <algorithm>
#include <cmath>

#include "compute/activation_kinds.hpp"

namespace bl::random_utility {

Utility::Utility(Index parameters, std::vector<UtilityHead> heads, Index sources)
    : own_(parameters), sources_(sources), heads_(std::move(heads)) {}

Utility Utility::linear(Index columns, Index sources) {
  UtilityHead head;
  for (Index k = 0; k < columns; ++k) head.weights.push_back({.parameter = k, .column = k});
  Utility out(columns, {head}, sources);
  out.linear_ = true;
  return out;
}

bool Utility::is_lambda(Index parameter) const {
  return std::any_of(heads_.begin(), heads_.end(),
                     [&](const UtilityHead& head) { return head.lambda == parameter; });
}

Index Utility::scale_parameter(const ChoiceSets& sets, Index situation) const {
  const std::int32_t source = sources_ == 1 ? 0 : sets.source[static_cast<std::size_t>(situation)];
  return source == 0 ? -1 : own_ + source - 1;
}

double Utility::scale(const ChoiceSets& sets, Index situation, const double* parameters) const {
  const Index t = scale_parameter(sets, situation);
  return t < 0 ? 1 : std::exp(parameters[t]);
}

// V / scale; fills the row with its derivatives by the own parameters.
double Utility::unscaled(const double* z, const double* parameters, double* row) const {
  std::fill_n(row, own_, 0.0);
  double sum = 0;
  for (const UtilityHead& head : heads_) {
    double a = 0;
    for (const UtilityHead::Weight& one : head.weights) a += parameters[one.parameter] * z[one.column];
    const double lambda = head.lambda < 0 ? 1 : parameters[head.lambda];
    const auto [value, slope] = value_and_slope(head.activation, a);
    sum += head.sign * lambda * value;
    if (head.lambda >= 0) row[head.lambda] += head.sign * value;
    for (const UtilityHead::Weight& one : head.weights)
      row[one.parameter] += head.sign * lambda * slope * z[one.column];
  }
  return sum;
}

void Utility::evaluate(const ChoiceSets& sets, Index situation, const double* parameters,
                       UtilityAt& out) const {
  const auto begin = static_cast<Index>(sets.begin[static_cast<std::size_t>(situation)]);
  const Index n = sets.size(situation), count = this->parameters();
  out.value.assign(static_cast<std::size_t>(n), 0);
  if (is_linear()) {
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < count; ++k)
        out.value[static_cast<std::size_t>(j)] += sets.design(begin + j, k) * parameters[k];
    out.rows = sets.design.row(begin);
    return;
  }
  out.buffer.assign(static_cast<std::size_t>(n * count), 0.0);
  out.rows = out.buffer.data();
  const double size = scale(sets, situation, parameters);
  const Index by_scale = scale_parameter(sets, situation);
  for (Index j = 0; j < n; ++j) {
    double* row = out.buffer.data() + j * count;
    const double value = size * unscaled(sets.design.row(begin + j), parameters, row);
    out.value[static_cast<std::size_t>(j)] = value;
    for (Index k = 0; k < own_; ++k) row[k] *= size;
    if (by_scale >= 0) row[by_scale] = value;
  }
}

double Utility::slope(const ChoiceSets& sets, Index entry, const double* parameters,
                      const double* by_column) const {
  const double* z = sets.design.row(entry);
  double sum = 0;
  for (const UtilityHead& head : heads_) {
    double a = 0, by_attribute = 0;
    for (const UtilityHead::Weight& one : head.weights) {
      a += parameters[one.parameter] * z[one.column];
      by_attribute += parameters[one.parameter] * by_column[one.column];
    }
    if (by_attribute == 0) continue;
    const double lambda = head.lambda < 0 ? 1 : parameters[head.lambda];
    sum += head.sign * lambda * value_and_slope(head.activation, a).slope * by_attribute;
  }
  return sum;
}

}  // namespace bl::random_utility
