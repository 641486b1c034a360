#include "model/monotone.hpp"

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "model/movement.hpp"

namespace bl {

namespace {

// A carrier in all layers but the last; in the last every block may be one.
bool carries(const Architecture& a, std::size_t layer, Index block) {
  return layer + 1 == a.layers.size() || 2 * block < a.layers[layer].blocks;
}

Movement term_movement(const Architecture& a, std::span<const int> directions, const Term& term) {
  const auto direction = [&](std::int32_t input) {
    return input < a.input.context ? 0 : directions[static_cast<std::size_t>(input - a.input.context)];
  };
  const Term cofactor = parts_of(term, a.input).cofactor;
  const Term directed = factors_where(cofactor, direction);
  if (directed.empty()) return Movement::none;
  if (cofactor.size() > 1) return Movement::unknown;
  return direction(directed[0]) > 0 ? Movement::up : Movement::down;
}

// Of every column that the heads of a layer read.
std::vector<Movement> column_movements(const Architecture& a,
                                       const std::function<Movement(const Term&)>& movement, bool moves,
                                       std::size_t layer) {
  std::vector<Movement> columns;
  const bool reads_input = layer == 0 || a.skip == Skip::input || a.skip == Skip::dense;
  if (reads_input)
    for (const Term& term :
         basis_terms(layer == 0 ? a.basis : BasisSpec{}, a.input, layer == 0 ? a.degree() : 1))
      columns.push_back(movement(term));
  for (std::size_t l = a.skip == Skip::dense ? 0 : layer - 1; layer > 0 && l < layer; ++l)
    for (Index b = 0; b < a.layers[l].blocks; ++b)
      columns.push_back(moves && carries(a, l, b) ? Movement::up : Movement::none);
  return columns;
}

// The sign that makes the weighted column move up (side 1) or down (side -1); side 0: it may not move.
Bound bound_of(Movement movement, int side) {
  if (movement == Movement::none) return Bound::none;
  if (movement == Movement::held || movement == Movement::unknown || side == 0) return Bound::zero;
  return (movement == Movement::up) == (side > 0) ? Bound::non_negative : Bound::non_positive;
}

int side_of(const Architecture& a, const TensorInfo& tensor, Index row) {
  if (tensor.role == TensorRole::projection) return carries(a, tensor.layer, row) ? 1 : 0;
  const Index block = row / a.layers[tensor.layer].heads(tensor.kind);
  if (!carries(a, tensor.layer, block)) return 0;
  return tensor.kind == HeadKind::utility ? 1 : tensor.kind == HeadKind::inequality ? -1 : 0;
}

void check(const Architecture& a) {
  if (a.form != Form::scalar)
    throw UsageError("signs of attributes and directions of columns need `form` scalar");
  if (a.lambda == Sign::free)
    throw UsageError(
        "signs of attributes and directions of columns cannot be kept with `lambda` = 'free'; use "
        "non_negative");
  if (a.readout.present && a.readout.sign == Sign::free)
    throw UsageError(
        "signs of attributes and directions of columns cannot be kept with `readout` = 'free'; use "
        "non_negative");
}

}  // namespace

std::vector<Bound> monotone_bounds(const Architecture& a, std::span<const int> directions) {
  return monotone_bounds(a, [&](const Term& term) { return term_movement(a, directions, term); });
}

std::vector<Bound> monotone_bounds(const Architecture& a,
                                   const std::function<Movement(const Term&)>& movement) {
  const ParameterLayout layout(a);
  std::vector<Bound> bounds(static_cast<std::size_t>(layout.size()), Bound::none);
  const std::vector<Term> first = basis_terms(a.basis, a.input, a.degree());
  const auto is_moving = [&](const Term& term) {
    const Movement one = movement(term);
    return one != Movement::none && one != Movement::held;
  };
  const bool moves = std::any_of(first.begin(), first.end(), is_moving);
  if (moves) check(a);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::weight && tensor.role != TensorRole::projection) continue;
    const std::vector<Movement> columns = column_movements(a, movement, moves, tensor.layer);
    for (Index row = 0; row < tensor.rows; ++row)
      for (Index col = 0; col < tensor.cols; ++col)
        bounds[static_cast<std::size_t>(tensor.offset + row * tensor.cols + col)] =
            bound_of(columns[static_cast<std::size_t>(col)], side_of(a, tensor, row));
  }
  return bounds;
}

std::vector<Bound> joint_bounds(std::vector<Bound> a, std::span<const Bound> b) {
  if (a.empty()) a.assign(b.begin(), b.end());
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b[i] != Bound::none) a[i] = a[i] == Bound::none || a[i] == b[i] ? b[i] : Bound::zero;
  return a;
}

template <class T>
void project(std::span<const Bound> bounds, std::span<T> parameters) {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] == Bound::none) continue;
    const T p = parameters[i];
    const bool inside = bounds[i] == Bound::non_negative   ? p > T(0)
                        : bounds[i] == Bound::non_positive ? p < T(0)
                                                           : false;
    if (!inside) parameters[i] = T(0);
  }
}

template <class T>
void mirror(std::span<const Bound> bounds, std::span<T> parameters) {
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (bounds[i] == Bound::non_negative)
      parameters[i] = std::abs(parameters[i]);
    else if (bounds[i] == Bound::non_positive)
      parameters[i] = -std::abs(parameters[i]);
  project(bounds, parameters);
}

template void project<float>(std::span<const Bound>, std::span<float>);
template void project<double>(std::span<const Bound>, std::span<double>);
template void mirror<float>(std::span<const Bound>, std::span<float>);
template void mirror<double>(std::span<const Bound>, std::span<double>);

}  // namespace bl
