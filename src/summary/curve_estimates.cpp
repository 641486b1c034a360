#include "summary/curve_estimates.hpp"

#include <algorithm>
#include <cmath>

#include "explain/curve_bands.hpp"
#include "explain/curve_words.hpp"
#include "explain/render.hpp"
#include "inference/distributions.hpp"
#include "summary/inference_summary.hpp"

namespace bl {

namespace {

// Of a table; estimates of choices name no curves.
bool has_curves(const FittedModel& model) {
  const auto& features = model.stored.encoder.features();
  return model.stored.choice() == nullptr &&
         std::any_of(features.begin(), features.end(),
                     [](const FeatureEncoding& one) { return one.bends.size() > 0; });
}

// "U" of the only head of its kind in the only block, "L1.B2.C1" otherwise; like the names of coefficients.
std::string short_head(const explain::Problem& problem, const explain::Block& block,
                       const explain::Head& head) {
  const bool alone = problem.layers.size() == 1 && problem.layers[0].size() == 1;
  const auto same = std::count_if(block.heads.begin(), block.heads.end(),
                                  [&](const explain::Head& one) { return one.kind == head.kind; });
  std::string name = alone ? head.name.substr(block.name.size() + 1) : head.name;
  if (same == 1) name.pop_back();
  return name;
}

EstimatedCurve curve_of(const explain::Problem& problem, const explain::Monomial& term,
                        const InferenceOptions& options) {
  const explain::Monomial::Curve& curve = *term.curve;
  const explain::Band& band = *curve.band;
  const double width = inference::normal_quantile(0.5 + 0.5 * options.level);
  EstimatedCurve out;
  out.in_words = explain::shape_in_words(curve.pieces);
  out.at = curve.pieces.knots;
  out.value = curve.pieces.values;
  out.standard_error = band.knot_errors;
  for (std::size_t i = 0; i < out.at.size(); ++i) {
    out.lower.push_back(out.value[i] - width * out.standard_error[i]);
    out.upper.push_back(out.value[i] + width * out.standard_error[i]);
  }
  out.name = explain::factors_text(problem, term);
  if (band.straight) {
    out.straight = band.straight->statistic;
    out.straight_degrees = band.straight->degrees;
    out.straight_p = band.straight->p;
  }
  out.flat = band.flat.statistic;
  out.flat_degrees = band.flat.degrees;
  out.flat_p = band.flat.p;
  return out;
}

}  // namespace

explain::Problem problem_with_bands(const FittedModel& model, explain::Units units,
                                    const Eigen::MatrixXd& covariance) {
  explain::Problem problem = problem_of(model, units);
  if (has_curves(model))
    explain::add_bands(model.stored, explain::curve_maps(model.stored, class_names(model), units), covariance,
                       problem);
  return problem;
}

explain::Problem problem_with_stored_bands(const FittedModel& model, explain::Units units) {
  const auto& stored = model.stored.inference;
  if (!stored || !stored->has_summary() || !has_curves(model)) return problem_of(model, units);
  return problem_with_bands(model, units, stored_covariance(*stored, "robust"));
}

std::vector<EstimatedCurve> estimated_curves(const FittedModel& model, const Eigen::MatrixXd& covariance,
                                             const InferenceOptions& options) {
  std::vector<EstimatedCurve> out;
  if (!has_curves(model)) return out;
  const explain::Problem problem = problem_with_bands(
      model, options.standardised ? explain::Units::standardised : explain::Units::original, covariance);
  for (const explain::Block& block : problem.layers[0])
    for (const explain::Head& head : block.heads)
      for (const explain::Monomial& term : head.terms)
        if (term.curve && term.curve->band) {
          out.push_back(curve_of(problem, term, options));
          out.back().name = short_head(problem, block, head) + "." + out.back().name;
        }
  return out;
}

}  // namespace bl
