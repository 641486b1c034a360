#include "evidence/alignment.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "evidence/comparison.hpp"
#include "evidence/problems.hpp"

namespace bl::simulation {
namespace {

void expect_same(const Block& a, const Block& b, double tolerance) {
  for (std::size_t kind = 0; kind < 3; ++kind) {
    ASSERT_EQ(a[kind].has_value(), b[kind].has_value());
    if (!a[kind]) continue;
    EXPECT_NEAR(a[kind]->lambda, b[kind]->lambda, tolerance);
    EXPECT_NEAR(a[kind]->bias, b[kind]->bias, tolerance);
    for (std::size_t t = 0; t < a[kind]->coefficients.size(); ++t)
      EXPECT_NEAR(a[kind]->coefficients[t], b[kind]->coefficients[t], tolerance) << kind << " term " << t;
  }
}

void scale(Head& head, double factor, double lambda_factor) {
  for (double& value : head.coefficients) value *= factor;
  head.bias *= factor;
  head.lambda *= lambda_factor;
}

TEST(Alignment, UndoesScaleSignAndReflection) {
  const PlantedProblem& basket = planted_problem("basket");
  const Block truth = block_of(basket.architecture, basket.parameters);
  Block other = truth;
  scale(*other[0], 0.5, 2);
  scale(*other[1], 0.25, 4);
  expect_same(aligned(basket, other), truth, 1e-12);
  // l0 U - l1 relu(C) = (l0 U - l1 C) - l1 relu(-C)
  for (std::size_t t = 0; t < other[0]->coefficients.size(); ++t) {
    other[0]->coefficients[t] -= other[1]->lambda / other[0]->lambda * other[1]->coefficients[t];
    other[1]->coefficients[t] *= -1;
  }
  other[0]->bias = 17;  // cancels in the distribution
  expect_same(aligned(basket, other), truth, 1e-12);

  const PlantedProblem& producer = planted_problem("producer");
  const Block gaussian = block_of(producer.architecture, producer.parameters);
  other = gaussian;
  scale(*other[2], -3, 1.0 / 9);
  expect_same(aligned(producer, other), gaussian, 1e-12);

  const PlantedProblem& commuter = planted_problem("commuter");
  const Block separate = block_of(commuter.architecture, commuter.parameters);
  other = separate;
  for (const std::size_t bus_term : {0u, 2u, 4u}) other[2]->coefficients[bus_term] *= -1;
  expect_same(aligned(commuter, other), separate, 1e-12);
}

TEST(Alignment, LeavesTheDistributionUnchanged) {
  const Context job(1);
  const RandomStream stream(4, Purpose::test);
  std::uint64_t draw = 0;
  for (const PlantedProblem& problem : planted_problems()) {
    const SimulatedData<double> data = simulate(problem, 20, 6, job);
    for (int repeat = 0; repeat < 4; ++repeat) {
      PlantedProblem random = problem;
      for (double& value : random.parameters) value = stream.normal(0, draw++);
      const Block block = aligned(problem, block_of(problem.architecture, random.parameters));
      const auto parameters = raw_parameters(problem.architecture, block);
      const DistributionComparison same = compare_with_truth(random, parameters, data, job);
      EXPECT_LT(same.total_variation, 1e-12) << problem.name;
    }
  }
}

TEST(Alignment, TheTruthIsAlreadyAligned) {
  for (const PlantedProblem& problem : planted_problems()) {
    const Block truth = block_of(problem.architecture, problem.parameters);
    expect_same(aligned(problem, truth), truth, 0);
  }
}

}  // namespace
}  // namespace bl::simulation
