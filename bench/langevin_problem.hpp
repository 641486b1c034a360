// The problem of the Langevin benchmarks: 512 chains, each with a context of its own, in 8 dimensions.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "model/network.hpp"

namespace bl::bench {

inline constexpr Index kChains = 512;
inline constexpr Index kContext = 12;
inline constexpr Index kResponses = 8;
inline constexpr double kTemperature = 1;
inline constexpr double kStep = 0.05;  // e: drift e^2/2 times the gradient, noise e

// Layers of 36 and 6 blocks and a linear readout of either sign, as in the published package.
inline Architecture langevin_architecture() {
  Architecture a = stacked({.context = kContext, .values = kResponses, .classes = 0}, {36, 6});
  a.readout.sign = Sign::free;
  return a;
}

struct LangevinProblem {
  std::vector<float> parameters;
  Matrix<float> context, start;
};

inline LangevinProblem langevin_problem(const ParameterLayout& layout) {
  const RandomStream random(1, Purpose::test);
  LangevinProblem out;
  out.parameters.resize(static_cast<std::size_t>(layout.size()));
  random.fill_normal(0, out.parameters);
  for (float& w : out.parameters) w *= 0.3F;
  out.context.resize(kChains, kContext);
  out.start.resize(kChains, kResponses);
  random.fill_normal(1, out.context.flat());
  random.fill_normal(2, out.start.flat());
  return out;
}

}  // namespace bl::bench
