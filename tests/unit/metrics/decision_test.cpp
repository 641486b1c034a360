#include "metrics/decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "compute/log_sum_exp.hpp"

namespace bl::metrics {
namespace {

Matrix<double> random_log_probabilities(Index rows, Index classes, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Matrix<double> out(rows, classes);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < classes; ++k)
      out(i, k) = 1.5 * random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)) -
                  1.2 * static_cast<double>(k);  // later classes are rare
    log_softmax(std::span<double>(out.row(i), static_cast<std::size_t>(classes)));
  }
  return out;
}

Matrix<double> exponentials(const Matrix<double>& log_p) {
  Matrix<double> p(log_p.rows(), log_p.cols());
  for (Index i = 0; i < p.rows(); ++i)
    for (Index k = 0; k < p.cols(); ++k) p(i, k) = std::exp(log_p(i, k));
  return p;
}

TEST(Decision, EqualWeightsTakeTheMostProbableClass) {
  const Matrix<double> log_p = random_log_probabilities(40, 4, 1);
  EXPECT_EQ(weighted_class(log_p.view(), std::vector<double>(4, 0.0)), top_class(exponentials(log_p).view()));
}

TEST(Decision, ExpectedMacroF1OfCertainRowsIsTheirMacroF1) {
  Matrix<double> p(4, 2);
  const std::vector<std::int32_t> truth = {0, 0, 1, 1}, decided = {0, 1, 1, 1};
  for (Index i = 0; i < 4; ++i)
    for (Index k = 0; k < 2; ++k) p(i, k) = truth[static_cast<std::size_t>(i)] == k ? 1 : 0;
  EXPECT_DOUBLE_EQ(expected_macro_f1(p.view(), decided), macro_f1(truth, decided, 2));
  EXPECT_DOUBLE_EQ(expected_macro_f1(p.view(), decided, std::vector<double>{1, 2, 3, 4}),
                   macro_f1(truth, decided, 2, std::vector<double>{1, 2, 3, 4}));
}

// With two classes every decision by weights is one by a threshold: the weights found are those of the best
// one.
TEST(Decision, WeightsOfTwoClassesAreTheBestThreshold) {
  for (const std::uint64_t seed : {2U, 3U, 4U}) {
    const Matrix<double> log_p = random_log_probabilities(60, 2, seed), p = exponentials(log_p);
    double best = 0;
    for (Index cut = 0; cut < p.rows(); ++cut) {
      std::vector<std::int32_t> decided;
      for (Index i = 0; i < p.rows(); ++i) decided.push_back(p(i, 1) >= p(cut, 1) ? 1 : 0);
      best = std::max(best, expected_macro_f1(p.view(), decided));
    }
    const std::vector<double> weights = macro_f1_log_weights(log_p.view());
    EXPECT_DOUBLE_EQ(*std::max_element(weights.begin(), weights.end()), 0);
    EXPECT_NEAR(expected_macro_f1(p.view(), weighted_class(log_p.view(), weights)), best, 1e-12);
  }
}

// No single weight can be moved to gain: held against a fine grid.
TEST(Decision, NoClassGainsByAnotherWeight) {
  const Matrix<double> log_p = random_log_probabilities(50, 4, 5), p = exponentials(log_p);
  std::vector<double> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(1 + i % 3);
  const std::vector<double> weights = macro_f1_log_weights(log_p.view(), rows);
  const double found = expected_macro_f1(p.view(), weighted_class(log_p.view(), weights), rows);
  EXPECT_GT(found, expected_macro_f1(p.view(), top_class(p.view()), rows));
  for (std::size_t k = 0; k < 4; ++k)
    for (double change = -6; change <= 6; change += 0.01) {
      std::vector<double> other = weights;
      other[k] += change;
      EXPECT_LE(expected_macro_f1(p.view(), weighted_class(log_p.view(), other), rows), found + 1e-8);
    }
}

TEST(Decision, CostsDecideByTheirExpectation) {
  Matrix<double> p(2, 2), costs(2, 2);
  p(0, 0) = 0.85, p(0, 1) = 0.15, p(1, 0) = 0.95, p(1, 1) = 0.05;
  costs(0, 0) = 0, costs(0, 1) = 1, costs(1, 0) = 10, costs(1, 1) = 0;  // missing class 1 costs ten times
  EXPECT_EQ(cheapest_class(p.view(), costs.view()), (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace bl::metrics
