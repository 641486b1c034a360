// The update rules on this processor.
#pragma once

#include <span>
#include <vector>

#include "base/context.hpp"
#include "engine/update_rule.hpp"

namespace bl {

// parameters move against gradient with this learning rate (the schedule's, not the specification's).
template <class T>
class UpdateRule {
 public:
  UpdateRule(const OptimizerSpec& spec, const ParameterLayout& layout);
  // The threads of a job, where given, share the work on many parameters.
  void step(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state,
            const Context* job = nullptr) const;

 private:
  void adam(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state,
            const Context* job) const;
  void sgd(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state) const;

  OptimizerSpec spec_;
  std::vector<T> decay_;  // per parameter; empty: no decay
};

// Scales the gradient to norm `limit` if it is longer; returns the norm before. limit 0: only the norm.
template <class T>
double clip_norm(std::span<T> gradient, double limit, const Context* job = nullptr);

}  // namespace bl
