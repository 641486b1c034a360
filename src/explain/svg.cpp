#include "explain/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "bl/errors.hpp"

namespace bl::explain {

namespace {

constexpr double kNode = 15;      // radius of a variable
constexpr double kHeadNode = 24;  // radius of the head in the middle
constexpr double kLabel = 110;    // room for names outside the circle
constexpr double kWidest = 6;
constexpr double kFoot = 50;  // room for the legend
constexpr std::size_t kHeadsPerRow = 3;
constexpr const char* kPositive = "#2166ac";
constexpr const char* kNegative = "#b2182b";

struct Point {
  double x = 0, y = 0;
};

Point between(const Point& a, const Point& b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out;
}

std::string centered(const Point& at, const std::string& text) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", at.x, at.y,
                     escaped(text));
}

// The circle must hold its nodes side by side.
double radius_for(std::size_t nodes) {
  return std::max(110.0, static_cast<double>(nodes) * 2.4 * kNode / (2 * std::numbers::pi));
}

class HeadDrawing {
 public:
  HeadDrawing(const Problem& problem, const Block& block, const Head& head, const RenderOptions& options)
      : problem_(problem), block_(block), head_(head), shown_(shown_terms(head, options)) {
    std::set<std::size_t> used;
    for (const Monomial* term : shown_.terms)
      for (const Factor& factor : term->factors) used.insert(factor.variable);
    radius_ = radius_for(used.size());
    std::size_t k = 0;
    for (const std::size_t variable : used) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(k++) / static_cast<double>(used.size()) -
          std::numbers::pi / 2;
      angles_[variable] = angle;
    }
  }

  double extent() const { return 2 * (radius_ + kLabel); }

  std::string draw(const Point& center) const {
    std::string out;
    for (const Monomial* term : shown_.terms) out += draw_term(*term, center);
    for (const auto& [variable, angle] : angles_) out += draw_node(variable, angle, center);
    out +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='#333'/>\n", center.x, center.y, kHeadNode);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' fill='white' text-anchor='middle'>{}</text>\n", center.x,
                       center.y + 4, escaped(head_.name.substr(block_.name.size() + 1)));
    const char* relation = head_.kind == HeadKind::utility      ? "max"
                           : head_.kind == HeadKind::inequality ? "<= 0"
                                                                : "= 0";
    const std::string caption = fmt::format("{} {}, weight {}, constant {}", head_.name, relation,
                                            number_text(head_.lambda), number_text(head_.constant));
    const double foot = center.y + radius_ + kLabel;
    out += centered({center.x, foot - 32}, caption);
    if (shown_.rest > 0)
      out += centered({center.x, foot - 16}, fmt::format("{} smaller terms hidden", shown_.rest));
    return out;
  }

 private:
  Point place(std::size_t variable, const Point& center) const {
    const double angle = angles_.at(variable);
    return {center.x + radius_ * std::cos(angle), center.y + radius_ * std::sin(angle)};
  }

  std::string stroke(const Monomial& term) const {
    const double largest = shown_.terms[0]->size;
    return fmt::format("stroke='{}' stroke-width='{:.2f}' fill='none'",
                       term.coefficient < 0 ? kNegative : kPositive,
                       0.4 + (largest > 0 ? kWidest * term.size / largest : 0));
  }

  std::string line(const Point& a, const Point& b, const std::string& style) const {
    return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' {}/>", a.x, a.y, b.x, b.y,
                       style);
  }

  // A loop beside the node, turned outward.
  std::string loop(std::size_t variable, const Point& center, const std::string& style) const {
    const double angle = angles_.at(variable);
    const Point at = place(variable, center);
    const double r = 0.8 * kNode;
    return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{:.1f}' {}/>",
                       at.x + (kNode + 0.5 * r) * std::cos(angle - 0.9),
                       at.y + (kNode + 0.5 * r) * std::sin(angle - 0.9), r, style);
  }

  std::string draw_term(const Monomial& term, const Point& center) const {
    const std::string style = stroke(term);
    const Factor& first = term.factors[0];
    const Point start = place(first.variable, center);
    std::string out = fmt::format("<g><title>{} {}</title>", number_text(term.coefficient),
                                  escaped(factors_text(problem_, term)));
    if (term.factors.size() == 1 && first.power == 1) {
      out += line(start, center, style);
    } else {
      for (const Factor& factor : term.factors)
        if (factor.power > 1) out += loop(factor.variable, center, style);
      if (term.factors.size() > 1) {
        const Point onto = between(start, center, 0.5);
        out += line(start, center, "stroke='#bbb' stroke-width='0.8' stroke-dasharray='3 3'");
        for (std::size_t f = 1; f < term.factors.size(); ++f)
          out += line(place(term.factors[f].variable, center), onto, style);
        out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}'/>", onto.x, onto.y,
                           term.coefficient < 0 ? kNegative : kPositive);
      }
    }
    return out + "</g>\n";
  }

  std::string draw_node(std::size_t variable, double angle, const Point& center) const {
    const Variable& v = problem_.variables[variable];
    const Point at = place(variable, center);
    const double away = radius_ + 2.6 * kNode;
    const char* anchor = std::abs(std::cos(angle)) < 0.3 ? "middle" : std::cos(angle) > 0 ? "start" : "end";
    return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}' stroke='#555'/>\n", at.x, at.y,
                       kNode, v.response ? "#fdd49e" : "#f0f0f0") +
           fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n",
                       center.x + away * std::cos(angle), center.y + away * std::sin(angle) + 4, anchor,
                       escaped(v.name));
  }

  const Problem& problem_;
  const Block& block_;
  const Head& head_;
  ShownTerms shown_;
  double radius_ = 0;
  std::map<std::size_t, double> angles_;  // by variable
};

}  // namespace

std::string render_svg(const Problem& problem, const RenderOptions& options) {
  const std::vector<const Block*> blocks = chosen_blocks(problem, options);
  if (blocks.size() > 1)
    throw UsageError("an svg shows one block; name it with --block, for example --block L1.B1");
  const Block& block = *blocks[0];
  std::vector<HeadDrawing> drawings;
  double cell = 0;
  for (const Head& head : block.heads) {
    drawings.emplace_back(problem, block, head, options);
    cell = std::max(cell, drawings.back().extent());
  }
  const std::size_t columns = std::min(kHeadsPerRow, drawings.size());
  const std::size_t rows = (drawings.size() + columns - 1) / columns;
  const double width = cell * static_cast<double>(columns), height = cell * static_cast<double>(rows) + kFoot;
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}' "
      "font-family='Helvetica, Arial, sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
      "fill='white'/>\n",
      width, height);
  for (std::size_t h = 0; h < drawings.size(); ++h)
    out += drawings[h].draw(
        {cell * (static_cast<double>(h % columns) + 0.5), cell * (static_cast<double>(h / columns) + 0.5)});
  out += fmt::format(
      "<text x='10' y='{:.0f}'>blue: positive, red: negative; width: size in standardised units; ",
      height - 28);
  out += fmt::format("orange: response</text>\n<text x='10' y='{:.0f}'>line: linear term; line onto a line: ",
                     height - 12);
  return out + "interaction; loop: power</text>\n</svg>\n";
}

}  // namespace bl::explain
