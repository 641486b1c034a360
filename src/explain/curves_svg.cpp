#include "explain/curves_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "explain/curve_words.hpp"
#include "explain/products_svg.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

constexpr double kName = 130, kPanel = 190, kHigh = 64, kGapX = 18, kGapY = 26, kHead = 60;
constexpr std::size_t kMostColumns = 12, kLongestName = 18;

struct Drawn {
  std::size_t head;
  const Monomial::Curve* curve;
  const Pieces& pieces() const { return curve->pieces; }
};

// Of a column alone or times an indicator. Straight lines whose far values are pulled in, and curves in other
// products, are left to the formula.
bool is_drawn(const Problem& problem, const Monomial& term) {
  if (!term.curve || !is_bent(problem, *term.curve)) return false;
  return std::all_of(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
    return factor.variable == term.curve->variable ||
           problem.variables[factor.variable].kind == VariableKind::level;
  });
}

// By factors.
std::map<std::vector<Factor>, std::vector<Drawn>> curves_of(const Problem& problem, const Block& block) {
  std::map<std::vector<Factor>, std::vector<Drawn>> out;
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    for (const Monomial& term : block.heads[h].terms)
      if (is_drawn(problem, term)) out[term.factors].push_back({h, &*term.curve});
  return out;
}

// Lowest and highest with zero, and with the band where it is known.
std::pair<double, double> range_of(const Monomial::Curve& curve) {
  std::pair<double, double> out = {0, 0};
  for (const double x : curve.pieces.points()) {
    const double value = curve.pieces.value(x);
    out = {std::min(out.first, value), std::max(out.second, value)};
  }
  if (!curve.band) return out;
  for (std::size_t i = 0; i < curve.band->at.size(); ++i) {
    const double half = kBandWidth * curve.band->errors[i];
    if (!std::isfinite(half)) continue;
    out.first = std::min(out.first, curve.band->values[i] - half);
    out.second = std::max(out.second, curve.band->values[i] + half);
  }
  return out;
}

double height_of(const std::vector<Drawn>& curves) {
  double out = 0;
  for (const Drawn& one : curves) {
    const auto& values = one.pieces().values;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    out = std::max(out, *high - *low);
  }
  return out;
}

struct Scale {
  double low = 0, high = 0;
  double y(double value, double top) const { return top + kHigh * (high - value) / (high - low); }
};

std::string row_name(const Problem& problem, const std::vector<Factor>& factors) {
  return text_of(factors, [&](std::size_t variable) { return problem.variables[variable].name; });
}

// The band as one closed line; points without an error are left out.
std::string band_shape(const Monomial::Curve& curve, const std::function<double(double)>& x,
                       const std::function<double(double)>& y) {
  if (!curve.band) return "";
  std::string upper, lower;
  for (std::size_t i = 0; i < curve.band->at.size(); ++i) {
    const double half = kBandWidth * curve.band->errors[i], value = curve.band->values[i];
    if (!std::isfinite(half)) continue;
    upper += fmt::format("{:.1f},{:.1f} ", x(curve.band->at[i]), y(value + half));
    lower.insert(0, fmt::format("{:.1f},{:.1f} ", x(curve.band->at[i]), y(value - half)));
  }
  return fmt::format("<polygon class='band' points='{}{}' fill='{}' fill-opacity='0.18'/>", upper, lower,
                     kPositive);
}

// Steps have a point on either side of a knot.
std::string line_points(const Pieces& curve, const std::function<double(double)>& x,
                        const std::function<double(double)>& y) {
  std::string out;
  const auto add = [&](double at, double value) {
    out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", x(at), y(value));
  };
  if (curve.kind != CurveKind::step)
    for (const double at : curve.points()) add(at, curve.value(at));
  for (std::size_t i = 0; curve.kind == CurveKind::step && i < curve.knots.size(); ++i) {
    add(curve.knots[i], curve.values[i]);
    add(i + 1 < curve.knots.size() ? curve.knots[i + 1] : curve.last(), curve.values[i]);
  }
  return out;
}

