#include "engine/reference/reference_engine.hpp"

#include <cmath>

#include "engine/reference/density.hpp"

namespace bl {

template <class T>
LossSum ReferenceEngine<T>::sum(RowSet from, const Batch& batch, const Noise& noise,
                                std::span<const T> parameters, std::span<double> gradient) const {
  const Network<T>& network = this->loaded().at(from)->network();
  const std::vector<double> raw(parameters.begin(), parameters.end());
  const reference::Utility utility(network.architecture(), network.layout(), raw);
  LossSum total;
  for (const std::int64_t row : batch.rows)
    total.add(losses_.at(from).row(utility, row, noise, batch.scale, gradient));
  return total;
}

template <class T>
LossSum ReferenceEngine<T>::loss(RowSet from, const Batch& batch, const Noise& noise,
                                 std::span<const T> parameters, std::span<T> gradient) {
  std::vector<double> exact(gradient.size(), 0.0);
  const LossSum total = sum(from, batch, noise, parameters, exact);
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<T>(exact[i]);
  return total;
}

template <class T>
void ReferenceEngine<T>::write(const Network<T>& network, const UpdateSpec& spec,
                               const LearnerState<T>& state) {
  network_ = &network;
  spec_ = spec;
  state_ = state;
}

template <class T>
StepReport ReferenceEngine<T>::step(RowSet from, const Batch& batch, const Noise& noise, double rate) {
  std::vector<double> gradient(state_.parameters.size(), 0.0);
  StepReport report;
  report.loss = sum(from, batch, noise, state_.parameters, gradient);
  double square = 0;
  for (const double g : gradient) square += g * g;
  report.gradient_norm = std::sqrt(square);
  report.taken = std::isfinite(report.loss.loss) && std::isfinite(report.gradient_norm);
  if (!report.taken) return report;
  if (spec_.clip_norm > 0 && report.gradient_norm > spec_.clip_norm)
    for (double& g : gradient) g *= spec_.clip_norm / report.gradient_norm;
  update(gradient, rate);
  project<T>(spec_.bounds, state_.parameters);
  if (spec_.average == 0) return report;
  if (state_.averaged.empty()) state_.averaged = state_.parameters;
  const double past = averaging_weight(spec_, state_.optimizer.steps);
  for (std::size_t i = 0; i < state_.averaged.size(); ++i)
    state_.averaged[i] = static_cast<T>(past * static_cast<double>(state_.averaged[i]) +
                                        (1 - past) * static_cast<double>(state_.parameters[i]));
  return report;
}

// adam:  m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,
//        p -= rate m/(1 - b1^t) / (sqrt(v/(1 - b2^t)) + eps)
// sgd:   m = momentum m + g,  p -= rate m
// Decay is part of g, or with adamw moves p apart from it.
template <class T>
void ReferenceEngine<T>::update(const std::vector<double>& gradient, double rate) {
  const OptimizerSpec& o = spec_.optimizer;
  OptimizerState<T>& memory = state_.optimizer;
  const bool sgd = o.kind == OptimizerKind::sgd, apart = o.kind == OptimizerKind::adamw;
  memory.first.resize(gradient.size(), T(0));
  if (!sgd) memory.second.resize(gradient.size(), T(0));
  const auto t = static_cast<double>(++memory.steps);
  for (const TensorInfo& tensor : network_->layout().tensors()) {
    for (auto i = static_cast<std::size_t>(tensor.offset);
         i < static_cast<std::size_t>(tensor.offset + tensor.size()); ++i) {
      double p = static_cast<double>(state_.parameters[i]);
      const double strength = o.decay.empty() ? (tensor.decays() ? o.weight_decay : 0) : o.decay[i];
      const double decay = strength * p;
      const double g = gradient[i] + (apart ? 0 : decay);
      double m = static_cast<double>(memory.first[i]);
      if (sgd) {
        m = o.momentum * m + g;
        p -= rate * m;
      } else {
        m = o.beta1 * m + (1 - o.beta1) * g;
        const double v = o.beta2 * static_cast<double>(memory.second[i]) + (1 - o.beta2) * g * g;
        memory.second[i] = static_cast<T>(v);
        p -= rate * m / (1 - std::pow(o.beta1, t)) / (std::sqrt(v / (1 - std::pow(o.beta2, t))) + o.epsilon);
        if (apart) p -= rate * decay;
      }
      memory.first[i] = static_cast<T>(m);
      state_.parameters[i] = static_cast<T>(p);
    }
  }
}

template <class T>
gibbs::SamplerResult<T> ReferenceEngine<T>::run_chains(const ChainPlan<T>& plan) {
  reference::Density<T> joint(plan);
  return sample_chains<T>(joint, plan, this->context());
}

template class ReferenceEngine<float>;
template class ReferenceEngine<double>;

}  // namespace bl
