#include "simulation/continuous_draw.hpp"

#include <algorithm>
#include <cmath>

#include "compute/log_sum_exp.hpp"

namespace bl::simulation {

namespace {

constexpr Index kPositions = 65;  // where a cell's density is taken
constexpr int kInnerNodes = 8;    // to integrate out the dimensions still to be drawn

// Nodes over dimensions `from` ... of the cell: their product rule, as rows of coordinates.
struct InnerRule {
  std::vector<std::vector<double>> nodes;
  std::vector<double> log_weights;
};

InnerRule inner_rule(const Cell& cell, std::size_t from) {
  std::vector<double> nodes, weights;
  gauss_legendre(kInnerNodes, nodes, weights);
  InnerRule rule{{{}}, {0.0}};
  for (std::size_t d = from; d < cell.lower.size(); ++d) {
    const double middle = 0.5 * (cell.lower[d] + cell.upper[d]), half = 0.5 * (cell.upper[d] - cell.lower[d]);
    InnerRule next;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        next.nodes.push_back(rule.nodes[k]);
        next.nodes.back().push_back(middle + half * nodes[i]);
        next.log_weights.push_back(rule.log_weights[k] + std::log(half * weights[i]));
      }
    }
    rule = std::move(next);
  }
  return rule;
}

// Points (drawn coordinates ; position along dimension d ; inner node), position by position.
Candidates cell_points(const Cell& cell, std::size_t d, const InnerRule& rule,
                       std::span<const double> drawn) {
  Candidates points;
  const auto inner = static_cast<Index>(rule.nodes.size());
  points.values.resize(kPositions * inner, static_cast<Index>(cell.lower.size()));
  for (Index p = 0; p < kPositions; ++p) {
    const double share = static_cast<double>(p) / static_cast<double>(kPositions - 1);
    for (Index k = 0; k < inner; ++k) {
      double* point = points.values.row(p * inner + k);
      std::copy_n(drawn.begin(), d, point);
      point[d] = cell.lower[d] + share * (cell.upper[d] - cell.lower[d]);
      const auto& node = rule.nodes[static_cast<std::size_t>(k)];
      std::copy(node.begin(), node.end(), point + d + 1);
    }
    points.log_weights.insert(points.log_weights.end(), rule.log_weights.begin(), rule.log_weights.end());
  }
  if (cell.class_index >= 0) points.classes.assign(points.size(), cell.class_index);
  return points;
}

}  // namespace

Cell cell_of(const PlantedProblem& problem, const Candidates& candidates, std::size_t node, int panels) {
  Cell cell;
  for (std::size_t d = 0; d < problem.support.lower.size(); ++d) {
    const double lower = problem.support.lower[d];
    const double width = (problem.support.upper[d] - lower) / panels;
    const double at = candidates.values(static_cast<Index>(node), static_cast<Index>(d));
    const double panel = std::clamp(std::floor((at - lower) / width), 0.0, static_cast<double>(panels - 1));
    cell.lower.push_back(lower + panel * width);
    cell.upper.push_back(lower + (panel + 1) * width);
  }
  if (!candidates.classes.empty()) cell.class_index = candidates.classes[node];
  return cell;
}

double invert_piecewise_linear(std::span<const double> density, double u) {
  double total = 0;
  for (std::size_t i = 0; i + 1 < density.size(); ++i) total += 0.5 * (density[i] + density[i + 1]);
  double rest = u * total;
  std::size_t i = 0;
  for (; i + 2 < density.size() && rest > 0.5 * (density[i] + density[i + 1]); ++i)
    rest -= 0.5 * (density[i] + density[i + 1]);
  // f0 s + (f1 - f0) s^2 / 2 = rest, solved without cancellation.
  const double f0 = density[i], change = density[i + 1] - density[i];
  const double root = std::sqrt(std::max(0.0, f0 * f0 + 2 * change * rest));
  const double share = f0 + root > 0 ? std::min(1.0, 2 * rest / (f0 + root)) : 0.5;
  return (static_cast<double>(i) + share) / static_cast<double>(density.size() - 1);
}

void draw_in_cell(const GibbsDistribution& distribution, std::span<const double> context, const Cell& cell,
                  std::span<const double> uniforms, std::span<double> out) {
  DistributionWorkspace ws;
  std::vector<double> logits, density(static_cast<std::size_t>(kPositions));
  for (std::size_t d = 0; d < out.size(); ++d) {
    const InnerRule rule = inner_rule(cell, d + 1);
    const std::size_t inner = rule.nodes.size();
    const Candidates points = cell_points(cell, d, rule, out.first(d));
    distribution.logits(context, points, ws, logits);
    for (std::size_t k = 0; k < logits.size(); ++k) logits[k] += points.log_weights[k];
    for (std::size_t p = 0; p < density.size(); ++p)
      density[p] = log_sum_exp<double>(std::span<const double>(logits).subspan(p * inner, inner));
    const double highest = *std::max_element(density.begin(), density.end());
    for (double& value : density) value = std::exp(value - highest);
    out[d] = cell.lower[d] + invert_piecewise_linear(density, uniforms[d]) * (cell.upper[d] - cell.lower[d]);
  }
}

}  // namespace bl::simulation
