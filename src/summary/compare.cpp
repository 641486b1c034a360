#include "bl/compare.hpp"
#include "base/unknown.hpp"

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"

namespace bl {

namespace {

Comparison::Column column_of(const std::string& name, const InferenceSummary& s) {
  Comparison::Column out{.name = name,
                         .model = s.model,
                         .covariance = s.covariance,
                         .rows = s.rows,
                         .parameters = s.parameters,
                         .log_likelihood = s.log_likelihood,
                         .aic = s.aic,
                         .bic = s.bic,
                         .rho_square = kUnknown,
                         .adjusted_rho_square = kUnknown,
                         .lr_statistic = kUnknown,
                         .lr_p = kUnknown};
  if (s.choice) {
    out.rho_square = s.choice->rho_square;
    out.adjusted_rho_square = s.choice->adjusted_rho_square;
  }
  return out;
}

void test_against(const InferenceSummary& first, const InferenceSummary& other, Comparison::Column& out) {
  try {
    const HypothesisTest test = likelihood_ratio_test(first, other);
    out.lr_statistic = test.statistic;
    out.lr_degrees = test.degrees;
    out.lr_p = test.p;
  } catch (const UsageError& error) {
    out.lr_refused = error.what();
  } catch (const NumericError& error) {
    out.lr_refused = error.what();
  }
}

void add_notes(const std::vector<std::pair<std::string, InferenceSummary>>& models, Comparison& out) {
  const InferenceSummary& first = models[0].second;
  for (const auto& [name, s] : models) {
    if (s.rows != first.rows || s.digest != first.digest ||
        (!s.response_digest.empty() && !first.response_digest.empty() &&
         s.response_digest != first.response_digest))
      out.notes.push_back(name + " was estimated from other rows than " + models[0].first +
                          ": likelihoods, AIC and BIC cannot be compared");
    if (s.covariance != first.covariance)
      out.notes.push_back(name + " has " + s.covariance + " errors, " + models[0].first + " " +
                          first.covariance);
  }
  for (std::size_t i = 1; i < out.columns.size(); ++i)
    if (!out.columns[i].lr_refused.empty())
      out.notes.push_back("no likelihood ratio of " + out.columns[i].name + ": " + out.columns[i].lr_refused);
}

}  // namespace

Comparison compare(const std::vector<std::pair<std::string, InferenceSummary>>& models) {
  if (models.size() < 2) throw UsageError("a comparison needs two models or more");
  Comparison out;
  for (std::size_t m = 0; m < models.size(); ++m) {
    out.columns.push_back(column_of(models[m].first, models[m].second));
    if (m > 0) test_against(models[0].second, models[m].second, out.columns.back());
    for (const EstimatedParameter& one : models[m].second.estimates) {
      auto found = std::find(out.parameters.begin(), out.parameters.end(), one.name);
      if (found == out.parameters.end()) {
        out.parameters.push_back(one.name);
        out.cells.emplace_back(models.size(), Comparison::Cell{kUnknown, kUnknown});
        found = out.parameters.end() - 1;
      }
      out.cells[static_cast<std::size_t>(found - out.parameters.begin())][m] = {
          one.estimate, one.standard_error, true, one.state};
    }
  }
  add_notes(models, out);
  return out;
}

}  // namespace bl
