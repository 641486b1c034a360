#include "explain/curve_bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "features/curve.hpp"
#include "inference/hypothesis.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

// A row of gradients by the stored positions, of which weights without one are fixed.
double standard_error(const Eigen::RowVectorXd& gradient, const Eigen::MatrixXd& covariance) {
  double variance = 0;  // entries without a variance count only where they have a factor
  for (Eigen::Index i = 0; i < gradient.size(); ++i)
    for (Eigen::Index j = 0; j < gradient.size(); ++j)
      if (gradient(i) != 0 && gradient(j) != 0) variance += gradient(i) * covariance(i, j) * gradient(j);
  return std::sqrt(variance);
}

class HeadCurve {
 public:
  HeadCurve(const StoredModel& model, const CurveMap& map, Index first_weight,
            const std::map<Index, Eigen::Index>& places, const Eigen::MatrixXd& covariance)
      : feature_(model.encoder.features()[map.feature]), covariance_(covariance) {
    const auto slots = static_cast<Eigen::Index>(map.parts.size());
    weights_ = Eigen::VectorXd::Zero(slots);
    gradients_ = Eigen::MatrixXd::Zero(slots, covariance.rows());
    for (Eigen::Index slot = 0; slot < slots; ++slot)
      for (const auto& [term, factor] : map.parts[static_cast<std::size_t>(slot)]) {
        const Index position = first_weight + static_cast<Index>(term);
        weights_(slot) += factor * model.parameters[static_cast<std::size_t>(position)];
        if (const auto place = places.find(position); place != places.end())
          gradients_(slot, place->second) += factor;
      }
  }

  double value(double x) const { return basis(x).dot(weights_); }
  double error(double x) const {
    const Eigen::VectorXd at = basis(x);
    Eigen::RowVectorXd gradient = Eigen::RowVectorXd::Zero(gradients_.cols());
    for (Eigen::Index slot = 0; slot < at.size(); ++slot)
      if (at(slot) != 0) gradient += at(slot) * gradients_.row(slot);
    return standard_error(gradient, covariance_);
  }

  // Wald, that the weights from this slot on are zero; those that are fixed say nothing.
  Band::Test zero_from(Eigen::Index first) const {
    std::vector<Eigen::Index> slots;
    for (Eigen::Index slot = first; slot < weights_.size(); ++slot)
      if (!gradients_.row(slot).isZero(0)) slots.push_back(slot);
    const auto count = static_cast<Eigen::Index>(slots.size());
    Eigen::VectorXd estimates(count);
    Eigen::MatrixXd covariance(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      estimates(i) = weights_(slots[static_cast<std::size_t>(i)]);
      for (Eigen::Index j = 0; j < count; ++j)
        covariance(i, j) = product(slots[static_cast<std::size_t>(i)], slots[static_cast<std::size_t>(j)]);
    }
    try {
      const inference::TestResult result = inference::wald(
          {Eigen::MatrixXd::Identity(count, count), Eigen::VectorXd::Zero(count)}, estimates, covariance);
      return {result.statistic, result.degrees, result.p};
    } catch (const Error&) {
      return {kUnknown, static_cast<int>(count), kUnknown};
    }
  }

  bool has_line() const { return feature_.bends.line && !gradients_.row(0).isZero(0); }

 private:
  Eigen::VectorXd basis(double x) const {
    Eigen::VectorXd out(weights_.size());
    out(0) = feature_.bends.line ? straight_part(feature_, x) : 0;
    const double straight = straight_part(feature_, x);
    for (Eigen::Index j = 1; j < out.size(); ++j)
      out(j) = bend_value(feature_, static_cast<std::size_t>(j - 1), x, straight);
    return out;
  }

  double product(Eigen::Index a, Eigen::Index b) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < covariance_.rows(); ++i)
      for (Eigen::Index j = 0; j < covariance_.cols(); ++j)
        if (gradients_(a, i) != 0 && gradients_(b, j) != 0)
          sum += gradients_(a, i) * covariance_(i, j) * gradients_(b, j);
    return sum;
  }

  const FeatureEncoding& feature_;
  const Eigen::MatrixXd& covariance_;
  Eigen::VectorXd weights_;    // of the straight part and the bends
  Eigen::MatrixXd gradients_;  // of these by the stored positions
};

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

Band band_of(const HeadCurve& curve, const Pieces& pieces, const Variable& variable, Units units) {
  const auto raw = [&](double x) {
    return units == Units::standardised ? x * variable.scale + variable.mean : x;
  };
  Band band;
  band.at = band_points(pieces);
  for (const double x : band.at) {
    band.values.push_back(curve.value(raw(x)));
    band.errors.push_back(curve.error(raw(x)));
  }
  for (const double x : pieces.knots) band.knot_errors.push_back(curve.error(raw(x)));
  if (curve.has_line()) band.straight = curve.zero_from(1);
  band.flat = curve.zero_from(0);
  return band;
}

}  // namespace

void add_bands(const StoredModel& model, const std::vector<CurveMap>& maps, const Eigen::MatrixXd& covariance,
               Problem& problem) {
  const Architecture& a = model.architecture;
  const ParameterLayout layout(a);
  std::map<Index, Eigen::Index> places;
  for (const Index position : model.inference->positions)
    places.emplace(position, static_cast<Eigen::Index>(places.size()));
  for (std::size_t b = 0; b < problem.layers[0].size(); ++b) {
    std::size_t at = 0;
    for (const HeadKind kind : kHeadKinds)
      for (Index h = 0; h < a.layers[0].heads(kind); ++h, ++at) {
        const TensorInfo& weight = layout.tensor(fmt::format("layers/0/{}/weight", letter(kind)));
        const Index row = static_cast<Index>(b) * a.layers[0].heads(kind) + h;
        for (Monomial& term : problem.layers[0][b].heads[at].terms) {
          if (!term.curve || problem.variables[term.curve->variable].bends.empty()) continue;
          const auto map = std::find_if(maps.begin(), maps.end(), [&](const CurveMap& one) {
            return one.variable == term.curve->variable && one.factors == term.factors;
          });
          if (map == maps.end()) continue;
          const HeadCurve curve(model, *map, weight.offset + row * weight.cols, places, covariance);
          term.curve->band =
              band_of(curve, term.curve->pieces, problem.variables[term.curve->variable], problem.units);
        }
      }
  }
}

}  // namespace bl::explain
