// The update rules on this processor.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "engine/update_rule.hpp"

namespace bl {

// parameters move against gradient with this learning rate (the schedule's, not the specification's).
template <class T>
class UpdateRule {
 public:
  UpdateRule(const OptimizerSpec& spec, const ParameterLayout& layout);
  // A pool, where given, shares the work on many parameters.
  void step(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state,
            ThreadPool* pool = nullptr) const;

 private:
  void adam(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state,
            ThreadPool* pool) const;
  void sgd(std::span<T> parameters, std::span<const T> gradient, double rate, OptimizerState<T>& state) const;

  OptimizerSpec spec_;
  std::vector<T> decay_;  // per parameter; empty: no decay
};

// Scales the gradient to norm `limit` if it is longer; returns the norm before. limit 0: only the norm.
template <class T>
double clip_norm(std::span<T> gradient, double limit, ThreadPool* pool = nullptr);

}  // namespace bl
