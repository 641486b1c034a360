// What a step of a stochastic optimizer is, and what it leaves behind. Decay applies to weights, never to
// biases or lambdas.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/monotone.hpp"

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

// All that a step does: the gradient is clipped, the rule moves the parameters, bounds are kept, and a
// running mean follows.
struct UpdateSpec {
  OptimizerSpec optimizer = {};
  double clip_norm = 0;  // maximum gradient norm; 0: no clipping
  double average =
      0;  // weight of the past in the running mean of the parameters (less in the first steps); 0: no mean
  std::vector<Bound> bounds = {};  // per parameter, kept after every step; empty: none
};

// What steps change. Saving it and going on gives results bit-identical to those without a stop.
template <class T>
struct LearnerState {
  std::vector<T> parameters;
  std::vector<T> averaged;  // the running mean; empty without averaging
  OptimizerState<T> optimizer;
};

// The weight of the past in the running mean after so many steps: a mean over few steps at first.
double averaging_weight(const UpdateSpec& spec, std::int64_t steps);

}  // namespace bl
