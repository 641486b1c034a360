#include "simulation/distribution.hpp"

#include <algorithm>

#include "compute/log_sum_exp.hpp"

namespace bl::simulation {

int distribution_panels(const PlantedProblem& problem) {
  constexpr int kPanelsOneDimension = 64;
  constexpr int kPanelsTwoDimensions = 12;
  return problem.support.dimension() == 2 ? kPanelsTwoDimensions : kPanelsOneDimension;
}

Candidates common_candidates(const PlantedProblem& problem, int panels) {
  Candidates out;
  const auto classes = static_cast<std::int32_t>(problem.architecture.input.classes);
  switch (problem.kind()) {
    case ResponseKind::alternatives:
      break;
    case ResponseKind::classes:
      out.values.resize(classes, 0);
      out.log_weights.assign(static_cast<std::size_t>(classes), 0.0);
      for (std::int32_t c = 0; c < classes; ++c) out.classes.push_back(c);
      break;
    case ResponseKind::continuous:
    case ResponseKind::hybrid: {
      const QuadratureRule rule = composite_rule(problem.support, panels);
      const Index copies = std::max(classes, 1);
      out.values.resize(copies * rule.size(), rule.nodes.cols());
      for (std::int32_t c = 0; c < copies; ++c) {
        std::copy_n(rule.nodes.data(), rule.nodes.flat().size(), out.values.row(c * rule.size()));
        out.log_weights.insert(out.log_weights.end(), rule.log_weights.begin(), rule.log_weights.end());
        if (classes > 0) out.classes.insert(out.classes.end(), static_cast<std::size_t>(rule.size()), c);
      }
    }
  }
  return out;
}

GibbsDistribution::GibbsDistribution(const Architecture& architecture, std::span<const double> parameters,
                                     double temperature)
    : network_(architecture), parameters_(parameters.begin(), parameters.end()), temperature_(temperature) {
  network_.prepare(parameters_, prepared_);
}

void GibbsDistribution::logits(std::span<const double> context, const Candidates& candidates,
                               DistributionWorkspace& ws, std::vector<double>& out) const {
  ws.begin = {0, static_cast<std::int32_t>(candidates.size())};
  const auto columns = static_cast<Index>(context.size());
  const Points<double> points{
      {context.data(), 1, columns, columns}, ws.begin, candidates.values.view(), candidates.classes};
  network_.forward(prepared_, points, ws.network, true);
  const auto scores = ws.network.scores.flat();
  out.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) out[k] = scores[k] / temperature_;
}

void GibbsDistribution::log_density(std::span<const double> context, const Candidates& candidates,
                                    DistributionWorkspace& ws, std::vector<double>& out) const {
  logits(context, candidates, ws, out);
  std::vector<double> weighted(out);
  for (std::size_t k = 0; k < out.size(); ++k) weighted[k] += candidates.log_weights[k];
  const double normaliser = log_sum_exp<double>(weighted);
  for (double& value : out) value -= normaliser;
}

}  // namespace bl::simulation
