// An engine of plain double-precision loops, against which every engine is tested. One thread, no shortcuts.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "engine/reference/loss.hpp"

namespace bl {

template <class T>
class ReferenceEngine : public Engine<T> {
 public:
  using Engine<T>::Engine;

  LossSum loss(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
               std::span<T> gradient) override;
  void write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) override;
  void read(LearnerState<T>& state) const override { state = state_; }
  StepReport step(RowSet from, const Batch& batch, const Noise& noise, double rate) override;
  gibbs::SamplerResult<T> run_chains(const ChainPlan<T>& plan) override;

 protected:
  void place(const Objective<T>& objective) override { losses_.emplace_back(objective); }
  std::unique_ptr<Engine<T>> another(const Context& context) const override {
    return std::make_unique<ReferenceEngine<T>>(context);
  }

 private:
  LossSum sum(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
              std::span<double> gradient) const;
  void update(const std::vector<double>& gradient, double rate);

  std::vector<reference::Loss<T>> losses_;
  const Network<T>* network_ = nullptr;
  UpdateSpec spec_;
  LearnerState<T> state_;
};

}  // namespace bl
