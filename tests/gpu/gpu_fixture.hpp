// What the tests of the GPU engine share: skipped where there is no GPU.
#pragma once

#include <gtest/gtest.h>

#include "engine/cuda/cuda.hpp"
#include "support/agreement.hpp"

namespace bl::test {

inline Context gpu_context(Device::Products products = Device::Products::float32) {
  return Context(1).on({Device::Kind::cuda, products});
}

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::devices().empty()) GTEST_SKIP() << "SKIPPED, no GPU: " << cuda::why_none();
    cuda::tuning() = {};
  }
  void TearDown() override { cuda::tuning() = {}; }
};

enum class Path { shared_memory, heads_apart, memory };

// A problem with batches of a fixed order.
template <class T>
struct Fixture {
  Fixture(Task task, Index rows, std::size_t batch, const std::vector<Index>& widths)
      : problem(random_problem<T>(task, architecture(task, widths), rows, 3)),
        network(problem.architecture),
        objective(network, problem.spec, problem.data()) {
    for (Index i = 0; i < rows; ++i) order.push_back((7 * i + 3) % rows);
    for (std::size_t from = 0; from < order.size(); from += batch)
      batches.push_back(
          {std::span<const std::int64_t>(order).subspan(from, std::min(batch, order.size() - from)),
           1 / static_cast<double>(batch)});
    state.parameters.resize(static_cast<std::size_t>(network.layout().size()));
    starting_values<T>(network.architecture(), network.layout(), 5, state.parameters);
  }
  static Architecture architecture(Task task, const std::vector<Index>& widths) {
    Architecture a =
        vector_form(task) ? stacked_vector(input_shape(task), widths, 3) : stacked(input_shape(task), widths);
    a.activations = {Activation::tanh, Activation::softplus, Activation::square};
    return a;
  }
  StepPlan plan(RowSet from, double rate = 0.01) const {
    return {.from = from,
            .batches = batches,
            .noise = {RandomStream(1, Purpose::score_noise, 2), 0.4, {}},
            .rate = rate};
  }
  LearnerState<T> after_steps(Engine<T>& engine, const UpdateSpec& spec,
                              StepsReport* report = nullptr) const {
    const RowSet rows = engine.load(objective);
    engine.write(network, spec, state);
    const StepsReport made = engine.steps(plan(rows), {});
    if (report) *report = made;
    LearnerState<T> end;
    engine.read(end);
    return end;
  }

  Problem<T> problem;
  Network<T> network;
  Objective<T> objective;
  std::vector<std::int64_t> order;
  std::vector<Batch> batches;
  LearnerState<T> state;
};

inline UpdateSpec update_of(OptimizerKind kind, bool more, std::size_t parameters) {
  UpdateSpec spec;
  spec.optimizer.kind = kind;
  spec.optimizer.weight_decay = 0.01;
  if (!more) return spec;
  spec.clip_norm = 0.05;
  spec.average = 0.9;
  spec.bounds.assign(parameters, Bound::none);
  spec.bounds[0] = Bound::non_negative;
  spec.bounds[1] = Bound::non_positive;
  return spec;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

}  // namespace bl::test
