#include "explain/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/wrapped_text.hpp"
#include "explain/hierarchy.hpp"

namespace bl::explain {

namespace {

constexpr std::size_t kReadBlocks = 5;
constexpr std::size_t kOverviewWidth = 80;
constexpr std::size_t kShownColumns = 12, kShownBlocks = 6, kOverviewProfileTerms = 2;
constexpr std::size_t kLongestColumn = 16;  // longer names are cut

using Layers = std::vector<std::vector<BlockProfile>>;

std::string percent(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

// "  58 other blocks, 79% together".
std::string others(std::size_t count, const std::string& what, const std::string& amount) {
  return fmt::format("  {} other {}{}, {}\n", count, what, count == 1 ? "" : "s", amount);
}

// As many of the parts between separators as fit, then "...".
std::string cut(const std::string& text, const std::string& separator, std::size_t width) {
  if (text.size() <= width) return text;
  const std::string more = separator + "...";
  const std::size_t room = width > more.size() ? width - more.size() : 0;
  const std::size_t end = text.rfind(separator, room);
  return end == std::string::npos ? text.substr(0, room) + "..." : text.substr(0, end) + more;
}

// A column of the data, its share and its largest term in any head.
struct ColumnPart {
  std::string name = {};
  double share = 0;
  double largest = 0;
  const Head* head = nullptr;
  const Monomial* term = nullptr;
};

// What the block reads of the columns, counted by its influence.
void add_block(const Problem& problem, const BlockProfile& profile, bool responses,
               std::map<std::string, ColumnPart>& found) {
  for (const ColumnShare& one : profile.columns)
    if (one.response == responses) {
      found[one.column].name = one.column;
      found[one.column].share += profile.influence * one.share;
    }
  for (const Head& head : profile.block->heads)
    for (const Monomial& term : head.terms)
      for (const Factor& factor : term.factors) {
        const auto at = found.find(problem.variables[factor.variable].column);
        const double size = profile.influence * std::abs(head.lambda) * term.size;
        if (at == found.end() || size <= at->second.largest) continue;
        at->second.largest = size;
        at->second.head = &head;
        at->second.term = &term;
      }
}

// The largest share first; of responses where there is nothing else.
std::vector<ColumnPart> column_parts(const Problem& problem, const Layers& layers) {
  const bool responses =
      std::all_of(problem.variables.begin(), problem.variables.end(),
                  [](const Variable& v) { return v.response || v.kind == VariableKind::block; });
  std::map<std::string, ColumnPart> found;
  for (const auto& layer : layers)
    for (const BlockProfile& profile : layer) add_block(problem, profile, responses, found);
  double sum = 0;
  std::vector<ColumnPart> parts;
  for (const auto& [name, part] : found) {
    sum += part.share;
    parts.push_back(part);
  }
  for (ColumnPart& part : parts) part.share = sum > 0 ? part.share / sum : 0;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ColumnPart& a, const ColumnPart& b) { return a.share > b.share; });
  return parts;
}

std::string term_in_words(const Problem& problem, const Monomial& term) {
  if (term.curve) return shape_in_words(term.curve->pieces);
  const std::string factors = factors_text(problem, term);
  if (!term.product) return fmt::format("{:+.4g} {}", term.coefficient, factors);
  const auto& [first, second] = term.product->variables;
  return factors + " " +
         shape_in_words(term.product->surface, problem.variables[first].name, problem.variables[second].name);
}

std::string columns_text(const Problem& problem, const Layers& layers) {
  const std::vector<ColumnPart> parts = column_parts(problem, layers);
  std::size_t width = 0, place = 0;
  for (std::size_t i = 0; i < std::min(kShownColumns, parts.size()); ++i) {
    width = std::max(width, std::min(kLongestColumn, parts[i].name.size()));
    if (parts[i].head != nullptr) place = std::max(place, parts[i].head->name.size());
  }
  std::string out;
  double rest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ColumnPart& part = parts[i];
    if (i >= kShownColumns) {
      rest += part.share;
      continue;
    }
    const std::string start =
        fmt::format("  {:<{}} {:>4}", part.name.substr(0, kLongestColumn), width, percent(part.share));
    if (part.term == nullptr) {
      out += start + "\n";
      continue;
    }
    const std::string what = term_in_words(problem, *part.term);
    const std::string line = fmt::format("{}  {:<{}} ", start, part.head->name, place);
    out += line + cut(what, ", ", kOverviewWidth - line.size()) + "\n";
  }
  if (parts.size() > kShownColumns)
    out += others(parts.size() - kShownColumns, "column", percent(rest) + " together");
  return out;
}

// The most influential blocks of one layer, two lines each, and what the others amount to.
std::string layer_text(const std::vector<BlockProfile>& layer, std::size_t shown, const std::string& of) {
  std::vector<const BlockProfile*> profiles;
  for (const BlockProfile& profile : layer) profiles.push_back(&profile);
  std::stable_sort(profiles.begin(), profiles.end(),
                   [](const BlockProfile* a, const BlockProfile* b) { return a->influence > b->influence; });
  std::string out;
  double rest = 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (i >= shown) {
      rest += profiles[i]->influence;
      continue;
    }
    const std::string start =
        fmt::format("  {} {}: ", profiles[i]->block->name, percent(profiles[i]->influence));
    out += wrapped(start, cut(profiles[i]->words, "; ", 2 * (kOverviewWidth - start.size()) - kLongestColumn),
                   6, kOverviewWidth);
  }
  if (profiles.size() > shown)
    out += others(profiles.size() - shown, "block", fmt::format("{} of the {} together", percent(rest), of));
  return out;
}

// All of up to three layers, of more the first and the last.
std::string blocks_text(const Layers& layers) {
  const std::size_t count = layers.size();
  const std::size_t listed = count <= 3 ? count : 2;
  std::string out;
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t l = count <= 3 || i == 0 ? i : count - 1;
    out += layer_text(layers[l], kShownBlocks / listed,
                      count == 1 ? "utility" : fmt::format("influence of layer {}", l + 1));
    if (count > 3 && i == 0) out += fmt::format("  {} layers between are not listed\n", count - 2);
  }
  return out;
}

}  // namespace

bool is_large(const Problem& problem) {
  std::size_t blocks = 0;
  for (const auto& layer : problem.layers) blocks += layer.size();
  return blocks > kReadBlocks;
}

std::string overview_text(const Problem& problem) {
  const Layers layers = hierarchy(problem, kOverviewProfileTerms);
  std::size_t blocks = 0, heads = 0;
  for (const auto& layer : problem.layers)
    for (const Block& block : layer) {
      ++blocks;
      heads += block.heads.size();
    }
  std::string out = wrapped(
      "",
      fmt::format("The problem behind {}, in {} units: {} blocks with {} heads, more "
                  "than can be read. In short:",
                  cut(problem.response, ", ", kOverviewWidth),
                  problem.units == Units::original ? "the data's own" : "standardised", blocks, heads),
      2, kOverviewWidth);
  out += "\nColumns by share, each with its largest term (U wants, C limits, T balances)\n" +
         columns_text(problem, layers);
  out += "\nBlocks by influence\n" + blocks_text(layers);
  out +=
      "\n`simplify` finds a problem that can be read in full.\n"
      "`full` prints all of this one, `block` NAME one block.\n";
  return out;
}

}  // namespace bl::explain
