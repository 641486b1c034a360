#include "explain/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/joined.hpp"
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

std::vector<ColumnShare> column_shares(const Problem& problem, const Block& block) {
  struct Found {
    ColumnShare share;
    double largest = 0;
  };
  std::map<std::string, Found> found;
  std::map<std::string, double> levels;  // of a column: one of them is 1 at a time, so their mean counts
  for (const Variable& v : problem.variables)
    if (v.kind == VariableKind::level) levels[v.column] += 1;
  double sum = 0;
  for (const Head& head : block.heads)
    for (const Monomial& term : head.terms) {
      const double size = std::abs(head.lambda) * term.size / static_cast<double>(term.factors.size());
      for (const Factor& factor : term.factors) {
        const Variable& v = problem.variables[factor.variable];
        const double part = v.kind == VariableKind::level ? size / levels[v.column] : size;
        sum += part;
        if (v.kind == VariableKind::block) continue;
        Found& one = found[v.column];
        one.share.column = v.column;
        one.share.response = v.response;
        one.share.share += part;
        if (size > one.largest) {
          one.largest = size;
          one.share.positive = term.coefficient > 0;
        }
      }
    }
  std::vector<ColumnShare> shares;
  for (auto& [name, one] : found) {
    if (sum > 0) one.share.share /= sum;
    shares.push_back(std::move(one.share));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ColumnShare& a, const ColumnShare& b) { return a.share > b.share; });
  return shares;
}

std::string block_words(const Problem& problem, const Block& block, std::size_t terms) {
  return joined(block.heads, "; ", [&](const Head& head) { return head_words(problem, head, terms); });
}

std::string dominant_terms(const Problem& problem, const Block& block, std::size_t terms) {
  return joined(block.heads, "; ", [&](const Head& head) {
    std::string text = head.name.substr(block.name.size() + 1);
    for (const Monomial* term : shown_terms(head, {.terms = terms, .threshold = 0, .block = {}}).terms)
      text += (term->coefficient < 0 ? " -" : " +") + factors_text(problem, *term);
    return text;
  });
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
                               .columns = column_shares(problem, block),
                               .dominant = dominant_terms(problem, block, terms),
                               .words = block_words(problem, block, terms)});
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

std::string head_words(const Problem& problem, const Head& head, std::size_t terms) {
  std::string up, down;
  for (const Monomial* term : shown_terms(head, {.terms = terms, .threshold = 0, .block = {}}).terms) {
    std::string& list = term->coefficient < 0 ? down : up;
    list += (list.empty() ? "" : ", ") + factors_text(problem, *term);
  }
  const std::string& only = up.empty() ? down : up;
  switch (head.kind) {
    case HeadKind::utility:
      if (up.empty() || down.empty()) return (up.empty() ? "wants less " : "wants more ") + only;
      return "wants more " + up + ", less " + down;
    case HeadKind::inequality:
      if (up.empty()) return "asks for " + down;
      return "limits " + up + (down.empty() ? "" : ", " + down + " makes room");
    case HeadKind::equality:
      return up.empty() || down.empty() ? "pins down " + only : "balances " + up + " against " + down;
  }
  return {};
}

std::vector<std::string> strongest_path(const Problem& problem,
                                        const std::vector<std::vector<BlockProfile>>& layers) {
  constexpr std::size_t kColumns = 3;
  const auto stronger = [](const BlockProfile& a, const BlockProfile& b) {
    return a.influence < b.influence;
  };
  const BlockProfile* at = &*std::max_element(layers.back().begin(), layers.back().end(), stronger);
  std::vector<std::string> path = {problem.outputs.size() == 1 ? problem.outputs[0].name : "utilities"};
  for (;;) {
    path.push_back(at->block->name);
    if (at->reads.empty()) break;
    const std::size_t next = at->reads.front().variable;
    for (const auto& layer : layers)
      for (const BlockProfile& profile : layer)
        if (profile.block->variable == next) at = &profile;
  }
  path.push_back(joined(std::span(at->columns).first(std::min(kColumns, at->columns.size())), ", ",
                        [](const ColumnShare& one) { return one.column; }));
  std::reverse(path.begin(), path.end());
  return path;
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
