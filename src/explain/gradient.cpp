#include "explain/gradient.hpp"

#include <algorithm>
#include <cmath>

namespace bl::explain {

namespace {

double power(double base, int exponent) {
  double product = 1;
  for (int k = 0; k < exponent; ++k) product *= base;
  return product;
}

// sums += weight times the derivatives of one term.
void add_term(const Monomial& term, const std::vector<double>& values, double weight,
              std::vector<double>& sums) {
  for (const Factor& by : term.factors) {
    double product = weight * term.coefficient * by.power * power(values[by.variable], by.power - 1);
    for (const Factor& other : term.factors)
      if (other.variable != by.variable) product *= power(values[other.variable], other.power);
    sums[by.variable] += product;
  }
}

// Change of an activation when its head moves at the given speed; at a kink the side it moves to counts.
double directional(Activation activation, double head, double speed, double tolerance) {
  const double* kink = kink_near(activation, head, tolerance);
  if (kink == nullptr) return slope(activation, head) * speed;
  return (speed > 0 ? slope_from_right(activation, *kink) : slope(activation, *kink)) * speed;
}

// Change of the output when `variable` moves at speed `direction` (1 or -1).
double directional(const Problem& problem, const Evaluation& at, std::size_t output, std::size_t variable,
                   double direction, double tolerance) {
  std::vector<double> speeds(problem.variables.size(), 0);
  speeds[variable] = direction;
  for (std::size_t l = 0; l < problem.layers.size(); ++l)
    for (std::size_t b = 0; b < problem.layers[l].size(); ++b) {
      const Block& block = problem.layers[l][b];
      double total = 0;
      for (const BlockWeight& one : block.carried) total += one.weight * speeds[one.variable];
      for (std::size_t h = 0; h < block.heads.size(); ++h) {
        const Head& head = block.heads[h];
        std::vector<double> partial(problem.variables.size(), 0);
        for (const Monomial& term : head.terms) add_term(term, at.variables, 1, partial);
        double speed = 0;
        for (std::size_t v = 0; v < speeds.size(); ++v) speed += partial[v] * speeds[v];
        const double sign = head.kind == HeadKind::utility ? 1 : -1;
        total += sign * head.lambda * directional(head.activation, at.heads[l][b][h], speed, tolerance);
      }
      speeds[block.variable] = total;
    }
  double sum = 0;
  for (const BlockWeight& one : problem.outputs[output].blocks) sum += one.weight * speeds[one.variable];
  return sum;
}

}  // namespace

std::vector<double> sensitivities(const Problem& problem, const Evaluation& at, std::size_t output) {
  std::vector<double> sums(problem.variables.size(), 0);
  for (const BlockWeight& one : problem.outputs[output].blocks) sums[one.variable] += one.weight;
  for (std::size_t l = problem.layers.size(); l-- > 0;)
    for (std::size_t b = 0; b < problem.layers[l].size(); ++b) {
      const Block& block = problem.layers[l][b];
      const double d_block = sums[block.variable];
      for (const BlockWeight& one : block.carried) sums[one.variable] += d_block * one.weight;
      for (std::size_t h = 0; h < block.heads.size(); ++h) {
        const Head& head = block.heads[h];
        const double sign = head.kind == HeadKind::utility ? 1 : -1;
        const double d_head = d_block * sign * head.lambda * slope(head.activation, at.heads[l][b][h]);
        if (d_head == 0) continue;
        for (const Monomial& term : head.terms) add_term(term, at.variables, d_head, sums);
      }
    }
  return sums;
}

std::vector<double> gradient(const Problem& problem, const Evaluation& at, std::size_t output) {
  std::vector<double> sums = sensitivities(problem, at, output);
  while (!sums.empty() && problem.variables[sums.size() - 1].kind == VariableKind::block) sums.pop_back();
  return sums;
}

OneSided one_sided(const Problem& problem, const Evaluation& at, std::size_t output, std::size_t variable,
                   double tolerance) {
  return {.left = -directional(problem, at, output, variable, -1, tolerance),
          .right = directional(problem, at, output, variable, 1, tolerance)};
}

std::vector<const Head*> heads_at_kinks(const Problem& problem, const Evaluation& at, double tolerance) {
  std::vector<const Head*> found;
  for (std::size_t l = 0; l < problem.layers.size(); ++l)
    for (std::size_t b = 0; b < problem.layers[l].size(); ++b)
      for (std::size_t h = 0; h < problem.layers[l][b].heads.size(); ++h) {
        const Head& head = problem.layers[l][b].heads[h];
        if (kink_near(head.activation, at.heads[l][b][h], tolerance) != nullptr) found.push_back(&head);
      }
  return found;
}

}  // namespace bl::explain
