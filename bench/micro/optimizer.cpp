// What a training step ends with: the gradient's norm and one step of Adam, for few and for many parameters.
#include "engine/cpu/update.hpp"

#include <cmath>

#include "check.hpp"

namespace bl::bench {
namespace {

// The vector form on images: 208,384 parameters at 88 blocks.
Architecture images(Index blocks) {
  return stacked_vector({.context = 784, .values = 0, .classes = 0}, {blocks}, 10);
}

void adam_step(benchmark::State& state) {
  const ParameterLayout layout(images(static_cast<Index>(state.range(0))));
  const UpdateRule<float> rule({}, layout);
  const auto size = static_cast<std::size_t>(layout.size());
  std::vector<float> parameters(size, 0.0F), gradient(size, 0.5F);
  OptimizerState<float> memory;
  double steps = 0;
  for (auto _ : state) {
    rule.step(parameters, gradient, 1e-6, memory);
    benchmark::DoNotOptimize(parameters.data());
    ++steps;
  }
  // A constant gradient moves every parameter by the rate in every step.
  expect_near(state, static_cast<double>(parameters[size / 2]), -1e-6 * steps, 2e-3 * 1e-6 * steps,
              "parameter");
  state.counters["parameters"] =
      benchmark::Counter(steps * static_cast<double>(size), benchmark::Counter::kIsRate);
}

void gradient_norm(benchmark::State& state) {
  std::vector<float> gradient(208384, 0.5F);
  double norm = 0;
  for (auto _ : state) {
    norm = clip_norm<float>(gradient, 0);
    benchmark::DoNotOptimize(norm);
  }
  expect_near(state, norm, 0.5 * std::sqrt(208384.0), 1e-9, "norm");
}

BENCHMARK(adam_step)->Arg(1)->Arg(88);
BENCHMARK(gradient_norm);

}  // namespace
}  // namespace bl::bench
