#include "support/planted/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"

namespace bl::simulation {

namespace {

double inner_product(const Head& a, const Head& b) {
  double sum = a.bias * b.bias;
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) sum += a.coefficients[i] * b.coefficients[i];
  return sum;
}

// head += factor * other.
void add(Head& head, double factor, const Head& other) {
  head.bias += factor * other.bias;
  for (std::size_t i = 0; i < head.coefficients.size(); ++i)
    head.coefficients[i] += factor * other.coefficients[i];
}

void scale(Head& head, double factor) {
  head.bias *= factor;
  for (double& coefficient : head.coefficients) coefficient *= factor;
}

void take_up_lambda(Head& head, double lambda, Activation activation) {
  if (!(head.lambda > 0) || !(lambda > 0))
    throw NumericError(
        fmt::format("a head with weight {} cannot be scaled to weight {}", head.lambda, lambda));
  const double ratio = head.lambda / lambda;
  scale(head, facts(activation).degree == 2 ? std::sqrt(ratio) : ratio);
  head.lambda = lambda;
}

// One sign for the whole head; or, where every term belongs to one class and there is no bias, one for each
// class, since no candidate then sees the terms of two.
void align_signs(const PlantedProblem& problem, const Head& truth, Head& head) {
  const Architecture& a = problem.architecture;
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::vector<std::int32_t> group;
  for (const Term& term : terms) group.push_back(parts_of(term, a.input).class_index);
  const bool separate = a.basis.response_only && std::find(group.begin(), group.end(), -1) == group.end();
  if (!separate) {
    if (inner_product(head, truth) < 0) scale(head, -1);
    return;
  }
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(a.input.classes); ++c) {
    double product = 0;
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (group[t] == c) product += head.coefficients[t] * truth.coefficients[t];
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (group[t] == c && product < 0) head.coefficients[t] = -head.coefficients[t];
  }
}

}  // namespace

Block aligned(const PlantedProblem& problem, const Block& learned) {
  const Architecture& a = problem.architecture;
  const Block truth = block_of(a, problem.parameters);
  Block block = learned;
  for (const HeadKind kind : kHeadKinds) {
    auto& head = block[static_cast<std::size_t>(kind)];
    if (head && facts(a.activation(kind)).degree > 0)
      take_up_lambda(*head, truth[static_cast<std::size_t>(kind)]->lambda, a.activation(kind));
  }
  auto& [utility, inequality, equality] = block;
  if (equality) align_signs(problem, *truth[2], *equality);
  const bool linear_utility = utility && a.activation(HeadKind::utility) == Activation::identity;
  if (!linear_utility) return block;
  if (inequality && facts(a.activation(HeadKind::inequality)).reflects &&
      inner_product(*inequality, *truth[1]) < 0) {
    add(*utility, -inequality->lambda / utility->lambda, *inequality);
    scale(*inequality, -1);
  }
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  utility->bias = 0;
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (!reads_response(terms[t], a.input)) utility->coefficients[t] = 0;
  return block;
}

std::vector<std::uint8_t> identified_parameters(const PlantedProblem& problem) {
  const Architecture& a = problem.architecture;
  const ParameterLayout layout(a);
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::vector<std::uint8_t> identified(static_cast<std::size_t>(layout.size()), 1);
  for (const TensorInfo& tensor : layout.tensors()) {
    const bool linear_utility =
        tensor.kind == HeadKind::utility && a.activation(tensor.kind) == Activation::identity;
    const auto at = static_cast<std::size_t>(tensor.offset);
    if (tensor.role == TensorRole::lambda && facts(a.activation(tensor.kind)).degree > 0) identified[at] = 0;
    if (tensor.role == TensorRole::bias && linear_utility) identified[at] = 0;
    if (tensor.role != TensorRole::weight || !linear_utility) continue;
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (!reads_response(terms[t], a.input)) identified[at + t] = 0;
  }
  return identified;
}

}  // namespace bl::simulation
