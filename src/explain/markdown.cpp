#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/markup.hpp"
#include "explain/expansion.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr std::size_t kBlocksPerTable = 2;

const Monomial* find_term(const Head& head, const std::vector<Factor>& factors) {
  for (const Monomial& term : head.terms)
    if (term.factors == factors) return &term;
  return nullptr;
}

std::string row(const std::string& label, const std::vector<std::string>& cells) {
  std::string out = "| " + label;
  for (const std::string& cell : cells) out += " | " + cell;
  return out + " |\n";
}

std::string table(const Problem& problem, const std::vector<const Block*>& blocks,
                  const RenderOptions& options) {
  std::vector<const Head*> heads;
  std::set<std::vector<Factor>, GradedOrder> rows;
  std::vector<std::string> names, lambdas, constants, activations;
  for (const Block* block : blocks)
    for (const Head& head : block->heads) {
      heads.push_back(&head);
      names.push_back(head.name);
      lambdas.push_back(number_text(head.lambda));
      constants.push_back(number_text(head.constant));
      activations.emplace_back(bl::name(head.activation));
      for (const Monomial* term : shown_terms(head, options).terms) rows.insert(term->factors);
    }
  std::string out = row("Variable", names) + "|:---";
  for (std::size_t i = 0; i < heads.size(); ++i) out += "|---:";
  out += "|\n" + row("activation", activations) + row("λ", lambdas);
  std::vector<std::size_t> shown(heads.size(), 0);
  for (const auto& factors : rows) {
    std::vector<std::string> cells;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const Monomial* term = find_term(*heads[h], factors);
      cells.push_back(term == nullptr                ? "0"
                      : term->curve || term->product ? "~ " + number_text(term->size)
                                                     : number_text(term->coefficient));
      shown[h] += term ? 1 : 0;
    }
    out += row(markdown_escaped(factors_text(problem, {1, 0, factors})), cells);
  }
  out += row("Constant", constants);
  std::vector<std::string> rest;
  bool any = false;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    any = any || heads[h]->terms.size() > shown[h];
    rest.push_back(fmt::format("{} terms", heads[h]->terms.size() - shown[h]));
  }
  return any ? out + row("R (left out)", rest) : out;
}

std::string carried_text(const Problem& problem, const Block& block) {
  if (block.carried.empty()) return {};
  std::string out = fmt::format("\n{} also carries over", block.name);
  for (const BlockWeight& one : block.carried)
    out += fmt::format(" {:+.4g} {}", one.weight, problem.variables[one.variable].name);
  return out + "\n";
}

std::string readings_text(const Problem& problem, const Block& block, const RenderOptions& options) {
  std::string out;
  for (const Head& head : block.heads)
    if (const std::string note = reading_note(problem, head, options); !note.empty())
      out += fmt::format("\nIn standardised units {} reads as {}.\n", head.name, markdown_escaped(note));
  return out;
}

std::string outputs_table(const Problem& problem) {
  std::vector<std::string> names;
  for (const BlockWeight& one : problem.outputs[0].blocks)
    names.push_back(problem.variables[one.variable].name);
  names.push_back("Constant");
  std::string out =
      "\n## Readout\n\nBlocks with a negative weight are minimised.\n\n" + row("Utility", names) + "|:---";
  for (std::size_t i = 0; i < names.size(); ++i) out += "|---:";
  out += "|\n";
  for (const Output& output : problem.outputs) {
    std::vector<std::string> cells;
    for (const BlockWeight& one : output.blocks) cells.push_back(number_text(one.weight));
    cells.push_back(number_text(output.constant));
    out += row(markdown_escaped(output.name), cells);
  }
  return out;
}

}  // namespace

std::string render_markdown(const Problem& problem, const RenderOptions& options) {
  std::string out = fmt::format("# The problem behind {}, in {} units\n", markdown_escaped(problem.response),
                                problem.units == Units::original ? "the data's own" : "standardised");
  const std::vector<const Block*> chosen = chosen_blocks(problem, options);
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    std::vector<const Block*> blocks;
    for (const Block& block : problem.layers[l])
      if (std::find(chosen.begin(), chosen.end(), &block) != chosen.end()) blocks.push_back(&block);
    if (blocks.empty()) continue;
    out += fmt::format("\n## Layer {}\n", l + 1);
    for (std::size_t from = 0; from < blocks.size(); from += kBlocksPerTable) {
      const std::size_t to = std::min(blocks.size(), from + kBlocksPerTable);
      const std::vector<const Block*> group(blocks.begin() + static_cast<std::ptrdiff_t>(from),
                                            blocks.begin() + static_cast<std::ptrdiff_t>(to));
      out += "\n" + table(problem, group, options);
      for (const Block* block : group)
        out += carried_text(problem, *block) + readings_text(problem, *block, options);
    }
  }
  if (options.block.empty()) out += outputs_table(problem);
  return out;
}

}  // namespace bl::explain
