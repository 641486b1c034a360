#include "simulation/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/simulate.hpp"
#include "support/planted/problems.hpp"

namespace bl::simulation {
namespace {

// The accuracy that distribution.hpp states: the normaliser against a rule with four times the panels. A
// slope that jumps by s inside a panel of half width h costs about 0.01 s h^2 times the density there.
TEST(GibbsDistribution, TheRuleIsAsAccurateAsStated) {
  const Context job(1);
  for (const PlantedProblem& problem : planted_problems()) {
    const Index dimension = problem.support.dimension();
    if (dimension == 0) continue;
    const GibbsDistribution distribution(problem.architecture, problem.parameters, problem.temperature);
    const Candidates usual = common_candidates(problem, distribution_panels(problem));
    const Candidates fine = common_candidates(problem, 4 * distribution_panels(problem));
    const SimulatedData<double> data = simulate(problem, 20, 5, job);
    DistributionWorkspace ws;
    std::vector<double> a, b;
    for (Index row = 0; row < data.rows; ++row) {
      const std::span<const double> context(data.context.row(row),
                                            static_cast<std::size_t>(data.context.cols()));
      distribution.log_density(context, usual, ws, a);
      distribution.logits(context, usual, ws, b);
      const double normaliser = b[0] - a[0];
      distribution.log_density(context, fine, ws, a);
      distribution.logits(context, fine, ws, b);
      EXPECT_NEAR(normaliser, b[0] - a[0], dimension == 1 ? 1e-4 : 1e-3) << problem.name << " row " << row;
    }
  }
}

TEST(GibbsDistribution, DensitiesSumToOneAndWeightlessCandidatesDoNotCount) {
  const PlantedProblem& problem = planted_problem("consumption");
  const GibbsDistribution distribution(problem.architecture, problem.parameters, problem.temperature);
  Candidates nodes = common_candidates(problem, 8);
  DistributionWorkspace ws;
  std::vector<double> before, after;
  const std::vector<double> context = {0.3, 2.0};
  distribution.log_density(context, nodes, ws, before);
  double sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) sum += std::exp(before[k] + nodes.log_weights[k]);
  EXPECT_NEAR(sum, 1, 1e-13);
  nodes.log_weights[10] = -std::numeric_limits<double>::infinity();
  distribution.log_density(context, nodes, ws, after);
  sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) sum += std::exp(after[k] + nodes.log_weights[k]);
  EXPECT_NEAR(sum, 1, 1e-13);
  EXPECT_GT(after[10], before[10]);
}

}  // namespace
}  // namespace bl::simulation
