#include "objective/quadrature_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr int kNodesPerPanel = 8;
constexpr int kAnchoredNodes = 160;  // about so many where there are not too many panels
constexpr int kFewestSteps = 2;      // per panel: Simpson's rule
constexpr double kNear = 0.25;       // of a panel: an end so near an anchor is left out

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

// The inner nodes are the zeros of P'_n, n = points - 1, found by Newton's iteration from Chebyshev's points.
void gauss_lobatto(int points, std::vector<double>& nodes, std::vector<double>& weights) {
  const int n = points - 1;
  nodes.assign(static_cast<std::size_t>(points), 0.0);
  weights.assign(static_cast<std::size_t>(points), 0.0);
  for (int i = 0; i < points; ++i) {
    double x = -std::cos(std::numbers::pi * i / n), p = 1;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double previous = 0;
      p = 1;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
        previous = p;
        p = next;
      }
      // (1 - x^2) P' = n (P_{n-1} - x P_n) and ((1 - x^2) P')' = -n (n + 1) P_n.
      const double step = (x * p - previous) / ((n + 1) * p);
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    nodes[static_cast<std::size_t>(i)] = i == 0 ? -1 : i == n ? 1 : x;
    weights[static_cast<std::size_t>(i)] = 2 / (n * (n + 1) * p * p);
  }
}

QuadratureRule anchored_rule(const Support& support, int panels, std::vector<double> values) {
  if (support.dimension() != 1) throw UsageError("an anchored rule is for one response dimension");
  const double lower = support.lower[0], upper = support.upper[0], width = (upper - lower) / panels;
  std::sort(values.begin(), values.end());
  std::vector<double> ends = {lower, upper};
  for (const double value : values)
    if (value > lower && value < upper) ends.push_back(value);
  for (int panel = 1; panel < panels; ++panel) {
    const double end = lower + panel * width;
    const auto after = std::lower_bound(values.begin(), values.end(), end);
    const bool near = (after != values.end() && *after - end < kNear * width) ||
                      (after != values.begin() && end - *(after - 1) < kNear * width);
    if (!near) ends.push_back(end);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto count = static_cast<int>(ends.size()) - 1;
  std::vector<double> nodes, weights;
  gauss_lobatto(1 + std::clamp(kAnchoredNodes / count, kFewestSteps, kNodesPerPanel - 1), nodes, weights);
  std::vector<double> at = {lower}, weight = {0};
  for (std::size_t panel = 0; panel + 1 < ends.size(); ++panel) {
    const double half = (ends[panel + 1] - ends[panel]) / 2, middle = (ends[panel + 1] + ends[panel]) / 2;
    weight.back() += half * weights[0];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      at.push_back(i + 1 == nodes.size() ? ends[panel + 1] : middle + half * nodes[i]);
      weight.push_back(half * weights[i]);
    }
  }
  QuadratureRule rule;
  rule.nodes.resize(static_cast<Index>(at.size()), 1);
  std::copy(at.begin(), at.end(), rule.nodes.data());
  for (const double w : weight) rule.log_weights.push_back(std::log(w));
  return rule;
}

// One more than a multiple of `panels`: the two numbers have no common divisor.
int judging_panels(int panels, Index dimension) {
  return dimension == 1 ? 4 * panels + 1 : panels + 1;
}

QuadratureRule composite_rule(const Support& support, int panels) {
  const Index dimension = support.dimension();
  if (dimension < 1 || dimension > 2)
    throw UsageError(fmt::format(
        "the quadrature likelihood serves one or two response dimensions, not {}; use `objective` = dsm",
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
