#include "explain/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "explain/curves_svg.hpp"
#include "explain/svg_parts.hpp"

namespace bl::explain {

namespace {

constexpr double kNode = 9;       // radius of a variable
constexpr double kHeadNode = 22;  // radius of the head in the middle
constexpr double kThinnest = 1, kThickest = 6;
constexpr double kFoot = 46;               // room for the legend
constexpr double kLine = 1.25 * kFont;     // between lines of a caption
constexpr std::size_t kAllVariables = 24;  // so many stand on the ring whether used or not
constexpr std::size_t kRadialLabels = 15;  // from so many on names point outward
constexpr std::size_t kLongestLabel = 22;
constexpr std::size_t kHeadsPerRow = 3;

// The nodes that all heads of a block share.
class Ring {
 public:
  Ring(const Problem& problem, const Block& block, const RenderOptions& options) : problem_(problem) {
    std::set<std::size_t> used, readable;
    for (const Head& head : block.heads) {
      for (const Monomial& term : head.terms)
        for (const Factor& factor : term.factors) readable.insert(factor.variable);
      for (const Monomial* term : shown_terms(head, options).terms)
        for (const Factor& factor : term->factors) used.insert(factor.variable);
    }
    const std::set<std::size_t>& chosen = readable.size() <= kAllVariables ? readable : used;
    variables_.assign(chosen.begin(), chosen.end());
    hidden_ = readable.size() - chosen.size();
    const auto count = static_cast<double>(variables_.size());
    radius_ = std::max(115.0, count * 3.1 * kNode / (2 * std::numbers::pi));
    for (const std::size_t v : variables_) label_ = std::max(label_, svg_text_width(label(v)));
  }

  const std::vector<std::size_t>& variables() const { return variables_; }
  std::size_t hidden() const { return hidden_; }
  double radius() const { return radius_; }
  // From the center to the end of the longest name, sideways and up or down.
  double reach_x() const { return radius_ + kNode + label_ + 12; }
  double reach_y() const {
    return radius_ + kNode + (variables_.size() < kRadialLabels ? 1.5 * kFont : label_) + 10;
  }

  double angle(std::size_t variable) const {
    const auto at = std::lower_bound(variables_.begin(), variables_.end(), variable) - variables_.begin();
    return 2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(variables_.size()) -
           std::numbers::pi / 2;
  }
  Point place(std::size_t variable, const Point& center, double away = 0) const {
    return on_circle(center, radius_ + away, angle(variable));
  }
  static Point on_circle(const Point& center, double radius, double angle) {
    return {center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)};
  }

