#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/wrapped_text.hpp"
#include "explain/curve_words.hpp"
#include "explain/hierarchy.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kProfileTerms = 3;
constexpr std::size_t kShownReads = 4;  // earlier blocks named per block

// "0.31 RM*MEDV", "- 0.2 LSTAT": the sign stands apart from the second piece on.
std::string signed_piece(double coefficient, const std::string& what, bool first) {
  const std::string number = number_text(std::abs(coefficient)) + (what.empty() ? "" : " " + what);
  if (first) return (coefficient < 0 ? "-" : "") + number;
  return (coefficient < 0 ? "- " : "+ ") + number;
}

std::vector<std::string> polynomial(const Problem& problem, const Head& head, const RenderOptions& options) {
  std::vector<std::string> pieces;
  const ShownTerms shown = shown_terms(head, options);
  for (const Monomial* term : shown.terms) {
    const std::string what = factors_text(problem, *term);
    if (term->curve || term->product)
      pieces.push_back(pieces.empty() ? what : "+ " + what);
    else
      pieces.push_back(signed_piece(term->coefficient, what, pieces.empty()));
  }
  if (head.constant != 0 || pieces.empty()) pieces.push_back(signed_piece(head.constant, "", pieces.empty()));
  if (shown.rest > 0) pieces.push_back(fmt::format("+ R[{}]", shown.rest));
  return pieces;
}

// A line for every knot of the first variable, with the values at those of the second.
std::string surface_lines(const Problem& problem, const Monomial::Product& product) {
  const Surface& s = product.surface;
  std::string out;
  for (std::size_t i = 0; i < s.first.knots.size(); ++i) {
    std::vector<std::string> points;
    for (std::size_t j = 0; j < s.second.knots.size(); ++j)
      points.push_back(fmt::format("{}: {}{}", number_text(s.second.knots[j]), number_text(s.at_knots(i, j)),
                                   j + 1 < s.second.knots.size() ? "," : ""));
    out += paragraph(fmt::format("             at {} {}, {}", problem.variables[product.variables[0]].name,
                                 number_text(s.first.knots[i]), problem.variables[product.variables[1]].name),
                     points, 15, kWidth);
  }
  return out;
}

// A line for every curve that is shown: what it does and, where all terms are asked for, its points.
std::string curve_lines(const Problem& problem, const Head& head, const RenderOptions& options) {
  constexpr std::size_t kIndent = 13;
  const bool all = options.terms >= head.terms.size();
  std::string out;
  for (const Monomial* term : shown_terms(head, options).terms) {
    const std::string name = factors_text(problem, *term);
    if (term->product) {
      out += paragraph(fmt::format("           {}", name), words(product_in_words(problem, *term->product)),
                       kIndent, kWidth);
      if (all) out += surface_lines(problem, *term->product);
    }
    if (!term->curve) continue;
    const Pieces& curve = term->curve->pieces;
    out += paragraph(fmt::format("           {}", name), words(curve_in_words(problem, *term->curve)),
                     kIndent, kWidth);
    if (!all) continue;
    std::vector<std::string> points;
    for (std::size_t i = 0; i < curve.knots.size(); ++i)
      points.push_back(fmt::format("{}: {}{}", number_text(curve.knots[i]), number_text(curve.values[i]),
                                   i + 1 < curve.knots.size() ? "," : ""));
    out += paragraph("             at", points, kIndent, kWidth);
  }
  return out;
}

std::string short_name(const Block& block, const Head& head) {
  return head.name.substr(block.name.size() + 1);
}

std::string head_lines(const Problem& problem, const Block& block, std::size_t h,
                       const RenderOptions& options) {
  constexpr std::size_t kIndent = 13;
  const Head& head = block.heads[h];
  const bool utility = head.kind == HeadKind::utility;
  const bool first_constraint = !utility && (h == 0 || block.heads[h - 1].kind == HeadKind::utility);
  std::vector<std::string> pieces = polynomial(problem, head, options);
  const std::string weight = fmt::format("(weight {}", number_text(head.lambda));
  if (utility) {
    if (!facts(head.activation).linear()) {
      pieces.front() = fmt::format("{}({}", bl::name(head.activation), pieces.front());
      pieces.back() += ")";
    }
    pieces.push_back(weight + ")");
  } else {
    pieces.push_back(head.kind == HeadKind::inequality ? "<= 0" : "= 0");
    pieces.push_back(fmt::format("{}, {})", weight, bl::name(head.activation)));
  }
  if (head.lambda < 0) pieces.push_back(utility ? "[minimised]" : "[rewarded: negative weight]");
  const std::string lead = utility && h == 0 ? "  max  " : first_constraint ? "  s.t. " : "       ";
  std::string out =
      paragraph(fmt::format("{}{:<3} = ", lead, short_name(block, head)), pieces, kIndent, kWidth);
  out += curve_lines(problem, head, options);
  const std::string reading = reading_note(problem, head, options);
  if (!reading.empty()) out += paragraph("           reads as", words(reading), kIndent, kWidth);
  return out;
}

