#include "explain/curves_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "explain/curve_words.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr double kName = 130, kPanel = 190, kHigh = 64, kGapX = 18, kGapY = 26, kHead = 44;
constexpr std::size_t kMostColumns = 12, kLongestName = 18;

struct Drawn {
  std::size_t head;
  const Pieces* pieces;
};

// By column; straight lines whose far values are pulled in, and curves in a product with other factors, are left
// to the formula.
std::map<std::size_t, std::vector<Drawn>> curves_of(const Problem& problem, const Block& block) {
  std::map<std::size_t, std::vector<Drawn>> out;
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    for (const Monomial& term : block.heads[h].terms)
      if (term.curve && term.factors.size() == 1 && is_bent(problem, *term.curve))
        out[term.curve->variable].push_back({h, &term.curve->pieces});
  return out;
}

double height_of(const std::vector<Drawn>& curves) {
  double out = 0;
  for (const Drawn& one : curves) {
    const auto [low, high] = std::minmax_element(one.pieces->values.begin(), one.pieces->values.end());
    out = std::max(out, *high - *low);
  }
  return out;
}

struct Scale {
  double low = 0, high = 0;
  double y(double value, double top) const { return top + kHigh * (high - value) / (high - low); }
};

std::string panel(const Pieces& curve, const Point& at, const Scale& scale) {
  const double first = curve.knots.front(), width = curve.knots.back() - first;
  const auto x = [&](double knot) { return at.x + kPanel * (knot - first) / width; };
  const double foot = at.y + kHigh;
  std::string points, ticks;
  for (std::size_t i = 0; i < curve.knots.size(); ++i) {
    points +=
        fmt::format("{}{:.1f},{:.1f}", i > 0 ? " " : "", x(curve.knots[i]), scale.y(curve.values[i], at.y));
    ticks += fmt::format("M{0:.1f} {1:.1f}V{2:.1f}", x(curve.knots[i]), foot, foot + 4);
  }
  return fmt::format(
             "<g><title>{}</title><rect x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill='#fafafa' "
             "stroke='#ccc'/><line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='#bbb' "
             "stroke-dasharray='3 3'/><path d='{}' stroke='#777'/><polyline points='{}' fill='none' "
             "stroke='{}' "
             "stroke-width='2'/></g>\n",
             svg_escaped(in_words(curve)), at.x, at.y, kPanel, kHigh, at.x, at.x + kPanel, scale.y(0, at.y),
             scale.y(0, at.y), ticks, points, kPositive) +
         svg_text({at.x, foot + 15}, number_text(first), "fill='#666' font-size='10'") +
         svg_text({at.x + kPanel, foot + 15}, number_text(curve.knots.back()),
                  "fill='#666' font-size='10' text-anchor='end'");
}

}  // namespace

CurvePanels curve_panels(const Problem& problem, const Block& block, const Point& top) {
  const auto curves = curves_of(problem, block);
  if (curves.empty()) return {};
  std::vector<std::size_t> columns;
  for (const auto& [variable, drawn] : curves) columns.push_back(variable);
  std::stable_sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
    return height_of(curves.at(a)) > height_of(curves.at(b));
  });
  const std::size_t hidden = columns.size() - std::min(kMostColumns, columns.size());
  columns.resize(columns.size() - hidden);
  Scale scale;
  for (const std::size_t variable : columns)
    for (const Drawn& one : curves.at(variable))
      for (const double value : one.pieces->values) {
        scale.low = std::min(scale.low, value);
        scale.high = std::max(scale.high, value);
      }
  if (scale.low == scale.high) return {};
  CurvePanels out;
  out.svg =
      svg_text({top.x, top.y + 14},
               fmt::format("Curves, all on one scale from {} to {}{}; ticks: knots, closer where there are "
                           "more rows",
                           number_text(scale.low), number_text(scale.high),
                           hidden > 0 ? fmt::format(", {} lower columns left out", hidden) : ""),
               "font-weight='bold'");
  const auto left = [&](std::size_t head) {
    return top.x + kName + (kPanel + kGapX) * static_cast<double>(head);
  };
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    out.svg +=
        svg_text({left(h) + kPanel / 2, top.y + kHead - 8}, block.heads[h].name, "text-anchor='middle'");
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double y = top.y + kHead + (kHigh + kGapY) * static_cast<double>(c);
    out.svg += svg_text({top.x + kName - 10, y + kHigh / 2 + 4},
                        svg_shortened(problem.variables[columns[c]].name, kLongestName), "text-anchor='end'");
    for (const Drawn& one : curves.at(columns[c])) out.svg += panel(*one.pieces, {left(one.head), y}, scale);
  }
  out.width = left(block.heads.size()) + kGapX;
  out.height = kHead + (kHigh + kGapY) * static_cast<double>(columns.size()) + 8;
  return out;
}

}  // namespace bl::explain
