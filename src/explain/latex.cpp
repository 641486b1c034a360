#include <fmt/format.h>

#include <cmath>

#include "base/markup.hpp"
#include "base/unknown.hpp"
#include "explain/curve_words.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr std::size_t kTermsPerLine = 3;

// 1.2e-05 as 1.2 \cdot 10^{-5}.
std::string latex_number(double value) {
  const std::string plain = number_text(value);
  const std::size_t e = plain.find('e');
  if (e == std::string::npos) return plain;
  return fmt::format("{} \\cdot 10^{{{}}}", plain.substr(0, e), std::stoi(plain.substr(e + 1)));
}

std::string factors(const Problem& problem, const Monomial& term) {
  std::vector<Factor> shown = term.factors;
  if (term.product)
    std::erase(shown, Factor{.variable = term.product->variables[1]});  // stands beside the first
  return latex_of(shown, [&](std::size_t variable) {
    if (term.in_product({.variable = variable}))
      return fmt::format("f(\\text{{{}}},\\text{{{}}})", latex_escaped(problem.variables[variable].name),
                         latex_escaped(problem.variables[term.product->variables[1]].name));
    const bool curved = term.curve && term.curve->variable == variable;
    return fmt::format("{}\\text{{{}}}{}", curved ? "f(" : "",
                       latex_escaped(problem.variables[variable].name), curved ? ")" : "");
  });
}

