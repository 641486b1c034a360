#include "explain/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl::explain {

const Block& Problem::block(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& layer : layers)
    for (const Block& block : layer) {
      if (block.name == name) return block;
      names.push_back(block.name);
    }
  throw UsageError(fmt::format("there is no block {}{}; blocks are called {} to {}", in_quotes(name),
                               did_you_mean(name, names), names.front(), names.back()));
}

std::vector<Variable> network_inputs(const Problem& problem) {
  std::vector<Variable> inputs;
  auto products = problem.products.begin();
  const auto add_products = [&] {
    for (; products != problem.products.end(); ++products)
      for (const std::string& name : products->names)
        inputs.push_back({.name = name, .kind = VariableKind::bend});
  };
  for (const Variable& v : problem.variables) {
    if (v.kind == VariableKind::block) break;
    if (v.response) add_products();
    inputs.push_back(v);
    for (const std::string& name : v.bends)
      inputs.push_back({.name = name, .kind = VariableKind::bend, .column = v.column});
  }
  add_products();
  return inputs;
}

double contribution(const Head& head, double value) {
  const double sign = head.kind == HeadKind::utility ? 1 : -1;
  return sign * head.lambda * activate(head.activation, value);
}

Evaluation evaluate(const Problem& problem, const std::vector<double>& inputs) {
  Evaluation result;
  result.variables.resize(problem.variables.size());
  std::copy(inputs.begin(), inputs.end(), result.variables.begin());
  for (const auto& layer : problem.layers) {
    result.heads.emplace_back();
    for (const Block& block : layer) {
      double total = 0;
      for (const BlockWeight& carried : block.carried)
        total += carried.weight * result.variables[carried.variable];
      std::vector<double> values;
      for (const Head& head : block.heads) {
        double value = head.constant;
        for (const Monomial& term : head.terms) value += value_of(term, result.variables);
        total += contribution(head, value);
        values.push_back(value);
      }
      result.variables[block.variable] = total;
      result.heads.back().push_back(std::move(values));
    }
  }
  for (const Output& output : problem.outputs) {
    double value = output.constant;
    for (const BlockWeight& one : output.blocks) value += one.weight * result.variables[one.variable];
    result.outputs.push_back(value);
  }
  return result;
}

}  // namespace bl::explain
