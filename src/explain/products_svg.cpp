#include "explain/products_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "explain/curve_words.hpp"
#include "explain/render.hpp"

namespace bl::explain {

namespace {

bool is_drawn_product(const Problem& problem, const Monomial& term) {
  return term.product && std::all_of(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
           return term.in_product(factor) || problem.variables[factor.variable].kind == VariableKind::level;
         });
}

// The knots, where a periodic one is met again too.
std::vector<double> ends_of(const GridAxis& axis) {
  std::vector<double> out = axis.knots;
  if (axis.period > 0) out.push_back(axis.knots.front() + axis.period);
  return out;
}

// Edges of the patches: a few between two knots.
std::vector<double> edges_of(const GridAxis& axis) {
  constexpr int kBetween = 3;
  const std::vector<double> ends = ends_of(axis);
  std::vector<double> out = {ends.front()};
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    for (int k = 1; k <= kBetween; ++k) out.push_back(ends[i] + (ends[i + 1] - ends[i]) * k / kBetween);
  return out;
}

// Circles at the knots whose 95% interval includes zero, or that have none.
std::string zero_marks(const Monomial::Product& product, const std::function<double(double)>& x,
                       const std::function<double(double)>& y) {
  if (!product.errors) return "";
  const Surface& s = product.surface;
  const std::vector<double> across = ends_of(s.first), upwards = ends_of(s.second);
  std::string out;
  for (std::size_t i = 0; i < across.size(); ++i)
    for (std::size_t j = 0; j < upwards.size(); ++j) {
      const std::size_t knot = i % s.first.knots.size() * s.second.knots.size() + j % s.second.knots.size();
      if (std::abs(s.values[knot]) > kBandWidth * product.errors->at_knots[knot]) continue;
      out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5'/>", x(across[i]), y(upwards[j]));
    }
  return fmt::format("<g class='zero' fill='white' stroke='#555'>{}</g>", out);
}

}  // namespace

double ProductRow::lowest() const {
  double out = 0;
  for (const InHead& one : heads)
    for (const double value : one.product->surface.values) out = std::min(out, value);
  return out;
}

double ProductRow::highest() const {
  double out = 0;
  for (const InHead& one : heads)
    for (const double value : one.product->surface.values) out = std::max(out, value);
  return out;
}

std::vector<ProductRow> product_rows(const Problem& problem, const Block& block) {
  std::vector<ProductRow> rows;
  for (std::size_t h = 0; h < block.heads.size(); ++h)
    for (const Monomial& term : block.heads[h].terms) {
      if (!is_drawn_product(problem, term)) continue;
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const ProductRow& one) { return one.factors == term.factors; });
      if (row == rows.end()) row = rows.insert(rows.end(), {.factors = term.factors});
      row->heads.push_back({h, &*term.product});
    }
  std::stable_sort(rows.begin(), rows.end(), [](const ProductRow& a, const ProductRow& b) {
    return a.highest() - a.lowest() > b.highest() - b.lowest();
  });
  return rows;
}

std::string heat_map(const Problem& problem, const Monomial::Product& product, const Point& top, double width,
                     double extent) {
  const Surface& s = product.surface;
  const std::vector<double> across = edges_of(s.first), upwards = edges_of(s.second);
  const auto x = [&](double at) {
    return top.x + width * (at - across.front()) / (across.back() - across.front());
  };
  const double foot = top.y + kHeatHigh;
  const auto y = [&](double at) {
    return foot - kHeatHigh * (at - upwards.front()) / (upwards.back() - upwards.front());
  };
  std::string out = fmt::format(
      "<g class='product'><title>{}</title><rect x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill='#fafafa' "
      "stroke='#ccc'/>",
      svg_escaped(product_in_words(problem, product)), top.x, top.y, width, kHeatHigh);
  for (std::size_t i = 0; i + 1 < across.size(); ++i)
    for (std::size_t j = 0; j + 1 < upwards.size(); ++j) {
      const double value = s.at((across[i] + across[i + 1]) / 2, (upwards[j] + upwards[j + 1]) / 2).value;
      const double strength = std::min(1.0, std::abs(value) / extent);
      out += fmt::format(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' fill-opacity='{:.2f}'/>",
          x(across[i]), y(upwards[j + 1]), x(across[i + 1]) - x(across[i]), y(upwards[j]) - y(upwards[j + 1]),
          sign_color(value >= 0), strength);
    }
  std::string ticks;
  for (const double knot : s.first.knots) ticks += fmt::format("M{:.1f} {:.1f}v4", x(knot), foot);
  for (const double knot : s.second.knots) ticks += fmt::format("M{:.1f} {:.1f}h-4", top.x, y(knot));
  return out + fmt::format("<path d='{}' stroke='#777'/>{}</g>\n", ticks, zero_marks(product, x, y)) +
         svg_text({top.x, foot + 15}, number_text(across.front()), "fill='#666' font-size='10'") +
         svg_text({top.x + width, foot + 15}, number_text(across.back()),
                  "fill='#666' font-size='10' text-anchor='end'");
}

std::string heat_name(const Problem& problem, const ProductRow& row, const Point& right) {
  constexpr std::size_t kLongestLine = 22;
  const Monomial::Product& product = *row.heads.front().product;
  const std::vector<double> ends = ends_of(product.surface.second);
  const std::string& second = problem.variables[product.variables[1]].name;
  std::vector<std::string> lines = {"across: " + problem.variables[product.variables[0]].name,
                                    "up: " + second,
                                    number_text(ends.front()) + " to " + number_text(ends.back())};
  for (const Factor& factor : row.factors)
    if (factor.variable != product.variables[0] && factor.variable != product.variables[1])
      lines.push_back("where " + problem.variables[factor.variable].name);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += svg_text({right.x, right.y + 1.25 * kFont * static_cast<double>(i + 1)},
                    svg_shortened(lines[i], kLongestLine), "text-anchor='end'");
  return out;
}

}  // namespace bl::explain
