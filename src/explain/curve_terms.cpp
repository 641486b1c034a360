#include "explain/curve_terms.hpp"

#include <algorithm>
#include <map>

#include "bl/errors.hpp"
#include "explain/expansion.hpp"
#include "features/curve.hpp"

namespace bl::explain {

namespace {

// Knots and values of a weighted sum of a feature's straight part and bends; the line's weight comes first.
Pieces pieces_of(const FeatureEncoding& feature, const std::vector<double>& weights) {
  const Bends& b = feature.bends;
  const bool bends = b.size() > 0;
  Pieces pieces{.knots = bends ? b.knots : feature.pull.from,
                .values = {},
                .straight_ends = bends && b.straight_ends,
                .kind = bends ? b.kind : CurveKind::linear,
                .slopes = {},
                .period = b.period};
  for (std::size_t i = 0; i < pieces.knots.size(); ++i) {
    const double x = pieces.knots[i], straight = straight_part(feature, x);
    double value = weights[0] * straight, slope = weights[0] / feature.scale;
    for (std::size_t j = 0; j + 1 < weights.size(); ++j) {
      if (weights[j + 1] == 0) continue;
      value += weights[j + 1] * bend_value(feature, j, x, straight);
      if (!b.knot_slopes.empty()) slope += weights[j + 1] * bend_slope_at_knot(feature, j, i);
    }
    pieces.values.push_back(value);
    if (!b.knot_slopes.empty()) pieces.slopes.push_back(slope);
  }
  return pieces;
}

void standardise(const FeatureEncoding& feature, Pieces& pieces) {
  for (double& knot : pieces.knots) knot = (knot - feature.mean) / feature.scale;
  for (double& slope : pieces.slopes) slope *= feature.scale;
  pieces.period /= feature.scale;
}

void standardise(const Variable& variable, GridAxis& axis) {
  for (double& knot : axis.knots) knot = (knot - variable.mean) / variable.scale;
  axis.period /= variable.scale;
}

Surface surface_of(const ProductEncoding& product, const std::vector<double>& weights) {
  Surface surface{.first = product.first_axis, .second = product.second_axis};
  surface.values.resize(product.columns[0].size(), 0);
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t i = 0; i < surface.values.size(); ++i)
      surface.values[i] += weights[k] * product.columns[k][i];
  return surface;
}

std::size_t product_of(const Encoder& encoder, const EncodedColumn& column) {
  const auto& all = encoder.products();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ProductEncoding& one) {
    return one.first == column.feature && one.second == column.other;
  });
  return static_cast<std::size_t>(found - all.begin());
}

void add_factor(std::size_t variable, std::vector<Factor>& factors) {
  const Factor factor{.variable = variable};
  factors.insert(std::lower_bound(factors.begin(), factors.end(), factor), factor);
}

Monomial curve_term(const Encoder& encoder, const Problem& problem, const CurvedTerm& curved,
                    const std::vector<double>& weights) {
  const FeatureEncoding& feature = encoder.features()[curved.feature];
  Monomial::Curve curve{.variable = curved.variable, .pieces = pieces_of(feature, weights)};
  if (problem.units == Units::standardised) standardise(feature, curve.pieces);
  const double size = curve.pieces.size();
  return {.coefficient = 1, .size = size, .factors = curved.factors, .curve = std::move(curve)};
}

Monomial product_term(const Encoder& encoder, const Problem& problem, const CurvedTerm& curved,
                      const std::vector<double>& weights) {
  Monomial::Product product{.variables = problem.products[*curved.product].variables,
                            .surface = surface_of(encoder.products()[*curved.product], weights)};
  if (problem.units == Units::standardised) {
    standardise(problem.variables[product.variables[0]], product.surface.first);
    standardise(problem.variables[product.variables[1]], product.surface.second);
  }
  const double size = product.surface.size();
  return {.coefficient = 1, .size = size, .factors = curved.factors, .product = std::move(product)};
}

}  // namespace

bool is_curved(const FeatureEncoding& feature) {
  return feature.bends.size() > 0 || !feature.pull.from.empty();
}

std::optional<CurvePart> curve_part(const Encoder& encoder, const Problem& problem,
                                    const std::vector<Variable>& written,
                                    const std::vector<std::size_t>& variable_of,
                                    const std::vector<Factor>& factors) {
  std::optional<std::size_t> input;
  CurvePart out;
  for (const Factor& factor : factors) {
    out.whole.factors.push_back({.variable = variable_of[factor.variable], .power = factor.power});
    if (written[factor.variable].kind != VariableKind::bend) continue;
    if (input || factor.power > 1)
      throw UsageError("a product of two curves cannot be explained; fit it without curves");
    input = factor.variable;
  }
  if (!input) return std::nullopt;
  const EncodedColumn& column = encoder.columns()[*input];
  out.whole.variable = variable_of[*input];
  out.whole.feature = column.feature;
  if (column.kind == EncodedColumn::Kind::product) {
    out.whole.product = product_of(encoder, column);
    add_factor(problem.products[*out.whole.product].variables[1], out.whole.factors);
    out.place = static_cast<std::size_t>(column.level);
    out.count = encoder.products()[*out.whole.product].columns.size();
    return out;
  }
  out.place = column.kind == EncodedColumn::Kind::bend ? static_cast<std::size_t>(column.level) + 1 : 0;
  out.count = encoder.features()[column.feature].bends.size() + 1;
  return out;
}

void gather_curves(const Encoder& encoder, const Problem& problem, const std::vector<Variable>& written,
                   const std::vector<std::size_t>& variable_of, std::vector<Monomial>& terms) {
  std::map<CurvedTerm, std::vector<double>> weights;
  std::vector<Monomial> gathered;
  for (Monomial& term : terms) {
    if (const auto part = curve_part(encoder, problem, written, variable_of, term.factors)) {
      auto& sum = weights[part->whole];
      sum.resize(part->count, 0);
      sum[part->place] += term.coefficient;
      continue;
    }
    for (Factor& factor : term.factors) factor.variable = variable_of[factor.variable];
    gathered.push_back(std::move(term));
  }
  for (const auto& [curved, sum] : weights)
    gathered.push_back((curved.product ? product_term : curve_term)(encoder, problem, curved, sum));
  std::stable_sort(gathered.begin(), gathered.end(),
                   [](const Monomial& a, const Monomial& b) { return GradedOrder()(a.factors, b.factors); });
  terms = std::move(gathered);
}

}  // namespace bl::explain
