#include "explain/fixed_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl::explain {

namespace {

bool is_level_of(const Variable& variable, const std::string& column) {
  return variable.kind == VariableKind::level && variable.column == column;
}

// Adds to an equal term, or to the end.
void gather(Monomial term, std::vector<Monomial>& terms) {
  const auto same = std::find_if(terms.begin(), terms.end(), [&](const Monomial& one) {
    return one.factors == term.factors && one.product.has_value() == term.product.has_value();
  });
  if (same == terms.end()) {
    terms.push_back(std::move(term));
    return;
  }
  const auto with_sign = [](const Monomial& one) { return std::copysign(one.size, one.coefficient); };
  const double size = std::abs(with_sign(*same) + with_sign(term));
  if (same->curve && term.curve) {  // of one column, and so over the same knots
    for (std::size_t i = 0; i < term.curve->pieces.values.size(); ++i)
      same->curve->pieces.values[i] += term.curve->pieces.values[i];
    for (std::size_t i = 0; i < term.curve->pieces.slopes.size(); ++i)
      same->curve->pieces.slopes[i] += term.curve->pieces.slopes[i];
    same->curve->band.reset();  // errors of a sum are not the sum of errors
    same->size = same->curve->pieces.size();
    return;
  }
  if (term.product) {  // of the same curves, and so over the same grid
    Surface& sum = same->product->surface;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += term.product->surface.values[i];
    same->product->errors.reset();
    same->size = sum.size();
    return;
  }
  same->coefficient += term.coefficient;
  same->size = size;
}

void fix(const Problem& problem, const std::string& column, const std::string& level, Head& head) {
  std::vector<Monomial> terms;
  for (Monomial& term : head.terms) {
    bool vanishes = false;
    std::erase_if(term.factors, [&](const Factor& factor) {
      const Variable& variable = problem.variables[factor.variable];
      const bool fixed = is_level_of(variable, column);
      vanishes |= fixed && variable.level != level;
      return fixed;
    });
    if (vanishes) continue;
    if (term.factors.empty())
      head.constant += term.coefficient;
    else
      gather(std::move(term), terms);
  }
  std::erase_if(terms, [](const Monomial& term) { return term.coefficient == 0; });
  head.terms = std::move(terms);
}

}  // namespace

Problem at_level(Problem problem, const std::string& column, const std::string& level) {
  std::vector<std::string> levels;
  for (const Variable& variable : problem.variables)
    if (is_level_of(variable, column)) levels.push_back(variable.level);
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    throw UsageError(fmt::format("there is no {} {} among {}{}", column, in_quotes(level),
                                 quoted_list(levels), did_you_mean(level, levels)));
  for (auto& layer : problem.layers)
    for (Block& block : layer)
      for (Head& head : block.heads) fix(problem, column, level, head);
  for (Output& output : problem.outputs) output.name += fmt::format("[{}={}]", column, level);
  return problem;
}

}  // namespace bl::explain