  std::string draw(const Point& center, const std::set<std::size_t>& used) const {
    std::string out = draw_groups(center);
    for (const std::size_t v : variables_) {
      const bool is_used = used.contains(v);
      const Point at = place(v, center);
      out +=
          fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}' stroke='{}'/>\n", at.x, at.y, kNode,
                      problem_.variables[v].response ? kResponseFill : "#f0f0f0", is_used ? "#444" : "#bbb");
      out += draw_label(v, center, is_used);
    }
    return out;
  }

 private:
  // Of a level its name alone: the column stands at the arc around its levels.
  std::string label(std::size_t v) const {
    const Variable& variable = problem_.variables[v];
    return svg_shortened(in_group(v) ? variable.level : variable.name, kLongestLabel);
  }

  bool in_group(std::size_t v) const {
    const auto same = [&](std::size_t other) {
      const Variable &a = problem_.variables[v], &b = problem_.variables[other];
      return a.kind == VariableKind::level && b.kind == a.kind && a.column == b.column;
    };
    return std::count_if(variables_.begin(), variables_.end(), same) > 1;
  }
  std::string draw_label(std::size_t v, const Point& center, bool is_used) const {
    const double turn = angle(v), c = std::cos(turn);
    const std::string fill = is_used ? "" : "fill='#888' ";
    const Point at = place(v, center, kNode + 5);
    if (variables_.size() < kRadialLabels) {
      const char* anchor = std::abs(c) < 0.25 ? "middle" : c > 0 ? "start" : "end";
      const double drop = 4 + 6 * std::sin(turn);
      return svg_text({at.x, at.y + drop}, label(v), fmt::format("{}text-anchor='{}'", fill, anchor));
    }
    const double degrees = turn * 180 / std::numbers::pi + (c < 0 ? 180 : 0);
    return svg_text({at.x, at.y + 4}, label(v),
                    fmt::format("{}text-anchor='{}' transform='rotate({:.1f} {:.1f} {:.1f})'", fill,
                                c < 0 ? "end" : "start", degrees, at.x, at.y));
  }

  // An arc behind the levels of one column, with the column's name at its middle, inside the ring.
  std::string draw_groups(const Point& center) const {
    std::string out;
    const double step = 2 * std::numbers::pi / static_cast<double>(variables_.size());
    for (std::size_t i = 0; i < variables_.size();) {
      std::size_t last = i;
      const Variable& first = problem_.variables[variables_[i]];
      while (last + 1 < variables_.size() && in_group(variables_[i]) &&
             problem_.variables[variables_[last + 1]].kind == VariableKind::level &&
             problem_.variables[variables_[last + 1]].column == first.column)
        ++last;
      if (last > i) {
        const double from = angle(variables_[i]) - 0.42 * step, to = angle(variables_[last]) + 0.42 * step;
        const Point a = on_circle(center, radius_, from), b = on_circle(center, radius_, to);
        out += fmt::format(
            "<path d='M{:.1f} {:.1f}A{:.1f} {:.1f} 0 {} 1 {:.1f} {:.1f}' fill='none' stroke='#e3dcef' "
            "stroke-width='{}'/>\n",
            a.x, a.y, radius_, radius_, to - from > std::numbers::pi ? 1 : 0, b.x, b.y, 2 * kNode + 8);
        const Point name = on_circle(center, radius_ - 2.6 * kNode, (from + to) / 2);
        const double c = std::cos((from + to) / 2);
        out += svg_text(
            {name.x, name.y + 4}, svg_shortened(first.column, kLongestLabel),
            fmt::format("fill='#6a51a3' font-style='italic' text-anchor='{}'", std::abs(c) < 0.5 ? "middle"
                                                                               : c > 0           ? "end"
                                                                                                 : "start"));
      }
      i = last + 1;
    }
    return out;
  }

  const Problem& problem_;
  std::vector<std::size_t> variables_;
  std::size_t hidden_ = 0;
  double radius_ = 0, label_ = 0;
};

// One head with its terms in the middle of the ring.
class HeadDrawing {
 public:
  HeadDrawing(const Problem& problem, const Block& block, const Head& head, const RenderOptions& options,
              const Ring& ring)
      : problem_(problem), block_(block), head_(head), ring_(ring), shown_(shown_terms(head, options)) {
    for (const Monomial* term : shown_.terms) {
      if (term->factors.size() == 1 && term->factors[0].power == 1) linear_.insert(term->factors[0].variable);
      for (const Factor& factor : term->factors) used_.insert(factor.variable);
    }
  }

  std::string draw(const Point& center) {
    center_ = center;
    std::string out = ring_.draw(center, used_);
    // The largest last, on top.
    for (std::size_t t = shown_.terms.size(); t-- > 0;) out += draw_term(*shown_.terms[t], t);
    out +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='#333'/>\n", center.x, center.y, kHeadNode);
    out += svg_text({center.x, center.y + 4}, head_.name.substr(block_.name.size() + 1),
                    "fill='white' text-anchor='middle' font-weight='bold'");
    return out;
  }

  // Kind and weight, then the formula.
  Paragraph caption(const Point& top, double width) const {
    const bool utility = head_.kind == HeadKind::utility;
    const std::string title = fmt::format("{} {}, weight {}, {}", head_.name,
                                          utility ? (head_.lambda < 0 ? "min" : "max")
                                                  : (head_.kind == HeadKind::inequality ? "\u2264 0" : "= 0"),
                                          number_text(head_.lambda), bl::name(head_.activation));
    Paragraph out{svg_text(top, title, "text-anchor='middle' font-weight='bold'"), 1};
    const Paragraph formula =
        svg_paragraph({top.x, top.y + kLine}, formula_text(), width, "text-anchor='middle'");
    out.svg += formula.svg;
    out.lines += formula.lines;
    return out;
  }

