// An engine beside the plain loops of the reference engine.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "engine/reference/reference_engine.hpp"
#include "support/random_architectures.hpp"

namespace bl::test {

struct Evaluation {
  LossSum sum;
  std::vector<double> gradient;
};

inline constexpr double kScale = 0.3;

template <class T>
Evaluation evaluate(Engine<T>& engine, const Objective<T>& objective, const std::vector<double>& parameters,
                    const Noise& noise) {
  const std::vector<T> at(parameters.begin(), parameters.end());
  std::vector<T> gradient(at.size(), T(99));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(objective.data().rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const LossSum sum =
      engine.loss(engine.load(objective), {.rows = rows, .scale = kScale}, noise, at, gradient);
  return {sum, {gradient.begin(), gradient.end()}};
}

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// How large the numbers are of which a loss and its gradient are sums. Utilities may be large and cancel: a
// probability is then only as exact as their rounding.
struct Sizes {
  double loss = 1, gradient = 1;
};

inline Sizes sizes_of(const Instance& drawn, const Evaluation& truth) {
  const Network<double> network(drawn.problem.architecture);
  const Objective<double> objective(network, drawn.problem.spec, drawn.problem.data());
  const reference::Loss<double> loss(objective);
  const reference::Utility utility(network.architecture(), network.layout(), drawn.parameters);
  Sizes sizes{1 + std::abs(truth.sum.loss), 1 + largest(truth.gradient)};
  if (drawn.problem.spec.kind == ObjectiveKind::score_matching) return sizes;
  for (Index row = 0; row < drawn.problem.rows; ++row) {
    double largest_utility = 0, largest_slope = 0;
    for (const reference::Candidate& candidate :
         loss.choice(utility, row, drawn.problem.given_noise()).candidates) {
      std::vector<double> slope(truth.gradient.size(), 0.0),
          weights(static_cast<std::size_t>(network.outputs()), 0.0);
      const std::vector<double> none = weights;
      weights[candidate.output] = 1 / drawn.problem.spec.temperature;
      const reference::Trace trace = utility.trace(candidate.z);
      utility.add_gradient(trace, weights, none, slope);
      largest_slope = std::max(largest_slope, largest(slope));
      largest_utility = std::max(largest_utility,
                                 std::abs(trace.outputs[candidate.output]) / drawn.problem.spec.temperature);
    }
    sizes.loss += largest_utility;
    sizes.gradient += kScale * largest_slope * (1 + largest_utility);
  }
  return sizes;
}

// Roundings of T of such numbers: sums of a hundred terms or fewer, through three layers.
inline constexpr double kRoundings = 100;

// What an engine computes for a problem beside the plain loops; `most`: the largest difference in roundings.
template <class T>
void expect_agreement(Task task, const Instance& drawn, Engine<T>& engine, double& most) {
  const auto problem = random_problem<T>(task, drawn.problem.architecture, drawn.problem.rows, drawn.seed);
  const Network<T> network(problem.architecture);
  const Objective<T> objective(network, problem.spec, problem.data());
  ReferenceEngine<T> reference(Context(1));
  const std::vector<Noise> noises = {problem.given_noise(),
                                     {RandomStream(5, Purpose::score_noise, 3), 0.3, {}}};
  // Noise drawn by the engine moves heads elsewhere, where a kink may be near: given noise alone for those.
  const auto& used = problem.architecture.activations;
  const bool smooth = std::all_of(used.begin(), used.end(), [](Activation a) { return kinks(a).empty(); });
  for (std::size_t i = 0; i < (smooth ? 2U : 1U); ++i) {
    const Evaluation truth = evaluate<T>(reference, objective, drawn.parameters, noises[i]);
    const Evaluation ours = evaluate<T>(engine, objective, drawn.parameters, noises[i]);
    const double rounding = static_cast<double>(std::numeric_limits<T>::epsilon());
    const Sizes sizes = sizes_of(drawn, truth);
    const double loss = std::abs(ours.sum.loss - truth.sum.loss) / (rounding * sizes.loss);
    EXPECT_LT(loss, kRoundings) << ours.sum.loss << " for " << truth.sum.loss;
    EXPECT_NEAR(ours.sum.weight, truth.sum.weight, 1e-6);
    std::vector<double> differences;
    for (std::size_t k = 0; k < truth.gradient.size(); ++k)
      differences.push_back(ours.gradient[k] - truth.gradient[k]);
    const double gradient = largest(differences) / (rounding * sizes.gradient);
    EXPECT_LT(gradient, kRoundings);
    most = std::max({most, loss, gradient});
  }
}

}  // namespace bl::test
