#include "report/problem_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/joined.hpp"
#include "explain/curve_words.hpp"
#include "explain/hierarchy.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"
#include "model/parameters.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kShownTerms = 6, kMostBlocks = 150, kMostTerms = 24;

std::string meaning(const explain::Problem& problem, std::size_t variable) {
  const explain::Variable& v = problem.variables[variable];
  switch (v.kind) {
    case explain::VariableKind::number:
    case explain::VariableKind::bend:
      return fmt::format("{}{}: mean {}, standard deviation {} over the training rows", v.column,
                         v.response ? " (the response)" : "", number(v.mean), number(v.scale));
    case explain::VariableKind::place:
      return v.column + ": place of the level in its order, 0, 1, 2, ...";
    case explain::VariableKind::level:
      return fmt::format("1 where {} is {}, else 0", v.column, v.level);
    case explain::VariableKind::missing:
      return fmt::format("1 where {} is missing, else 0", v.column);
    case explain::VariableKind::block:
      return "value of block " + v.name;
  }
  return {};
}

// f(age, hours).
std::string product_html(const explain::Problem& problem, const explain::Monomial::Product& product) {
  return fmt::format("f({}, {})", escaped(problem.variables[product.variables[0]].name),
                     escaped(problem.variables[product.variables[1]].name));
}

std::string factors_html(const explain::Problem& problem, const explain::Monomial& term) {
  std::string out;
  if (term.product)
    out = fmt::format("<var title=\"product: {}\">{}</var>",
                      escaped(explain::product_in_words(problem, *term.product)),
                      product_html(problem, *term.product));
  for (const explain::Factor& factor : term.factors) {
    if (term.in_product(factor)) continue;
    const bool curve = term.curved(factor);
    const std::string title =
        curve ? "curve: " + explain::in_words(term.curve->pieces) : meaning(problem, factor.variable);
    out += fmt::format("{}<var title=\"{}\">{}{}{}</var>", out.empty() ? "" : "·", escaped(title),
                       curve ? "f(" : "", escaped(problem.variables[factor.variable].name), curve ? ")" : "");
    if (factor.power > 1) out += fmt::format("<sup>{}</sup>", factor.power);
  }
  return out;
}

std::string signed_text(double value, bool first) {
  return (value < 0 ? (first ? "−" : " − ") : (first ? "" : " + ")) + number(std::abs(value));
}

// The largest terms, the constant, and how many are left out.
std::string formula_html(const explain::Problem& problem, const explain::Head& head, std::size_t most) {
  explain::RenderOptions options;
  options.terms = most;
  const explain::ShownTerms shown = explain::shown_terms(head, options);
  std::string out;
  for (const explain::Monomial* term : shown.terms) {
    if ((term->curve && term->factors.size() == 1) || (term->product && term->factors.size() == 2))
      out += (out.empty() ? "" : " + ") + factors_html(problem, *term);
    else
      out += signed_text(term->coefficient, out.empty()) + "&#8201;" + factors_html(problem, *term);
  }
  if (head.constant != 0 || out.empty()) out += signed_text(head.constant, out.empty());
  if (shown.rest > 0) out += fmt::format(" + <i>R</i> <small>({} smaller terms)</small>", shown.rest);
  return out;
}

// What the curves of a head look like, in words.
std::string curves_html(const explain::Problem& problem, const explain::Head& head) {
  explain::RenderOptions options;
  options.terms = kShownTerms;
  std::string out;
  for (const explain::Monomial* term : explain::shown_terms(head, options).terms) {
    if (term->curve)
      out +=
          fmt::format("<li><var>f({})</var>: {}</li>", escaped(problem.variables[term->curve->variable].name),
                      escaped(explain::in_words(term->curve->pieces)));
    if (term->product)
      out += fmt::format("<li><var>{}</var>: {}</li>", product_html(problem, *term->product),
                         escaped(explain::product_in_words(problem, *term->product)));
  }
  return out.empty() ? out : "<ul class=\"curves\">" + out + "</ul>";
}

std::string head_symbol(const explain::Head& head) {
  return head.name.substr(head.name.rfind('.') + 1);
}

