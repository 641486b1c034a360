// What one launch of the resident kernel computes: steps of one or many models of one shape.
#pragma once

#include "engine/cuda/frame.cuh"
#include "engine/update_rule.hpp"

namespace bl::cuda {

// Numbers of an update rule (update_rule.hpp).
struct Rule {
  OptimizerKind kind = OptimizerKind::adam;
  double beta1 = 0, beta2 = 0, epsilon = 0, momentum = 0, clip = 0, average = 0;
  bool decays = false, bounded = false;
  bool operator==(const Rule&) const = default;
};

// What steps leave behind; sums are over the steps taken.
struct StepsOutput {
  double loss[3] = {};  // likelihood, score matching, weights
  double first_mean = 0;
  double last[3] = {};
  double last_norm = 0;
  long long taken = 0;
  int last_taken = 0;
};

// What the host knows of a step: its rows among the order, the scale, and the numbers of its update, given
// that all steps before it were taken.
struct StepNumbers {
  int begin = 0, count = 0;
  double scale = 1, rate = 0, step = 0, correction = 0, past = 0;
};

// One model: its rows, batches, state.
template <class T>
struct Job {
  Data<T> data;
  StepInput noise;             // rows, count and scale are set for each step
  const int* order = nullptr;  // row numbers of all batches
  const StepNumbers* steps = nullptr;
  bool averaged = false;  // there is a running mean already
  T *raw = nullptr, *shown = nullptr, *first = nullptr, *second = nullptr,
    *mean = nullptr;  // shown: effective
  const T* decay = nullptr;
  T* gradient = nullptr;  // where no step is taken: what is asked for; null: the loss alone
  StepsOutput out;
};

template <class T>
struct Launch {
  Plan plan;
  Rule rule;
  Job<T>* jobs = nullptr;
  int parts = 1;         // blocks of a model
  int from = 0, to = 1;  // steps
  int rows_per_chunk = 1, ld = 4;
  bool updates = false;  // or losses and gradients alone
  const Slot* slots = nullptr;
  T* gradients = nullptr;        // jobs x parts x resident parameters
  double* sums = nullptr;        // jobs x parts x 4: losses, weights, square of the gradient's norm
  unsigned* barriers = nullptr;  // one of each job
  T* outer_heads = nullptr;      // jobs x heads x outer_ld; null: row features are part of the sweep
  int outer_ld = 0, heads_per_part = 0;
  int rows = 0;  // of the longest batch
};

template <class T>
BL_HOST_DEVICE T effective(const Slot& slot, T raw) {
  return slot.raw ? activation_kinds::Softplus::value(raw) : raw;
}

// Derivative by the stored value from that by the effective one.
template <class T>
BL_HOST_DEVICE T to_raw(const Slot& slot, T raw, T by_effective) {
  if (!slot.free) return T(0);
  return slot.raw ? by_effective * activation_kinds::Softplus::slope(raw, T(0)) : by_effective;
}

// Numbers of a step that all parameters share.
template <class T>
struct UpdateStep {
  T step, correction, rate, clip, past;
  bool fresh_mean;
};

template <class T>
BL_HOST_DEVICE UpdateStep<T> update_step(const Rule& rule, const StepNumbers& numbers, double norm,
                                         bool averaged) {
  return {.step = static_cast<T>(numbers.step),
          .correction = static_cast<T>(numbers.correction),
          .rate = static_cast<T>(numbers.rate),
          .clip = rule.clip > 0 && norm > rule.clip ? static_cast<T>(rule.clip / norm) : T(1),
          .past = static_cast<T>(numbers.past),
          .fresh_mean = !averaged};
}

// One parameter's step; g by its stored value. Returns the new stored value. second is Adam's, mean that of
// averaging: others leave them alone.
template <class T>
__device__ T update_one(const Rule& rule, const UpdateStep<T>& step, const Slot& slot, T decay, T g, T p,
                        T& first, T& second, T& mean) {
  if (step.clip != T(1)) g *= step.clip;
  if (rule.kind == OptimizerKind::sgd) {
    const T m = static_cast<T>(rule.momentum) * first + g + decay * p;
    first = m;
    p -= step.rate * m;
  } else {
    const bool decoupled = rule.kind == OptimizerKind::adamw;
    if (!decoupled) g += decay * p;
    const T beta1 = static_cast<T>(rule.beta1), beta2 = static_cast<T>(rule.beta2);
    const T m = beta1 * first + (T(1) - beta1) * g, v = beta2 * second + (T(1) - beta2) * g * g;
    first = m;
    second = v;
    const T shrink = decoupled ? step.rate * decay * p : T(0);
    p -= shrink + step.step * m / (sqrt(v) * step.correction + static_cast<T>(rule.epsilon));
  }
  if (rule.bounded) {
    if (slot.bound == 1 && p < T(0)) p = T(0);
    if (slot.bound == 2 && p > T(0)) p = T(0);
    if (slot.bound == 3) p = T(0);
  }
  if (rule.average > 0) mean = step.fresh_mean ? p : step.past * mean + (T(1) - step.past) * p;
  return p;
}

// The loss that a plan's objective makes of its parts.
BL_HOST_DEVICE inline double total_loss(const Plan& plan, const double* parts) {
  if (plan.kind == ObjectiveKind::hybrid)
    return plan.gamma_discrete * parts[0] + plan.gamma_continuous * parts[1];
  return parts[0] + parts[1];
}

}  // namespace bl::cuda