std::string readout_note(const Problem& problem, const Block& block) {
  const auto weights = readout_of(problem, block);
  std::string note;
  for (const ReadoutWeight& one : weights)
    note += fmt::format("{}{} {:+.4g} ({})", note.empty() ? "in " : ", ", one.output, one.weight,
                        one.weight < 0 ? "minimised" : "maximised");
  return note;
}

std::string block_text(const Problem& problem, const Block& block, const RenderOptions& options) {
  std::string out = paragraph(block.name, words(readout_note(problem, block)), block.name.size() + 1, kWidth);
  for (std::size_t h = 0; h < block.heads.size(); ++h) out += head_lines(problem, block, h, options);
  if (!block.carried.empty()) {
    std::vector<std::string> pieces;
    for (const BlockWeight& one : block.carried)
      pieces.push_back(signed_piece(one.weight, problem.variables[one.variable].name, pieces.empty()));
    out += paragraph("  plus       ", pieces, 13, kWidth);
  }
  return out;
}

std::string outputs_text(const Problem& problem) {
  std::string out;
  for (const Output& output : problem.outputs) {
    std::vector<BlockWeight> blocks = output.blocks;
    std::stable_sort(blocks.begin(), blocks.end(), [](const BlockWeight& a, const BlockWeight& b) {
      return std::abs(a.weight) > std::abs(b.weight);
    });
    std::vector<std::string> pieces;
    for (const BlockWeight& one : blocks)
      pieces.push_back(signed_piece(one.weight, problem.variables[one.variable].name, pieces.empty()));
    if (output.constant != 0) pieces.push_back(signed_piece(output.constant, "", pieces.empty()));
    out += paragraph("  " + output.name + " =", pieces, output.name.size() + 5, kWidth);
  }
  return out;
}

std::string reads_text(const Problem& problem, const BlockProfile& profile) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < std::min(kShownReads, profile.reads.size()); ++i) {
    const Aggregation& one = profile.reads[i];
    std::string heads;
    for (std::size_t h = 0; h < one.head_weights.size(); ++h)
      heads += fmt::format("{}{} {:+.3g}", heads.empty() ? "" : ", ",
                           short_name(*profile.block, profile.block->heads[h]), one.head_weights[h]);
    if (one.carried != 0) heads += fmt::format(", carried {:+.3g}", one.carried);
    pieces.push_back(fmt::format("{} {:.0f}% ({}){}", problem.variables[one.variable].name, 100 * one.share,
                                 heads, i + 1 < profile.reads.size() ? "," : ""));
  }
  if (profile.reads.size() > kShownReads)
    pieces.push_back(fmt::format("and {} more", profile.reads.size() - kShownReads));
  return paragraph("      aggregates", pieces, 8, kWidth);
}

std::string hierarchy_text(const Problem& problem, const std::vector<std::vector<BlockProfile>>& layers) {
  std::string out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    out += fmt::format("  Layer {}{}\n", l + 1, l == 0 ? " (reads the variables)" : "");
    std::vector<const BlockProfile*> profiles;
    for (const BlockProfile& profile : layers[l]) profiles.push_back(&profile);
    std::stable_sort(profiles.begin(), profiles.end(), [](const BlockProfile* a, const BlockProfile* b) {
      return a->influence > b->influence;
    });
    for (const BlockProfile* profile : profiles) {
      out += paragraph(fmt::format("    {} {:.0f}%:", profile->block->name, 100 * profile->influence),
                       words(profile->dominant), 8, kWidth);
      out += paragraph("      ", words(profile->words), 8, kWidth);
      if (!profile->reads.empty()) out += reads_text(problem, *profile);
    }
  }
  return out;
}

std::string path_text(const Problem& problem, const std::vector<std::vector<BlockProfile>>& layers) {
  std::vector<std::string> pieces;
  for (const std::string& step : strongest_path(problem, layers))
    pieces.push_back(pieces.empty() ? step : "-> " + step);
  return paragraph("  Strongest way up:", pieces, 4, kWidth);
}

}  // namespace

std::string render_text(const Problem& problem, const RenderOptions& options) {
  const auto layers = hierarchy(problem, kProfileTerms);
  const std::vector<const Block*> blocks = chosen_blocks(problem, options);
  const bool whole = options.block.empty();
  std::string out;
  out += paragraph("",
                   words(fmt::format("The problem behind {}, in {} units", problem.response,
                                     problem.units == Units::original ? "the data's own" : "standardised")),
                   2, kWidth);
  if (whole && (blocks.size() > 1 || problem.outputs.size() > 1)) {
    out += "\nUtility: a weighted sum of blocks\n" + outputs_text(problem);
    if (blocks.size() > 1)
      out += "\nBlocks, by influence, with the signs of their largest terms\n" +
             hierarchy_text(problem, layers) + path_text(problem, layers);
  }
  bool rest = false;
  for (const Block* block : blocks) {
    out += "\n" + block_text(problem, *block, options);
    for (const Head& head : block->heads) rest = rest || shown_terms(head, options).rest > 0;
  }
  if (!options.readings.empty())
    out += "\nReadings are in standardised units and leave the other terms, R, as they are.\n";
  if (rest) out += "\nR[n] stands for n smaller terms; `terms` all prints them.\n";
  return out;
}

}  // namespace bl::explain
