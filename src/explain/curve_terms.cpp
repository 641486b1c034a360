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

}  // namespace

bool is_curved(const FeatureEncoding& feature) {
  return feature.bends.size() > 0 || !feature.pull.from.empty();
}

void gather_curves(const Encoder& encoder, const Problem& problem, const std::vector<Variable>& written,
                   const std::vector<std::size_t>& variable_of, std::vector<Monomial>& terms) {
  std::map<std::pair<std::vector<Factor>, std::size_t>, std::vector<double>> weights;  // by factors, variable
  std::map<std::pair<std::vector<Factor>, std::size_t>, std::vector<double>> together;  // by factors, product
  std::vector<Monomial> gathered;
  for (Monomial& term : terms) {
    const Factor* bent = nullptr;
    for (const Factor& factor : term.factors) {
      if (written[factor.variable].kind != VariableKind::bend) continue;
      if (bent != nullptr || factor.power > 1)
        throw UsageError("a product of two curves cannot be explained; fit it without curves");
      bent = &factor;
    }
    const std::size_t input = bent == nullptr ? 0 : bent->variable;
    const bool curved = bent != nullptr;
    for (Factor& factor : term.factors) factor.variable = variable_of[factor.variable];
    if (!curved) {
      gathered.push_back(std::move(term));
      continue;
    }
    const EncodedColumn& column = encoder.columns()[input];
    if (column.kind == EncodedColumn::Kind::product) {
      const std::size_t product = product_of(encoder, column);
      add_factor(problem.products[product].variables[1], term.factors);
      auto& sum = together[{term.factors, product}];
      sum.resize(encoder.products()[product].columns.size(), 0);
      sum[static_cast<std::size_t>(column.level)] += term.coefficient;
      continue;
    }
    auto& sum = weights[{term.factors, variable_of[input]}];
    sum.resize(encoder.features()[column.feature].bends.size() + 1, 0);
    const bool bend = column.kind == EncodedColumn::Kind::bend;
    sum[bend ? static_cast<std::size_t>(column.level) + 1 : 0] += term.coefficient;
  }
  for (const auto& [key, sum] : weights) {
    const std::size_t first = static_cast<std::size_t>(
        std::find(variable_of.begin(), variable_of.end(), key.second) - variable_of.begin());
    const FeatureEncoding& feature = encoder.features()[encoder.columns()[first].feature];
    Monomial::Curve curve{.variable = key.second, .pieces = pieces_of(feature, sum)};
    if (problem.units == Units::standardised) standardise(feature, curve.pieces);
    const double size = curve.pieces.size();
    gathered.push_back({.coefficient = 1, .size = size, .factors = key.first, .curve = std::move(curve)});
  }
  for (const auto& [key, sum] : together) {
    Monomial::Product product{.variables = problem.products[key.second].variables,
                              .surface = surface_of(encoder.products()[key.second], sum)};
    if (problem.units == Units::standardised) {
      standardise(problem.variables[product.variables[0]], product.surface.first);
      standardise(problem.variables[product.variables[1]], product.surface.second);
    }
    const double size = product.surface.size();
    gathered.push_back({.coefficient = 1, .size = size, .factors = key.first, .product = std::move(product)});
  }
  std::stable_sort(gathered.begin(), gathered.end(),
                   [](const Monomial& a, const Monomial& b) { return GradedOrder()(a.factors, b.factors); });
  terms = std::move(gathered);
}

}  // namespace bl::explain