// Terms with their signs, broken into lines that align at their start.
class Sum {
 public:
  void add(double coefficient, const std::string& what) {
    add_text(coefficient < 0 ? "-" : "+",
             latex_number(std::abs(coefficient)) + (what.empty() ? "" : "\\," + what));
  }
  void add_text(const std::string& sign, const std::string& what) {
    if (count_ > 0 && count_ % kTermsPerLine == 0) out_ += " \\\\\n  &\\quad ";
    if (count_ > 0 || sign == "-") out_ += fmt::format(" {} ", sign);
    out_ += what;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::size_t count_ = 0;
};

std::string head_lines(const Problem& problem, const Block& block, const Head& head,
                       const RenderOptions& options) {
  Sum sum;
  const ShownTerms shown = shown_terms(head, options);
  for (const Monomial* term : shown.terms) sum.add(term->coefficient, factors(problem, *term));
  if (head.constant != 0 || sum.empty()) sum.add(head.constant, "");
  if (shown.rest > 0) sum.add_text("+", fmt::format("R_{{{}}}", shown.rest));
  const std::string number_of_head = head.name.substr(block.name.size() + 2);
  const std::string name = fmt::format("{}_{{{}}}", letter(head.kind), number_of_head);
  const std::string weight = fmt::format("\\qquad (\\lambda = {},\\ {})", latex_number(head.lambda),
                                         bl::latex(head.activation, name));
  switch (head.kind) {
    case HeadKind::utility:
      return fmt::format("\\max\\quad {} &= {}{}", name, sum.text(), weight);
    case HeadKind::inequality:
      return fmt::format("\\text{{s.t.}}\\quad {} &= {} \\le 0{}", name, sum.text(), weight);
    case HeadKind::equality:
      return fmt::format("\\text{{s.t.}}\\quad {} &= {} = 0{}", name, sum.text(), weight);
  }
  return {};
}

// A table of values, with their errors where they are known: knots of the first variable downwards, of the
// second across.
std::string surface_note(const Problem& problem, const Head& head, const Monomial& term) {
  const Surface& s = term.product->surface;
  const auto& errors = term.product->errors;
  std::string out = fmt::format("In {}, ${}$: {}. It is bilinear between\n\n\\begin{{tabular}}{{r|{}}}\n",
                                latex_escaped(head.name), factors(problem, term),
                                latex_escaped(product_in_words(problem, *term.product)),
                                std::string(s.second.knots.size(), 'r'));
  for (const double knot : s.second.knots) out += fmt::format(" & ${}$", latex_number(knot));
  out += " \\\\ \\hline\n";
  for (std::size_t i = 0; i < s.first.knots.size(); ++i) {
    out += fmt::format("${}$", latex_number(s.first.knots[i]));
    for (std::size_t j = 0; j < s.second.knots.size(); ++j) {
      out += fmt::format(" & ${}$", latex_number(s.at_knots(i, j)));
      const double error = errors ? errors->at_knots[i * s.second.knots.size() + j] : kUnknown;
      if (std::isfinite(error)) out += fmt::format(" (${}$)", latex_number(error));
    }
    out += " \\\\\n";
  }
  return out + fmt::format("\\end{{tabular}}\n\n({} downwards, {} across{}).\n\n",
                           latex_escaped(problem.variables[term.product->variables[0]].name),
                           latex_escaped(problem.variables[term.product->variables[1]].name),
                           errors ? "; standard errors in parentheses" : "");
}

// What f is in each head: in words, and by its points.
std::string curve_notes(const Problem& problem, const Head& head, const RenderOptions& options) {
  std::string out;
  for (const Monomial* term : shown_terms(head, options).terms) {
    if (term->product) out += surface_note(problem, head, *term);
    if (!term->curve) continue;
    const Pieces& p = term->curve->pieces;
    const char* between = p.kind == CurveKind::linear ? "straight between"
                          : p.kind == CurveKind::step ? "constant from one to the next"
                                                      : "cubic between";
    out += fmt::format("In {}, ${}$ {}. It is {}", latex_escaped(head.name), factors(problem, *term),
                       latex_escaped(curve_in_words(problem, *term->curve)), between);
    for (std::size_t i = 0; i < p.knots.size(); ++i) {
      out += fmt::format("{} $({},\\,{})$", i > 0 ? "," : "", latex_number(p.knots[i]),
                         latex_number(p.values[i]));
      if (term->curve->band && std::isfinite(term->curve->band->knot_errors[i]))
        out += fmt::format(" (standard error ${}$)", latex_number(term->curve->band->knot_errors[i]));
    }
    out += fmt::format("{}.\n\n", p.straight_ends ? " and straight on beyond them" : "");
  }
  return out;
}

std::string block_section(const Problem& problem, const Block& block, const RenderOptions& options) {
  std::string out = fmt::format("\\subsection*{{Block {}}}\n", latex_escaped(block.name));
  for (const ReadoutWeight& one : readout_of(problem, block))
    out += fmt::format("Weight ${}$ in {}: {}.\n", latex_number(one.weight), latex_escaped(one.output),
                       one.weight < 0 ? "minimised" : "maximised");
  out += "\\begin{align*}\n";
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    out +=
        head_lines(problem, block, block.heads[h], options) + (h + 1 < block.heads.size() ? " \\\\\n" : "\n");
  out += "\\end{align*}\n";
  for (const Head& head : block.heads) out += curve_notes(problem, head, options);
  for (const Head& head : block.heads)
    if (const std::string note = reading_note(problem, head, options); !note.empty())
      out += fmt::format("In standardised units {} reads as {}.\n\n", latex_escaped(head.name),
                         latex_escaped(note));
  if (block.carried.empty()) return out;
  Sum sum;
  for (const BlockWeight& one : block.carried)
    sum.add(one.weight, fmt::format("\\text{{{}}}", latex_escaped(problem.variables[one.variable].name)));
  return out + fmt::format("The block also carries over\n\\begin{{align*}}\n  &\\quad {}\n\\end{{align*}}\n",
                           sum.text());
}

std::string readout_section(const Problem& problem) {
  std::string out = "\\begin{align*}\n";
  for (std::size_t o = 0; o < problem.outputs.size(); ++o) {
    Sum sum;
    for (const BlockWeight& one : problem.outputs[o].blocks)
      sum.add(one.weight, fmt::format("\\text{{{}}}", latex_escaped(problem.variables[one.variable].name)));
    if (problem.outputs[o].constant != 0) sum.add(problem.outputs[o].constant, "");
    out += fmt::format("\\text{{{}}} &= {}{}", latex_escaped(problem.outputs[o].name), sum.text(),
                       o + 1 < problem.outputs.size() ? " \\\\\n" : "\n");
  }
  return out + "\\end{align*}\n";
}

}  // namespace

std::string render_latex(const Problem& problem, const RenderOptions& options) {
  std::string out =
      "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
      "\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n";
  out += fmt::format("\\section*{{The problem behind {}, in {} units}}\n", latex_escaped(problem.response),
                     problem.units == Units::original ? "the data's own" : "standardised");
  if (options.block.empty()) out += readout_section(problem);
  bool rest = false;
  for (const Block* block : chosen_blocks(problem, options)) {
    out += block_section(problem, *block, options);
    for (const Head& head : block->heads) rest = rest || shown_terms(head, options).rest > 0;
  }
  if (rest) out += "$R_n$ stands for $n$ smaller terms.\n";
  return out + "\\end{document}\n";
}

}  // namespace bl::explain