std::string block_formulas(const explain::Problem& problem, const explain::Block& block) {
  std::string objective, constraints, definitions;
  for (const explain::Head& head : block.heads) {
    const std::string symbol = head_symbol(head);
    const std::string symbol_html = fmt::format("<b class=\"{}\">{}<sub>{}</sub></b>",
                                                head.kind == HeadKind::utility      ? "U"
                                                : head.kind == HeadKind::inequality ? "C"
                                                                                    : "T",
                                                symbol.substr(0, 1), symbol.substr(1));
    const double weight = head.kind == HeadKind::utility ? head.lambda : -head.lambda;
    objective += signed_text(weight, objective.empty()) + "&#8201;" + html(head.activation, symbol_html);
    if (head.kind != HeadKind::utility)
      constraints += (constraints.empty() ? "" : ", ") + symbol_html +
                     (head.kind == HeadKind::inequality ? " ≤ 0" : " = 0");
    definitions +=
        fmt::format("<dt>{} <small>λ = {}</small></dt><dd>{}{}</dd>", symbol_html, number(head.lambda),
                    formula_html(problem, head, kShownTerms), curves_html(problem, head));
  }
  for (const explain::BlockWeight& carried : block.carried)
    objective += signed_text(carried.weight, objective.empty()) + "&#8201;" +
                 escaped(problem.variables[carried.variable].name);
  return "<p class=\"math\">max " + objective +
         (constraints.empty() ? "" : "<br>pulls towards " + constraints) + "</p><dl class=\"heads\">" +
         definitions + "</dl>";
}

}  // namespace

std::string problem_statement(const FittedModel& model, const explain::Problem& problem) {
  const Architecture& a = model.stored.architecture;
  std::size_t blocks = 0, heads = 0;
  for (const auto& layer : problem.layers)
    for (const auto& block : layer) {
      ++blocks;
      heads += block.heads.size();
    }
  const std::string layers =
      joined(a.layers, " → ", [](const LayerSpec& layer) { return std::to_string(layer.blocks); });
  std::string out =
      "<p class=\"math big\"><span>max<sub>y</sub> <b class=\"U\">U</b>(x, y)</span> <span>subject to <b "
      "class=\"C\">C</b>(x, y) ≤ 0, <b class=\"T\">T</b>(x, y) = 0</span></p>\n";
  out +=
      paragraph(fmt::format("What happens, y, is read as chosen: {} behaves as if it were picked to get as "
                            "much <b class=\"U\">U</b> as "
                            "possible within limits <b class=\"C\">C</b> and balances <b class=\"T\">T</b>; "
                            "a violated constraint costs "
                            "utility in proportion to its weight λ. The choice is noisy: an outcome's "
                            "probability is proportional to "
                            "e<sup>utility / τ</sup>, with τ = {}.",
                            escaped(problem.response), number(problem.temperature)));
  return out +
         paragraph(fmt::format(
             "This model has {} such problem{} (block{}) with {} formulas{}; {} parameters. Utilities pass "
             "through {}, inequalities through {}, equalities through {}.",
             blocks, blocks == 1 ? "" : "s", blocks == 1 ? "" : "s", heads,
             a.layers.size() > 1 ? ", in layers " + layers : "", ParameterLayout(a).free_count(),
             html(a.activations[0], "<i>t</i>"), html(a.activations[1], "<i>t</i>"),
             html(a.activations[2], "<i>t</i>")));
}

std::string blocks_html(const explain::Problem& original, const explain::Problem& standardised) {
  struct Entry {
    const explain::BlockProfile* profile;
    std::size_t layer;
  };
  const auto layers = explain::hierarchy(standardised, 2);
  std::vector<Entry> entries;
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (const auto& profile : layers[l]) entries.push_back({&profile, l});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.layer != b.layer ? a.layer > b.layer : a.profile->influence > b.profile->influence;
  });
  std::string out;
  const std::size_t shown = std::min(entries.size(), kMostBlocks);
  for (std::size_t i = 0; i < shown; ++i) {
    const explain::BlockProfile& profile = *entries[i].profile;
    const std::string& name = profile.block->name;
    out += details(fmt::format("<b>{}</b> <span class=\"influence\">{:.0f}%</span> {}", escaped(name),
                               100 * profile.influence, escaped(profile.words)),
                   "<h4>In the data's own units</h4>" + block_formulas(original, original.block(name)) +
                       "<div class=\"other-units\"><h4>In standardised units</h4>" +
                       block_formulas(standardised, *profile.block) + "</div>",
                   "block-" + name);
  }
  if (shown < entries.size())
    out +=
        paragraph(fmt::format("{} blocks of less influence are left out; the explanation in full prints "
                              "them.",
                              entries.size() - shown));
  return out;
}

std::string picture_html(const explain::Problem& standardised) {
  explain::RenderOptions options;
  options.terms = kMostTerms;
  return "<div class=\"paper scroll\" id=\"network\">" + explain::render_svg(standardised, options) +
         "</div>\n";
}

}  // namespace bl::report
