#include "explain/curve_bands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/estimated_weights.hpp"
#include "features/curve.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

// The straight part and the bends at x: what the weights of a curve are multiplied by.
Eigen::VectorXd curve_factors(const FeatureEncoding& feature, Eigen::Index count, double x) {
  Eigen::VectorXd out(count);
  const double straight = straight_part(feature, x);
  out(0) = feature.bends.line ? straight : 0;
  for (Eigen::Index j = 1; j < count; ++j)
    out(j) = bend_value(feature, static_cast<std::size_t>(j - 1), x, straight);
  return out;
}

// Between the knots too, where errors are smaller than on the line between theirs.
std::vector<double> band_points(const Pieces& pieces) {
  constexpr int kBetween = 4;
  if (pieces.kind != CurveKind::linear) return pieces.points();
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < pieces.knots.size(); ++i)
    for (int k = 0; k < kBetween; ++k)
      out.push_back(pieces.knots[i] + (pieces.knots[i + 1] - pieces.knots[i]) * k / kBetween);
  out.push_back(pieces.knots.back());
  return out;
}

Band band_of(const FeatureEncoding& feature, const EstimatedWeights& weights, const Pieces& pieces,
             Units units) {
  const auto factors = [&](double x) {
    return curve_factors(feature, weights.size(),
                         units == Units::standardised ? x * feature.scale + feature.mean : x);
  };
  Band band;
  band.at = band_points(pieces);
  for (const double x : band.at) {
    band.values.push_back(weights.value(factors(x)));
    band.errors.push_back(weights.error(factors(x)));
  }
  for (const double x : pieces.knots) band.knot_errors.push_back(weights.error(factors(x)));
  if (feature.bends.line && !weights.fixed(0)) band.straight = weights.zero_from(1);
  band.flat = weights.zero_from(0);
  return band;
}

SurfaceErrors errors_of(const ProductEncoding& product, const EstimatedWeights& weights) {
  SurfaceErrors out;
  Eigen::VectorXd factors(weights.size());
  for (std::size_t knot = 0; knot < product.columns[0].size(); ++knot) {
    for (std::size_t k = 0; k < product.columns.size(); ++k)
      factors(static_cast<Eigen::Index>(k)) = product.columns[k][knot];
    out.at_knots.push_back(weights.error(factors));
  }
  out.flat = weights.zero_from(0);
  return out;
}

bool stands_for(const CurvedTerm& curved, const Problem& problem, const Monomial& term) {
  if (curved.factors != term.factors) return false;
  if (!curved.product) return term.curve && term.curve->variable == curved.variable;
  return term.product && term.product->variables == problem.products[*curved.product].variables;
}

// `first` is where the weights of the head stand.
void add_to_head(const Encoder& encoder, const CurveMaps& maps, const Estimates& estimates, Index first,
                 const Problem& problem, Head& head) {
  for (Monomial& term : head.terms) {
    const auto map = std::find_if(maps.begin(), maps.end(),
                                  [&](const auto& one) { return stands_for(one.first, problem, term); });
    if (map == maps.end()) continue;
    const auto& [curved, parts] = *map;
    const EstimatedWeights weights(estimates, first, parts);
    const FeatureEncoding& feature = encoder.features()[curved.feature];
    if (curved.product)
      term.product->errors = errors_of(encoder.products()[*curved.product], weights);
    else if (feature.bends.size() > 0)
      term.curve->band = band_of(feature, weights, term.curve->pieces, problem.units);
  }
}

}  // namespace

void add_bands(const StoredModel& model, const CurveMaps& maps, const Eigen::MatrixXd& covariance,
               Problem& problem) {
  const Architecture& a = model.architecture;
  const ParameterLayout layout(a);
  Estimates estimates{.parameters = model.parameters, .covariance = covariance};
  for (const Index position : model.inference->positions)
    estimates.places.emplace(position, static_cast<Eigen::Index>(estimates.places.size()));
  for (std::size_t b = 0; b < problem.layers[0].size(); ++b) {
    std::size_t at = 0;
    for (const HeadKind kind : kHeadKinds)
      for (Index h = 0; h < a.layers[0].heads(kind); ++h, ++at) {
        const TensorInfo& weight = layout.tensor(fmt::format("layers/0/{}/weight", letter(kind)));
        const Index row = static_cast<Index>(b) * a.layers[0].heads(kind) + h;
        add_to_head(model.encoder, maps, estimates, weight.offset + row * weight.cols, problem,
                    problem.layers[0][b].heads[at]);
      }
  }
}

}  // namespace bl::explain
