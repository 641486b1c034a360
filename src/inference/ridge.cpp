#include "inference/ridge.hpp"

#include <algorithm>
#include <cmath>

namespace bl::inference {

namespace {

constexpr double kFactor = 10;
constexpr double kHalfChiSquared95 = 1.920729;  // one degree of freedom

// The head with its weight multiplied and what it is applied to divided, so that products stay.
std::vector<double> stretched(const ParameterMap& map, const Chart& chart, const HeadPlace& head) {
  std::vector<double> effective = chart.effective;
  effective[static_cast<std::size_t>(head.lambda)] *= kFactor;
  for (Index k = 0; k < head.columns; ++k) effective[static_cast<std::size_t>(head.weights + k)] /= kFactor;
  if (head.bias >= 0) effective[static_cast<std::size_t>(head.bias)] /= kFactor;
  return map.raw(effective);
}

}  // namespace

std::vector<Index> weights_that_run_away(const Objective<double>& objective, const Estimate& e,
                                         const MinimiserSpec& spec, const Context& job) {
  std::vector<Index> out;
  const Architecture& a = objective.network().architecture();
  if (a.readout.present || e.minimisation.interrupted) return out;
  const ParameterMap map(a);
  const auto engine = make_engine<double>(job.silent());
  Loss loss(objective, spec.seed, *engine, 0, spec.noise);
  for (const HeadPlace& head : map.heads()) {
    if (e.chart.states[static_cast<std::size_t>(head.lambda)] != ParameterState::free) continue;
    std::vector<std::uint8_t> held(e.chart.states.size(), 1);
    for (const Index i : e.chart.positions) held[static_cast<std::size_t>(i)] = 0;
    held[static_cast<std::size_t>(head.lambda)] = 1;
    const LocalMinimum there = descend(loss, stretched(map, e.chart, head), spec, held);
    if ((there.loss - e.loss) * e.total_weight < kHalfChiSquared95) out.push_back(head.lambda);
  }
  return out;
}

}  // namespace bl::inference