 private:
  std::string formula_text() const {
    constexpr std::size_t kTerms = 5;
    std::string text;
    const auto add = [&](double value, const std::string& what) {
      const bool alone = value == 1 && what.find('~') != std::string::npos;  // a curve
      const std::string number =
          alone ? what : number_text(std::abs(value)) + (what.empty() ? "" : "\u00a0" + what);
      text += text.empty() ? (value < 0 ? "\u2212" : "") : value < 0 ? " \u2212\u00a0" : " +\u00a0";
      text += number;
    };
    for (std::size_t t = 0; t < std::min(kTerms, shown_.terms.size()); ++t)
      add(shown_.terms[t]->coefficient, svg_shortened(factors_text(problem_, *shown_.terms[t]), 30));
    if (head_.constant != 0 || text.empty()) add(head_.constant, "");
    const std::size_t more = shown_.terms.size() - std::min(kTerms, shown_.terms.size());
    if (more > 0) text += fmt::format(" +\u00a0{}\u00a0more\u00a0drawn", more);
    if (shown_.rest > 0) text += fmt::format(" +\u00a0{}\u00a0hidden", shown_.rest);
    return text;
  }

  double width(const Monomial& term) const {
    const double largest = shown_.terms[0]->size;
    return kThinnest + (largest > 0 ? (kThickest - kThinnest) * term.size / largest : 0);
  }

  std::string stroke(const Monomial& term, bool arrow) const {
    const bool positive = term.coefficient >= 0;
    return fmt::format("fill='none' stroke='{}' stroke-width='{:.2f}' stroke-opacity='0.8'{}",
                       sign_color(positive), width(term),
                       arrow ? fmt::format(" marker-end='url(#{})'", positive ? "up" : "down") : "");
  }

  // A point on the way from a variable to the head.
  Point on_edge(std::size_t variable, double share) const {
    return between(ring_.place(variable, center_, -kNode),
                   Ring::on_circle(center_, kHeadNode + 2, ring_.angle(variable)), share);
  }

  std::string edge(std::size_t variable, const std::string& style) const {
    const Point a = on_edge(variable, 0), b = on_edge(variable, 1);
    return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' {}/>", a.x, a.y, b.x, b.y,
                       style);
  }

  // The arrow that a product acts on; faint where it is no term itself.
  std::string base_edge(std::size_t variable) {
    if (linear_.contains(variable) || !drawn_.insert(variable).second) return {};
    return edge(variable, "stroke='#999' stroke-width='0.8' stroke-dasharray='3 3'");
  }

  std::string curve(const Point& from, const Point& control, const Point& to, const Monomial& term) const {
    return fmt::format("<path d='M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}' {}/>", from.x, from.y, control.x,
                       control.y, to.x, to.y, stroke(term, true));
  }

  // Back onto its own arrow, by the side.
  std::string own_loop(std::size_t variable, const Monomial& term) const {
    const double turn = ring_.angle(variable), step = 20 / ring_.radius();
    const Point from = Ring::on_circle(ring_.place(variable, center_), kNode, turn + 1.9);
    const Point control = Ring::on_circle(center_, 0.72 * ring_.radius(), turn + 1.9 * step);
    return curve(from, control, on_edge(variable, 0.55), term);
  }

  // From one variable onto the arrow of another, around the head.
  std::string onto(std::size_t from, std::size_t target, double share, const Monomial& term) const {
    const double a = ring_.angle(from), b = ring_.angle(target);
    double gap = std::remainder(b - a, 2 * std::numbers::pi);
    const double bow = 0.45 + 0.35 * (1 - std::abs(gap) / std::numbers::pi);
    const Point control = Ring::on_circle(center_, bow * ring_.radius(), a + gap / 2);
    return curve(ring_.place(from, center_, -kNode), control, on_edge(target, share), term);
  }

  // Acted on is the variable that has an arrow of its own, else the response, else the last.
  std::size_t acted_on(const Monomial& term) const {
    const auto rank = [&](std::size_t v) {
      return (linear_.contains(v) ? 2 : 0) + (problem_.variables[v].response ? 1 : 0);
    };
    std::size_t best = term.factors.back().variable;
    for (const Factor& factor : term.factors)
      if (rank(factor.variable) > rank(best)) best = factor.variable;
    return best;
  }

  std::string draw_term(const Monomial& term, std::size_t order) {
    std::string out = fmt::format("<g><title>{} {}</title>", number_text(term.coefficient),
                                  svg_escaped(factors_text(problem_, term)));
    const Factor& first = term.factors[0];
    if (term.factors.size() == 1 && first.power == 1)
      return out + edge(first.variable, stroke(term, true)) + "</g>\n";
    const std::size_t target = acted_on(term);
    out += base_edge(target);
    for (const Factor& factor : term.factors) {
      if (factor.power > 1) {
        if (factor.variable != target) out += base_edge(factor.variable);
        out += own_loop(factor.variable, term);
      }
      // Several products onto one arrow do not meet in one point.
      if (factor.variable != target)
        out += onto(factor.variable, target, 0.3 + 0.08 * static_cast<double>(order % 6), term);
    }
    return out + "</g>\n";
  }

  const Problem& problem_;
  const Block& block_;
  const Head& head_;
  const Ring& ring_;
  ShownTerms shown_;
  std::set<std::size_t> used_, linear_, drawn_;
  Point center_;
};

