#include "explain/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bl::explain {

ShownTerms shown_terms(const Head& head, const RenderOptions& options) {
  ShownTerms shown;
  for (const Monomial& term : head.terms) shown.terms.push_back(&term);
  std::stable_sort(shown.terms.begin(), shown.terms.end(),
                   [](const Monomial* a, const Monomial* b) { return a->size > b->size; });
  std::size_t keep = std::min(options.terms, shown.terms.size());
  while (keep > 0 && shown.terms[keep - 1]->size < options.threshold * shown.terms[0]->size) --keep;
  shown.rest = shown.terms.size() - keep;
  shown.terms.resize(keep);
  return shown;
}

std::string factors_text(const Problem& problem, const Monomial& term) {
  return text_of(term.factors, [&](std::size_t variable) {
    const Factor factor{.variable = variable};
    return problem.variables[variable].name + (term.curved(factor) || term.in_product(factor) ? "~" : "");
  });
}

std::string number_text(double value) {
  return fmt::format("{:.4g}", value);
}

std::string reading_note(const Problem& problem, const Head& head, const RenderOptions& options) {
  for (const FactorReading& reading : options.readings)
    if (reading.head == head.name)
      return fmt::format("{}, {:.2g}% off its {} largest terms", reading_text(problem, reading),
                         100 * reading.error, reading.terms);
  return {};
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
