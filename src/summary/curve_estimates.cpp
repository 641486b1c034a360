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

// Of a table; estimates of choices name no curves. Columns of two values have products, but no bends.
bool has_curves(const FittedModel& model) {
  const auto& columns = model.stored.encoder.columns();
  return model.stored.choice() == nullptr &&
         std::any_of(columns.begin(), columns.end(), [](const EncodedColumn& one) { return one.bends(); });
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

// Of a curve or a product, by its values and standard errors.
void add_intervals(double level, auto& out) {
  const double width = inference::normal_quantile(0.5 + 0.5 * level);
  for (std::size_t i = 0; i < out.value.size(); ++i) {
    out.lower.push_back(out.value[i] - width * out.standard_error[i]);
    out.upper.push_back(out.value[i] + width * out.standard_error[i]);
  }
}

EstimatedCurve curve_of(const std::string& name, const explain::Monomial::Curve& curve, double level) {
  const explain::Band& band = *curve.band;
  EstimatedCurve out;
  out.name = name;
  out.in_words = explain::shape_in_words(curve.pieces);
  out.at = curve.pieces.knots;
  out.value = curve.pieces.values;
  out.standard_error = band.knot_errors;
  add_intervals(level, out);
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

EstimatedProduct product_of(const std::string& name, const explain::Problem& problem,
                            const explain::Monomial::Product& product, double level) {
  EstimatedProduct out;
  out.name = name;
  out.first = problem.variables[product.variables[0]].name;
  out.second = problem.variables[product.variables[1]].name;
  out.in_words = explain::shape_in_words(product.surface, out.first, out.second);
  out.first_at = product.surface.first.knots;
  out.second_at = product.surface.second.knots;
  out.value = product.surface.values;
  out.standard_error = product.errors->at_knots;
  add_intervals(level, out);
  out.flat = product.errors->flat.statistic;
  out.flat_degrees = product.errors->flat.degrees;
  out.flat_p = product.errors->flat.p;
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

void add_curves(const FittedModel& model, const Eigen::MatrixXd& covariance, const InferenceOptions& options,
                InferenceSummary& summary) {
  if (!has_curves(model)) return;
  const explain::Problem problem = problem_with_bands(
      model, options.standardised ? explain::Units::standardised : explain::Units::original, covariance);
  for (const explain::Block& block : problem.layers[0])
    for (const explain::Head& head : block.heads)
      for (const explain::Monomial& term : head.terms) {
        const std::string name =
            short_head(problem, block, head) + "." + explain::factors_text(problem, term);
        if (term.curve && term.curve->band)
          summary.curves.push_back(curve_of(name, *term.curve, options.level));
        if (term.product && term.product->errors)
          summary.products.push_back(product_of(name, problem, *term.product, options.level));
      }
}

}  // namespace bl