std::string panel(const Problem& problem, const Monomial::Curve& drawn, const Point& at, const Scale& scale) {
  const Pieces& curve = drawn.pieces;
  const double first = curve.first(), width = curve.last() - first;
  const auto x = [&](double knot) { return at.x + kPanel * (knot - first) / width; };
  const auto y = [&](double value) { return scale.y(value, at.y); };
  const double foot = at.y + kHigh;
  std::string ticks;
  for (const double knot : curve.knots)
    ticks += fmt::format("M{0:.1f} {1:.1f}V{2:.1f}", x(knot), foot, foot + 4);
  return fmt::format(
             "<g><title>{}</title><rect x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill='#fafafa' "
             "stroke='#ccc'/><line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='#bbb' "
             "stroke-dasharray='3 3'/>{}<path d='{}' stroke='#777'/><polyline points='{}' fill='none' "
             "stroke='{}' "
             "stroke-width='2'/></g>\n",
             svg_escaped(curve_in_words(problem, drawn)), at.x, at.y, kPanel, kHigh, at.x, at.x + kPanel,
             scale.y(0, at.y), scale.y(0, at.y), band_shape(drawn, x, y), ticks, line_points(curve, x, y),
             kPositive) +
         svg_text({at.x, foot + 15}, number_text(first), "fill='#666' font-size='10'") +
         svg_text({at.x + kPanel, foot + 15}, number_text(curve.last()),
                  "fill='#666' font-size='10' text-anchor='end'");
}

// Where the panels of a head begin.
double panel_left(double left, std::size_t head) {
  return left + kName + (kPanel + kGapX) * static_cast<double>(head);
}

// Rows of products from `at` on; where they end.
double add_products(const Problem& problem, const std::vector<ProductRow>& products, const Point& at,
                    double extent, std::string& svg) {
  if (products.empty()) return at.y;
  const bool errors = std::any_of(products.begin(), products.end(), [](const ProductRow& row) {
    return std::any_of(row.heads.begin(), row.heads.end(),
                       [](const auto& one) { return one.product->errors.has_value(); });
  });
  svg += svg_text({at.x, at.y + 10},
                  fmt::format("Products of two curves: full color at {}{}", number_text(extent),
                              errors ? "; circles: knots whose 95% interval includes 0" : ""),
                  "font-weight='bold'");
  double y = at.y + kGapY;
  for (const ProductRow& row : products) {
    svg += heat_name(problem, row, {at.x + kName - 10, y + 8});
    for (const auto& one : row.heads)
      svg += heat_map(problem, *one.product, {panel_left(at.x, one.head), y}, kPanel, extent);
    y += kHeatHigh + kGapY;
  }
  return y;
}

}  // namespace

CurvePanels curve_panels(const Problem& problem, const Block& block, const Point& top) {
  const auto curves = curves_of(problem, block);
  const std::vector<ProductRow> products = product_rows(problem, block);
  std::vector<std::vector<Factor>> columns;
  for (const auto& [factors, drawn] : curves) columns.push_back(factors);
  std::stable_sort(columns.begin(), columns.end(), [&](const auto& a, const auto& b) {
    return height_of(curves.at(a)) > height_of(curves.at(b));
  });
  const std::size_t hidden = columns.size() - std::min(kMostColumns, columns.size());
  columns.resize(columns.size() - hidden);
  Scale scale;
  bool bands = false;
  for (const auto& factors : columns)
    for (const Drawn& one : curves.at(factors)) {
      const auto [low, high] = range_of(*one.curve);
      scale.low = std::min(scale.low, low);
      scale.high = std::max(scale.high, high);
      bands |= one.curve->band.has_value();
    }
  for (const ProductRow& row : products) {
    scale.low = std::min(scale.low, row.lowest());
    scale.high = std::max(scale.high, row.highest());
  }
  if (scale.low == scale.high) return {};
  CurvePanels out;
  out.svg = svg_text({top.x, top.y + 14},
                     fmt::format("Curves, all on one scale from {} to {}", number_text(scale.low),
                                 number_text(scale.high)),
                     "font-weight='bold'") +
            svg_text({top.x, top.y + 32},
                     fmt::format("{}{}ticks: knots, closer where there are more rows",
                                 hidden > 0 ? fmt::format("{} lower columns left out; ", hidden) : "",
                                 bands ? "95% bands; " : ""),
                     "fill='#666666'");
  const auto left = [&](std::size_t head) { return panel_left(top.x, head); };
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    out.svg +=
        svg_text({left(h) + kPanel / 2, top.y + kHead - 8}, block.heads[h].name, "text-anchor='middle'");
  double y = top.y + kHead;
  for (const auto& factors : columns) {
    out.svg += svg_text({top.x + kName - 10, y + kHigh / 2 + 4},
                        svg_shortened(row_name(problem, factors), kLongestName), "text-anchor='end'");
    for (const Drawn& one : curves.at(factors))
      out.svg += panel(problem, *one.curve, {left(one.head), y}, scale);
    y += kHigh + kGapY;
  }
  y = add_products(problem, products, {top.x, y}, std::max(-scale.low, scale.high), out.svg);
  out.width = left(block.heads.size()) + kGapX;
  out.height = y - top.y + 8;
  return out;
}

}  // namespace bl::explain
