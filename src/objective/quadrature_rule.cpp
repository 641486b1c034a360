#include "objective/quadrature_rule.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr int kNodesPerPanel = 8;

struct Rule1d {
  std::vector<double> nodes, log_weights;
};

Rule1d composite_1d(double lower, double upper, int panels) {
  std::vector<double> nodes, weights;
  gauss_legendre(kNodesPerPanel, nodes, weights);
  Rule1d rule;
  const double half = 0.5 * (upper - lower) / panels;
  for (int panel = 0; panel < panels; ++panel) {
    const double middle = lower + (2 * panel + 1) * half;
    for (int i = 0; i < kNodesPerPanel; ++i) {
      rule.nodes.push_back(middle + half * nodes[static_cast<std::size_t>(i)]);
      rule.log_weights.push_back(std::log(half * weights[static_cast<std::size_t>(i)]));
    }
  }
  return rule;
}

}  // namespace

// Newton's iteration on the Legendre polynomial, from the Chebyshev-like first guess.
void gauss_legendre(int order, std::vector<double>& nodes, std::vector<double>& weights) {
  nodes.assign(static_cast<std::size_t>(order), 0.0);
  weights.assign(static_cast<std::size_t>(order), 0.0);
  for (int i = 0; i < order; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (order + 0.5));
    double slope = 1;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double p = 1, previous = 0;
      for (int k = 1; k <= order; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
        previous = p;
        p = next;
      }
      slope = order * (x * p - previous) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    nodes[static_cast<std::size_t>(i)] = x;
    weights[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
  }
}

QuadratureRule composite_rule(const Support& support, int panels) {
  const Index dimension = support.dimension();
  if (dimension < 1 || dimension > 2)
    throw UsageError(fmt::format(
        "the quadrature likelihood serves one or two response dimensions, not {}; use --objective dsm",
        dimension));
  if (panels < 1) throw UsageError("the quadrature rule needs at least one panel");
  std::vector<Rule1d> rules;
  for (std::size_t d = 0; d < support.lower.size(); ++d) {
    const double lower = support.lower[d], upper = support.upper[d];
    if (!(lower < upper) || std::isinf(lower) || std::isinf(upper))
      throw UsageError(fmt::format("the support of response {} is [{}, {}]; give a finite, non-empty range",
                                   d + 1, lower, upper));
    rules.push_back(composite_1d(lower, upper, panels));
  }
  QuadratureRule rule;
  if (dimension == 1) {
    rule.nodes.resize(static_cast<Index>(rules[0].nodes.size()), 1);
    std::copy(rules[0].nodes.begin(), rules[0].nodes.end(), rule.nodes.data());
    rule.log_weights = rules[0].log_weights;
    return rule;
  }
  const std::size_t first = rules[0].nodes.size(), second = rules[1].nodes.size();
  rule.nodes.resize(static_cast<Index>(first * second), 2);
  for (std::size_t i = 0; i < first; ++i) {
    for (std::size_t j = 0; j < second; ++j) {
      double* node = rule.nodes.row(static_cast<Index>(i * second + j));
      node[0] = rules[0].nodes[i];
      node[1] = rules[1].nodes[j];
      rule.log_weights.push_back(rules[0].log_weights[i] + rules[1].log_weights[j]);
    }
  }
  return rule;
}

}  // namespace bl
