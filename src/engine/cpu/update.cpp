#include "engine/cpu/update.hpp"

#include <cmath>

#include "base/slices.hpp"
#include "compute/gradient_norm.hpp"
#include "compute/update_kernels.hpp"

namespace bl {

template <class T>
UpdateRule<T>::UpdateRule(const OptimizerSpec& spec, const ParameterLayout& layout) : spec_(spec) {
  if (!spec.decay.empty()) {
    decay_.assign(spec.decay.begin(), spec.decay.end());
    return;
  }
  if (spec.weight_decay == 0) return;
  decay_.resize(static_cast<std::size_t>(layout.size()), T(0));
  for (const TensorInfo& tensor : layout.tensors()) {
    if (!tensor.decays()) continue;
    for (Index i = 0; i < tensor.size(); ++i)
      decay_[static_cast<std::size_t>(tensor.offset + i)] = static_cast<T>(spec.weight_decay);
  }
}

template <class T>
void UpdateRule<T>::step(std::span<T> parameters, std::span<const T> gradient, double rate,
                         OptimizerState<T>& state, const Context* job) const {
  state.first.resize(parameters.size(), T(0));
  ++state.steps;
  if (spec_.kind == OptimizerKind::sgd) return sgd(parameters, gradient, rate, state);
  state.second.resize(parameters.size(), T(0));
  adam(parameters, gradient, rate, state, job);
}

template <class T>
void UpdateRule<T>::adam(std::span<T> parameters, std::span<const T> gradient, double rate,
                         OptimizerState<T>& state, const Context* job) const {
  const auto steps = static_cast<double>(state.steps);
  const bool decoupled = spec_.kind == OptimizerKind::adamw;
  const AdamStep<T> step{.beta1 = static_cast<T>(spec_.beta1),
                         .beta2 = static_cast<T>(spec_.beta2),
                         .epsilon = static_cast<T>(spec_.epsilon),
                         .step = static_cast<T>(rate / (1 - std::pow(spec_.beta1, steps))),
                         .correction = static_cast<T>(1 / std::sqrt(1 - std::pow(spec_.beta2, steps))),
                         .added_decay = decoupled ? T(0) : T(1),
                         .shrink = decoupled ? static_cast<T>(rate) : T(0)};
  for_slices(job, static_cast<Index>(parameters.size()), [&](Index, Index from, Index to) {
    update_kernels<T>().adam(step, to - from, gradient.data() + from,
                             decay_.empty() ? nullptr : decay_.data() + from, parameters.data() + from,
                             state.first.data() + from, state.second.data() + from);
  });
}

template <class T>
void UpdateRule<T>::sgd(std::span<T> parameters, std::span<const T> gradient, double rate,
                        OptimizerState<T>& state) const {
  const T momentum = static_cast<T>(spec_.momentum), r = static_cast<T>(rate);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const T decay = decay_.empty() ? T(0) : decay_[i] * parameters[i];
    state.first[i] = momentum * state.first[i] + gradient[i] + decay;
    parameters[i] -= r * state.first[i];
  }
}

template <class T>
double clip_norm(std::span<T> gradient, double limit, const Context* job) {
  const double norm = gradient_norm<T>(gradient, job);
  if (limit > 0 && norm > limit) {
    const T factor = static_cast<T>(limit / norm);
    for (T& g : gradient) g *= factor;
  }
  return norm;
}

template class UpdateRule<float>;
template class UpdateRule<double>;
template double clip_norm<float>(std::span<float>, double, const Context*);
template double clip_norm<double>(std::span<double>, double, const Context*);

}  // namespace bl
