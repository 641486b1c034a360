#include "explain/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/render.hpp"

namespace bl::explain {

namespace {

std::vector<Aggregation> aggregations(const Problem& problem, const Block& block) {
  std::map<std::size_t, Aggregation> found;
  const auto at = [&](std::size_t variable) -> Aggregation& {
    Aggregation& one = found[variable];
    one.variable = variable;
    one.head_weights.resize(block.heads.size());
    return one;
  };
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    for (const Monomial& term : block.heads[h].terms)
      if (problem.variables[term.factors[0].variable].kind == VariableKind::block) {
        Aggregation& one = at(term.factors[0].variable);
        one.head_weights[h] = term.coefficient;
        one.share += std::abs(block.heads[h].lambda * term.coefficient);
      }
  for (const BlockWeight& carried : block.carried) {
    Aggregation& one = at(carried.variable);
    one.carried = carried.weight;
    one.share += std::abs(carried.weight);
  }
  std::vector<Aggregation> reads;
  double sum = 0;
  for (auto& [variable, one] : found) {
    sum += one.share;
    reads.push_back(std::move(one));
  }
  if (sum > 0)
    for (Aggregation& one : reads) one.share /= sum;
  std::stable_sort(reads.begin(), reads.end(),
                   [](const Aggregation& a, const Aggregation& b) { return a.share > b.share; });
  return reads;
}

std::string dominant_terms(const Problem& problem, const Block& block, std::size_t terms) {
  std::string text;
  for (const Head& head : block.heads) {
    text += (text.empty() ? "" : "; ") + head.name.substr(block.name.size() + 1);
    for (const Monomial* term : shown_terms(head, {.terms = terms, .threshold = 0, .block = {}}).terms)
      text += (term->coefficient < 0 ? " -" : " +") + factors_text(problem, *term);
  }
  return text;
}

}  // namespace

std::vector<std::vector<BlockProfile>> hierarchy(const Problem& problem, std::size_t terms) {
  std::vector<std::vector<BlockProfile>> layers;
  std::vector<double> influence(problem.variables.size(), 0);
  for (const Output& output : problem.outputs)
    for (const BlockWeight& one : output.blocks) influence[one.variable] += std::abs(one.weight);
  for (const auto& layer : problem.layers) {
    layers.emplace_back();
    for (const Block& block : layer)
      layers.back().push_back({.block = &block,
                               .influence = 0,
                               .reads = aggregations(problem, block),
                               .dominant = dominant_terms(problem, block, terms)});
  }
  for (std::size_t l = layers.size(); l-- > 0;) {
    double sum = 0;
    for (const BlockProfile& profile : layers[l]) sum += influence[profile.block->variable];
    for (BlockProfile& profile : layers[l]) {
      profile.influence = sum > 0 ? influence[profile.block->variable] / sum : 0;
      for (const Aggregation& one : profile.reads) influence[one.variable] += profile.influence * one.share;
    }
  }
  return layers;
}

std::vector<const Block*> leading_blocks(const Problem& problem, const RenderOptions& options) {
  constexpr std::size_t kMost = 8;
  std::vector<const Block*> blocks = chosen_blocks(problem, options);
  if (blocks.size() <= kMost) return blocks;
  const auto layers = hierarchy(problem, 0);
  std::vector<const BlockProfile*> all;
  for (const auto& layer : layers)
    for (const BlockProfile& profile : layer) all.push_back(&profile);
  std::stable_sort(all.begin(), all.end(),
                   [](const BlockProfile* a, const BlockProfile* b) { return a->influence > b->influence; });
  blocks.clear();
  for (std::size_t i = 0; i < kMost; ++i) blocks.push_back(all[i]->block);
  std::sort(blocks.begin(), blocks.end(),
            [](const Block* a, const Block* b) { return a->variable < b->variable; });
  return blocks;
}

}  // namespace bl::explain
