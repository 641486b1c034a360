#include "engine/reference/interval.hpp"

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "objective/quadrature_rule.hpp"

namespace bl::reference {

namespace {

// Heads at which the slope jumps.
std::vector<double> jumps(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return {};
    case Activation::relu:
    case Activation::abs:
      return {0};
    case Activation::clip:
      return {-1, 1};
    default:
      throw UsageError("the reference engine integrates utilities of identity, clip, relu and abs alone");
  }
}

// Where the number makes a head jump, with both ends. Heads of the one layer are lines in the number.
std::vector<double> kinks_and_ends(const Architecture& a, const Trace& low, const Trace& high, double lower,
                                   double upper) {
  std::vector<double> places = {lower, upper};
  std::size_t head = 0;
  for (const HeadKind kind : kHeadKinds) {
    for (Index h = 0; h < a.layers[0].blocks * a.layers[0].heads(kind); ++h, ++head) {
      const double from = low.layers[0].heads[head], to = high.layers[0].heads[head];
      for (const double jump : jumps(a.activation(kind))) {
        const double share =
            (jump - from) / (to - from);  // of the way; not finite where the head is constant
        if (share > 0 && share < 1) places.push_back(lower + share * (upper - lower));
      }
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

std::vector<IntervalNode> interval_nodes(const Utility& utility, const Architecture& a, std::vector<double> z,
                                         std::size_t v, double lower, double upper, double temperature) {
  // Eight nodes integrate exp(2 t) over [0, 1] to 2^16 8!^4 / (17 16!^3) = 1e-18.
  constexpr int kNodes = 8;
  constexpr double kMostRise = 2;
  if (a.layers.size() != 1 || a.basis.kind != BasisKind::affine)
    throw UsageError("the reference engine integrates utilities of one affine layer alone");
  const auto trace = [&](double place) {
    z[v] = place;
    return utility.trace(z);
  };
  const std::vector<double> places = kinks_and_ends(a, trace(lower), trace(upper), lower, upper);
  std::vector<double> nodes, weights;
  gauss_legendre(kNodes, nodes, weights);
  std::vector<IntervalNode> out;
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    const double rise = std::abs(trace(places[k + 1]).outputs[0] - trace(places[k]).outputs[0]) / temperature;
    const double pieces = 1 + std::floor(rise / kMostRise);
    const double width = (places[k + 1] - places[k]) / pieces;
    if (width == 0) continue;  // two kinks at one place
    for (double piece = 0; piece < pieces; ++piece)
      for (std::size_t i = 0; i < nodes.size(); ++i)
        out.push_back({places[k] + width * (piece + (1 + nodes[i]) / 2), std::log(width / 2 * weights[i])});
  }
  return out;
}

}  // namespace bl::reference
