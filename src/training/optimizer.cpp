#include "training/optimizer.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::array<std::pair<OptimizerKind, std::string_view>, 4> kNames = {{
    {OptimizerKind::adam, "adam"},
    {OptimizerKind::adamw, "adamw"},
    {OptimizerKind::sgd, "sgd"},
    {OptimizerKind::lbfgs, "lbfgs"},
}};

}  // namespace

std::string_view name(OptimizerKind kind) {
  for (const auto& [value, text] : kNames)
    if (value == kind) return text;
  return "";
}

OptimizerKind optimizer_from_name(std::string_view name) {
  for (const auto& [value, text] : kNames)
    if (text == name) return value;
  throw UsageError("unknown optimizer '" + std::string(name) + "'; known: adam, adamw, sgd, lbfgs");
}

template <class T>
UpdateRule<T>::UpdateRule(const OptimizerSpec& spec, const ParameterLayout& layout)
    : spec_(spec), decay_(static_cast<std::size_t>(layout.size()), T(0)) {
  for (const TensorInfo& tensor : layout.tensors()) {
    if (!tensor.decays()) continue;
    for (Index i = 0; i < tensor.size(); ++i)
      decay_[static_cast<std::size_t>(tensor.offset + i)] = static_cast<T>(spec.weight_decay);
  }
}

template <class T>
void UpdateRule<T>::step(std::span<T> parameters, std::span<const T> gradient, double rate,
                         OptimizerState<T>& state) const {
  state.first.resize(parameters.size(), T(0));
  ++state.steps;
  if (spec_.kind == OptimizerKind::sgd) return sgd(parameters, gradient, rate, state);
  state.second.resize(parameters.size(), T(0));
  adam(parameters, gradient, rate, state);
}

template <class T>
void UpdateRule<T>::adam(std::span<T> parameters, std::span<const T> gradient, double rate,
                         OptimizerState<T>& state) const {
  const auto steps = static_cast<double>(state.steps);
  const bool decoupled = spec_.kind == OptimizerKind::adamw;
  const T b1 = static_cast<T>(spec_.beta1), b2 = static_cast<T>(spec_.beta2);
  const T epsilon = static_cast<T>(spec_.epsilon);
  const T step_size = static_cast<T>(rate / (1 - std::pow(spec_.beta1, steps)));
  const T correction = static_cast<T>(1 / std::sqrt(1 - std::pow(spec_.beta2, steps)));
  const T shrink = decoupled ? static_cast<T>(rate) : T(0);
  const T added = decoupled ? T(0) : T(1);
  T* __restrict p = parameters.data();
  const T* __restrict g = gradient.data();
  const T* __restrict decay = decay_.data();
  T* __restrict m = state.first.data();
  T* __restrict v = state.second.data();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const T slope = g[i] + added * decay[i] * p[i];
    m[i] = b1 * m[i] + (T(1) - b1) * slope;
    v[i] = b2 * v[i] + (T(1) - b2) * slope * slope;
    p[i] -= shrink * decay[i] * p[i] + step_size * m[i] / (std::sqrt(v[i]) * correction + epsilon);
  }
}

template <class T>
void UpdateRule<T>::sgd(std::span<T> parameters, std::span<const T> gradient, double rate,
                        OptimizerState<T>& state) const {
  const T momentum = static_cast<T>(spec_.momentum), r = static_cast<T>(rate);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.first[i] = momentum * state.first[i] + gradient[i] + decay_[i] * parameters[i];
    parameters[i] -= r * state.first[i];
  }
}

template <class T>
double clip_norm(std::span<T> gradient, double limit) {
  double square = 0;
  for (const T g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
  const double norm = std::sqrt(square);
  if (limit > 0 && norm > limit) {
    const T factor = static_cast<T>(limit / norm);
    for (T& g : gradient) g *= factor;
  }
  return norm;
}

template class UpdateRule<float>;
template class UpdateRule<double>;
template double clip_norm<float>(std::span<float>, double);
template double clip_norm<double>(std::span<double>, double);

}  // namespace bl