std::string legend(double height, std::size_t hidden) {
  std::string out;
  out += fmt::format(
      "<text x='12' y='{:.0f}'><tspan fill='{}'>blue: raises the head</tspan>; <tspan "
      "fill='{}'>red: lowers it</tspan>; width: size in standardised units; orange: the "
      "response</text>\n",
      height - 27, kPositive, kNegative);
  out += svg_text(
      {12, height - 10},
      fmt::format("arrow: linear term; arrow onto an arrow: product; arrow onto its own: power{}",
                  hidden > 0 ? fmt::format("; {} variables without a drawn term left out", hidden) : ""));
  return out;
}

}  // namespace

std::string block_svg(const Problem& problem, const Block& block, const RenderOptions& options) {
  constexpr double kTitle = 34, kGap = 14;
  const Ring ring(problem, block, options);
  const double cell = std::max(2 * ring.reach_x(), 300.0), ring_height = 2 * ring.reach_y();
  const std::size_t columns = std::min(kHeadsPerRow, block.heads.size());
  double top = kTitle, bottom = 0;
  std::string body;
  for (std::size_t h = 0; h < block.heads.size(); ++h) {
    if (h % columns == 0 && h > 0) top = bottom;
    const Point center{cell * (static_cast<double>(h % columns) + 0.5), top + ring_height / 2};
    HeadDrawing drawing(problem, block, block.heads[h], options, ring);
    body += drawing.draw(center);
    const Paragraph caption = drawing.caption({center.x, top + ring_height + kGap}, cell - 20);
    body += caption.svg;
    bottom = std::max(bottom, top + ring_height + kGap + kLine * static_cast<double>(caption.lines) + kGap);
  }
  const CurvePanels curves = curve_panels(problem, block, {12, bottom});
  const double width = std::max({cell * static_cast<double>(columns), 620.0, curves.width});
  const double height = bottom + curves.height + kFoot;
  return svg_start(width, height) +
         svg_text({12, 20},
                  fmt::format("{}: the problem behind {}, in {} units", block.name, problem.response,
                              problem.units == Units::original ? "the data's own" : "standardised"),
                  "font-weight='bold' font-size='14'") +
         body + curves.svg + legend(height, ring.hidden()) + "</svg>\n";
}

std::string render_svg(const Problem& problem, const RenderOptions& options) {
  const std::vector<const Block*> blocks = chosen_blocks(problem, options);
  return blocks.size() == 1 ? block_svg(problem, *blocks[0], options) : network_svg(problem);
}

}  // namespace bl::explain
