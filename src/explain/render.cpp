#include "explain/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bl::explain {

double term_size(const Problem& problem, const Monomial& term) {
  double size = std::abs(term.coefficient);
  if (problem.units == Units::standardised) return size;
  for (const Factor& factor : term.factors)
    size *= std::pow(problem.variables[factor.variable].scale, factor.power);
  return size;
}

ShownTerms shown_terms(const Problem& problem, const Head& head, const RenderOptions& options) {
  ShownTerms shown;
  for (const Monomial& term : head.terms) shown.terms.push_back(&term);
  std::stable_sort(shown.terms.begin(), shown.terms.end(), [&](const Monomial* a, const Monomial* b) {
    return term_size(problem, *a) > term_size(problem, *b);
  });
  std::size_t keep = std::min(options.terms, shown.terms.size());
  while (keep > 0 &&
         term_size(problem, *shown.terms[keep - 1]) < options.threshold * term_size(problem, *shown.terms[0]))
    --keep;
  shown.rest = shown.terms.size() - keep;
  shown.terms.resize(keep);
  return shown;
}

std::string factors_text(const Problem& problem, const Monomial& term) {
  std::string text;
  for (const Factor& factor : term.factors) {
    text += (text.empty() ? "" : "*") + problem.variables[factor.variable].name;
    if (factor.power > 1) text += fmt::format("^{}", factor.power);
  }
  return text;
}

std::string number_text(double value) {
  return fmt::format("{:.4g}", value);
}

std::vector<ReadoutWeight> readout_of(const Problem& problem, const Block& block) {
  std::vector<ReadoutWeight> weights;
  for (const Output& output : problem.outputs)
    for (const BlockWeight& one : output.blocks)
      if (one.variable == block.variable) weights.push_back({output.name, one.weight});
  return weights;
}

std::vector<const Block*> chosen_blocks(const Problem& problem, const RenderOptions& options) {
  if (!options.block.empty()) return {&problem.block(options.block)};
  std::vector<const Block*> blocks;
  for (const auto& layer : problem.layers)
    for (const Block& block : layer) blocks.push_back(&block);
  return blocks;
}

}  // namespace bl::explain
