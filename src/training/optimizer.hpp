// Update rules of the stochastic optimizers. Decay applies to weights, never to biases or lambdas.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "model/parameters.hpp"

namespace bl {

enum class OptimizerKind { adam, adamw, sgd, lbfgs };
std::string_view name(OptimizerKind kind);
OptimizerKind optimizer_from_name(std::string_view name);  // throws UsageError

struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::adam;
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0.9;           // sgd
  double weight_decay = 0;         // adam, sgd: added to the gradient; adamw: decoupled
  std::vector<double> decay = {};  // per parameter, instead of weight_decay for all weights; empty: none such
};

// What an update rule remembers; part of a checkpoint.
template <class T>
struct OptimizerState {
  std::int64_t steps = 0;
  std::vector<T> first, second;  // adam: moments; sgd: velocity in `first`
};

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
// The sum is taken in slices, so that a pool may share it, and always in the same order.
template <class T>
double clip_norm(std::span<T> gradient, double limit, ThreadPool* pool = nullptr);

}  // namespace bl
