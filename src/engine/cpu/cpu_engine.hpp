// The engine of this machine's processors: batches over threads, kernels for several instruction sets.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/cpu/batch.hpp"
#include "engine/cpu/update.hpp"
#include "engine/engine.hpp"

namespace bl {

template <class T>
class CpuEngine : public Engine<T> {
 public:
  using Engine<T>::Engine;

  LossSum loss(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
               std::span<T> gradient) override;
  void write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) override;
  void read(LearnerState<T>& state) const override { state = state_; }
  StepReport step(RowSet from, const Batch& batch, const Noise& noise, double rate) override;
  gibbs::SamplerResult<T> run_chains(const ChainPlan<T>& plan) override;
  std::size_t at_once(std::size_t count, double numbers_per_step) const override;

 protected:
  void place(const Objective<T>& objective) override;
  std::unique_ptr<Engine<T>> another(const Context& context) const override;

 private:
  void update_average();

  // The rows stay where they are: an objective views them.
  std::vector<std::unique_ptr<BatchEvaluator<T>>> evaluators_;
  UpdateSpec spec_;
  std::optional<UpdateRule<T>> rule_;
  LearnerState<T> state_;
  std::vector<T> gradient_;
};

}  // namespace bl
