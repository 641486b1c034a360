#include "engine/cpu/cpu_engine.hpp"

#include <algorithm>
#include <cmath>

#include "base/slices.hpp"
#include "compute/update_kernels.hpp"
#include "gibbs/network_density.hpp"

namespace bl {

template <class T>
void CpuEngine<T>::place(const Objective<T>& objective) {
  evaluators_.push_back(std::make_unique<BatchEvaluator<T>>(objective, this->context()));
}

template <class T>
std::unique_ptr<Engine<T>> CpuEngine<T>::another(const Context& context) const {
  return std::make_unique<CpuEngine<T>>(context);
}

template <class T>
LossSum CpuEngine<T>::loss(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
                           std::span<T> gradient) {
  return evaluators_.at(from)->evaluate(parameters, batch.rows, noise, batch.scale, gradient);
}

template <class T>
void CpuEngine<T>::write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) {
  spec_ = spec;
  rule_.emplace(spec.optimizer, network.layout());
  state_ = state;
  gradient_.resize(state.parameters.size());
}

template <class T>
StepReport CpuEngine<T>::step(RowSet from, const Batch& batch, const Noise& noise, double rate) {
  const Context& job = this->context();
  StepReport report;
  report.loss = loss(from, batch, noise, state_.parameters, gradient_);
  report.gradient_norm = clip_norm<T>(gradient_, spec_.clip_norm, &job);
  report.taken = std::isfinite(report.loss.loss) && std::isfinite(report.gradient_norm);
  if (!report.taken) return report;
  rule_->step(state_.parameters, gradient_, rate, state_.optimizer, &job);
  project<T>(spec_.bounds, state_.parameters);
  if (spec_.average > 0) update_average();
  return report;
}

template <class T>
void CpuEngine<T>::update_average() {
  if (state_.averaged.empty()) state_.averaged = state_.parameters;
  const T past = static_cast<T>(averaging_weight(spec_, state_.optimizer.steps));
  for_slices(&this->context(), static_cast<Index>(state_.averaged.size()), [&](Index, Index from, Index to) {
    update_kernels<T>().running_mean(past, state_.parameters.data() + from, to - from,
                                     state_.averaged.data() + from);
  });
}

template <class T>
gibbs::SamplerResult<T> CpuEngine<T>::run_chains(const ChainPlan<T>& plan) {
  PreparedParameters<T> prepared;
  plan.network.prepare(plan.parameters, prepared);
  Matrix<T> context(plan.context.rows, plan.context.cols);
  for (Index i = 0; i < context.rows() && context.cols() > 0; ++i)
    std::copy_n(plan.context.row(i), context.cols(), context.row(i));
  gibbs::NetworkDensity<T> joint(plan.network, prepared, plan.temperature, std::move(context), plan.rows,
                                 plan.chains_per_row);
  return sample_chains<T>(joint, plan, this->context());
}

template <class T>
std::size_t CpuEngine<T>::at_once(std::size_t count, double numbers_per_step) const {
  if (this->context().ranks()) return 1;  // ranks share every step, and must meet in the same ones
  constexpr double kSmallStep = 1 << 20;  // longer ones gain from several threads
  return numbers_per_step <= kSmallStep ? std::min(count, this->context().threads()) : 1;
}

template class CpuEngine<float>;
template class CpuEngine<double>;

}  // namespace bl
