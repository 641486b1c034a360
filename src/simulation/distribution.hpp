// The response distribution of a planted or learned block, evaluated on a row's candidates: p(candidate | x)
// over classes and alternatives, a density on quadrature nodes over the support of a continuous response.
#pragma once

#include <span>
#include <vector>

#include "model/network.hpp"
#include "simulation/planted_problem.hpp"

namespace bl::simulation {

struct Candidates {
  Matrix<double> values;              // candidates x values
  std::vector<std::int32_t> classes;  // empty where the response has none
  std::vector<double> log_weights;    // of the quadrature rule; zero for classes and alternatives
  std::size_t size() const { return log_weights.size(); }
};

// Panels along each response dimension in every distribution of a planted problem: it is at most 1e-4 off its
// own normaliser in one dimension and 1e-3 in two, with kinks inside panels
// (tests/unit/simulation/distribution_test.cpp).
int distribution_panels(const PlantedProblem& problem);

// What every row can choose: the classes; the nodes of the rule; for a hybrid response classes x nodes, class
// by class. Empty for alternatives, which differ by row.
Candidates common_candidates(const PlantedProblem& problem, int panels);

struct DistributionWorkspace {
  NetworkWorkspace<double> network;
  std::vector<std::int32_t> begin;
};

class GibbsDistribution {
 public:
  GibbsDistribution(const Architecture& architecture, std::span<const double> parameters, double temperature);
  GibbsDistribution(const GibbsDistribution&) = delete;
  GibbsDistribution& operator=(const GibbsDistribution&) = delete;

  // out = BL(x, candidate) / temperature.
  void logits(std::span<const double> context, const Candidates& candidates, DistributionWorkspace& ws,
              std::vector<double>& out) const;
  // out = logits - log sum_k w_k exp(logit_k): a candidate of weight zero (log-weight minus infinity) gets
  // its density without taking part in the normaliser.
  void log_density(std::span<const double> context, const Candidates& candidates, DistributionWorkspace& ws,
                   std::vector<double>& out) const;

 private:
  Network<double> network_;
  std::vector<double> parameters_;
  PreparedParameters<double> prepared_;
  double temperature_;
};

}  // namespace bl::simulation
