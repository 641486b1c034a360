// Hypotheses about estimates.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

#include "base/matrix.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "inference/hypothesis.hpp"

namespace bl {

namespace {

// Refuses what shows that no likelihood ratio can be taken. That one model is a case of the other is not
// shown by what remains.
void require_nested(const InferenceSummary& small, const InferenceSummary& large) {
  const std::string test = "a likelihood-ratio test needs ";
  if (small.objective != "likelihood" || large.objective != "likelihood")
    throw UsageError(test + "two models learned by likelihood");
  for (const InferenceSummary* one : {&small, &large})
    if (one->model.find("latent classes") != std::string::npos)
      throw UsageError(
          "the number of latent classes has no likelihood-ratio test: under the smaller one some parameters "
          "of "
          "the larger do not exist; compare BIC");
  if (small.choice.has_value() != large.choice.has_value())
    throw UsageError(test + "two models of the same rows, not one of choices and one of a table");
  if (small.response != large.response)
    throw UsageError(fmt::format("{}two models of the same response, not of {} and {}", test,
                                 in_quotes(small.response), in_quotes(large.response)));
  if (small.rows != large.rows || small.digest != large.digest)
    throw UsageError(fmt::format(
        "{}two models of the same rows, and {}", test,
        small.rows != large.rows ? fmt::format("these were estimated from {} and {}", small.rows, large.rows)
                                 : "these were estimated from different data"));
  if (!small.response_digest.empty() && !large.response_digest.empty() &&
      small.response_digest != large.response_digest)
    throw UsageError(test +
                     "two models of the same rows, and these used different parts of the data or different "
                     "weights; fit both with the same `seed`, `fractions` and weights");
  for (const std::string& name : small.columns)
    if (std::find(large.columns.begin(), large.columns.end(), name) == large.columns.end())
      throw UsageError(fmt::format(
          "{}one model nested in the other: the smaller one, of {} parameters, reads the column {}, which "
          "the larger one, of {}, does not",
          test, small.parameters, in_quotes(name), large.parameters));
}

// The design of a linear utility as columns over all elements of both; the last of the terms is no
// coefficient.
Eigen::MatrixXd design(const InferenceSummary& summary, const std::vector<std::string>& elements) {
  Eigen::MatrixXd out =
      Eigen::MatrixXd::Zero(static_cast<Index>(elements.size()), static_cast<Index>(summary.terms.size()));
  for (std::size_t k = 0; k < summary.terms.size(); ++k)
    for (const std::string& one : summary.terms[k])
      out(std::find(elements.begin(), elements.end(), one) - elements.begin(), static_cast<Index>(k)) = 1;
  return out;
}

// Every term of the smaller utility must be a combination of terms of the larger one.
void require_nested_terms(const InferenceSummary& small, const InferenceSummary& large) {
  if (small.terms.empty() != large.terms.empty())
    throw UsageError(
        "a likelihood-ratio test needs one model nested in the other: of these one has a linear utility and "
        "the other is a network, and neither is a special case of the other");
  if (small.terms.empty()) return;
  std::vector<std::string> elements;
  for (const InferenceSummary* one : {&small, &large})
    for (const auto& term : one->terms)
      for (const std::string& element : term)
        if (std::find(elements.begin(), elements.end(), element) == elements.end())
          elements.push_back(element);
  const Eigen::MatrixXd of_large = design(large, elements), of_small = design(small, elements);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(of_large);
  for (Index k = 0; k + 1 < of_small.cols(); ++k) {
    const Eigen::VectorXd left = of_small.col(k) - of_large * solver.solve(of_small.col(k));
    if (left.norm() > 1e-8 * of_small.col(k).norm())
      throw UsageError(fmt::format(
          "a likelihood-ratio test needs one model nested in the other: the smaller one, of {} parameters, "
          "has "
          "the term {}, which the larger one, of {}, does not have; compare them by AIC or BIC",
          small.parameters, in_quotes(small.estimates[static_cast<std::size_t>(k)].name), large.parameters));
  }
}

}  // namespace

HypothesisTest wald_test(const InferenceSummary& summary, const std::string& hypothesis) {
  std::vector<std::string> names;
  const auto size = static_cast<Index>(summary.estimates.size());
  Eigen::VectorXd estimates(size);
  Eigen::MatrixXd covariance(size, size);
  for (Index i = 0; i < size; ++i) {
    names.push_back(summary.estimates[static_cast<std::size_t>(i)].name);
    estimates(i) = summary.estimates[static_cast<std::size_t>(i)].estimate;
    for (Index j = 0; j < size; ++j)
      covariance(i, j) = summary.covariance_matrix[static_cast<std::size_t>(i * size + j)];
  }
  const inference::TestResult result =
      inference::wald(inference::parse_hypothesis(hypothesis, names), estimates, covariance);
  return {"Wald", hypothesis, result.statistic, result.degrees, result.p};
}

HypothesisTest likelihood_ratio_test(const InferenceSummary& a, const InferenceSummary& b) {
  const InferenceSummary& small = a.parameters <= b.parameters ? a : b;
  const InferenceSummary& large = a.parameters <= b.parameters ? b : a;
  require_nested(small, large);
  require_nested_terms(small, large);
  const inference::TestResult result = inference::likelihood_ratio(small.log_likelihood, small.parameters,
                                                                   large.log_likelihood, large.parameters);
  return {"likelihood ratio",
          fmt::format("the smaller model ({} of {} parameters)", small.parameters, large.parameters),
          result.statistic, result.degrees, result.p};
}

}  // namespace bl
