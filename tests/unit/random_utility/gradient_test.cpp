// Every model's gradient, and the responses of its probabilities, against differences.
#include <gtest/gtest.h>

#include <memory>

#include "random_utility/latent_classes.hpp"
#include "random_utility/mixed_logit.hpp"
#include "random_utility/nested_logit.hpp"
#include "random_utility/scaled_logit.hpp"
#include "support/finite_differences.hpp"
#include "unit/random_utility/made_choices.hpp"

namespace bl::random_utility {
namespace {

using namespace test;
using bl::test::central_difference;
using bl::test::slope_matches;

void expect_gradient(const RandomUtilityModel& model, const std::vector<double>& parameters) {
  const std::vector<double> gradient = gradient_at(model, parameters);
  double largest = 0;
  for (const double one : gradient) largest = std::max(largest, std::abs(one));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto difference = central_difference(
        [&](double h) {
          std::vector<double> moved = parameters;
          moved[k] += h;
          return value_at(model, moved);
        },
        parameters[k]);
    EXPECT_TRUE(slope_matches(gradient[k], difference, largest, "parameter " + std::to_string(k)));
  }
}

// Term `term` is the attribute itself. Moves the attribute of one entry after the other.
template <class Make>
void expect_responses(ChoiceSets& sets, const std::vector<double>& parameters, Index term, Make&& make) {
  ThreadPool pool(1);
  Matrix<double> slopes(sets.design.rows(), sets.design.cols());
  std::fill(slopes.flat().begin(), slopes.flat().end(), 0.0);
  for (Index i = 0; i < slopes.rows(); ++i) slopes(i, term) = 1;
  const Forecast all = make(sets)->forecast(parameters, std::as_const(slopes).view(), pool);
  const std::vector<std::int64_t> begins = response_begins(sets);
  for (Index t = 0; t < std::min<Index>(sets.situations(), 5); ++t) {
    const auto begin = static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]);
    const Index n = sets.size(t);
    double total = 0;
    for (Index j = 0; j < n; ++j) total += all.probability[static_cast<std::size_t>(begin + j)];
    EXPECT_NEAR(total, 1, 1e-12);
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j) {
        const double at = sets.design(begin + k, term);
        const auto difference = central_difference([&](double h) {
          sets.design(begin + k, term) = at + h;
          const Forecast moved = make(sets)->forecast(parameters, {}, pool);
          sets.design(begin + k, term) = at;
          return moved.probability[static_cast<std::size_t>(begin + j)];
        });
        const double response =
            all.responses[static_cast<std::size_t>(begins[static_cast<std::size_t>(t)] + j * n + k)];
        EXPECT_TRUE(slope_matches(response, difference, 1, "response"));
      }
    // The log-sum is the expected largest utility: its derivative by an attribute sums P times the slope.
    const double at = sets.design(begin, term);
    const auto difference = central_difference([&](double h) {
      sets.design(begin, term) = at + h;
      const Forecast moved = make(sets)->forecast(parameters, {}, pool);
      sets.design(begin, term) = at;
      return moved.log_sum[static_cast<std::size_t>(t)];
    });
    EXPECT_GT(std::abs(difference.slope), 0);
  }
}

MixedLogitSpec mixed(bool correlated) {
  MixedLogitSpec spec{.terms = 4, .random = {}, .draws = {.count = 40}};
  spec.random = {{.term = 2, .distribution = Distribution::normal, .sign = 1, .correlated = correlated},
                 {.term = 0, .distribution = Distribution::log_normal, .sign = -1, .correlated = correlated}};
  if (!correlated)
    spec.random.push_back({.term = 3, .distribution = Distribution::triangular});
  else
    spec.random.push_back({.term = 3, .distribution = Distribution::uniform});
  return spec;
}

TEST(MixedLogitGradient, OfIndependentAndCorrelatedCoefficients) {
  for (const bool correlated : {false, true})
    for (const bool weights : {false, true}) {
      const ChoiceSets sets = made_choices({.terms = 4, .weights = weights});
      const MixedLogit model(sets, mixed(correlated));
      std::vector<double> parameters = {-0.4, 0.7, 0.3, -0.6, 0.8, 0.5, 0.9};
      if (correlated) parameters.push_back(-0.7);
      ASSERT_EQ(model.parameters(), static_cast<Index>(parameters.size()));
      expect_gradient(model, parameters);
    }
}

TEST(MixedLogitGradient, WhereALikelihoodUnderflows) {
  // 60 choices against utilities of -40: the product of the probabilities is 1e-1000.
  ChoiceSets sets = made_choices({.persons = 3, .situations = 60, .terms = 4});
  for (Index t = 0; t < sets.situations(); ++t)
    sets.design(static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]) +
                    sets.chosen[static_cast<std::size_t>(t)],
                1) = -40;
  const MixedLogit model(sets, mixed(false));
  const std::vector<double> parameters = {-0.4, 1, 0.3, -0.6, 0.1, 0.2, 0.1};
  EXPECT_LT(value_at(model, parameters), -2000);
  expect_gradient(model, parameters);
}

TEST(MixedLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2, .terms = 4});
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, -0.6, 0.8, 0.5, 0.9};
  for (const Index term : {Index{0}, Index{1}, Index{3}})
    expect_responses(sets, parameters, term,
                     [](const ChoiceSets& s) { return std::make_unique<MixedLogit>(s, mixed(false)); });
}

NestedLogitSpec nested(bool cross) {
  NestedLogitSpec spec{.terms = 3, .nests = cross ? 2 : 1, .shares = cross ? 1 : 0, .places = {}};
  spec.places = {{.first = 0}, {}, {.first = 0}};
  if (cross) spec.places = {{.first = 0}, {.first = 0, .second = 1, .share = 0}, {.first = 1}};
  return spec;
}

TEST(NestedLogitGradient, OfNestsAndOfAlternativesInTwo) {
  const ChoiceSets sets = made_choices({.weights = true});
  expect_gradient(NestedLogit(sets, nested(false)), {-0.4, 0.7, 0.3, 1.8});
  expect_gradient(NestedLogit(sets, nested(true)), {-0.4, 0.7, 0.3, 1.8, 2.6, 0.35});
}

TEST(NestedLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2});
  for (const bool cross : {false, true}) {
    std::vector<double> parameters = {-0.4, 0.7, 0.3, 1.8};
    if (cross) parameters = {-0.4, 0.7, 0.3, 1.8, 2.6, 0.35};
    expect_responses(sets, parameters, 1,
                     [&](const ChoiceSets& s) { return std::make_unique<NestedLogit>(s, nested(cross)); });
  }
}

TEST(LatentClassGradient, OfCoefficientsAndMembership) {
  const ChoiceSets sets = made_choices({.weights = true, .membership = 1});
  expect_gradient(LatentClassLogit(sets, 3),
                  {-0.4, 0.7, 0.3, 0.8, -0.2, 0.5, 0.1, 0.1, -0.9, 0.3, -0.5, 0.2, 0.4});
}

TEST(LatentClassResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2, .membership = 1});
  expect_responses(sets, {-0.4, 0.7, 0.3, 0.8, -0.2, 0.5, 0.3, -0.5}, 2,
                   [](const ChoiceSets& s) { return std::make_unique<LatentClassLogit>(s, 2); });
}

// Situations of three data sources in turn.
ChoiceSets from_sources(const MadeSpec& spec) {
  ChoiceSets sets = made_choices(spec);
  for (Index t = 0; t < sets.situations(); ++t) sets.source.push_back(static_cast<std::int32_t>(t % 3));
  return sets;
}

TEST(ScaledLogitGradient, OfCoefficientsAndLogScales) {
  const ChoiceSets sets = from_sources({.weights = true});
  expect_gradient(ScaledLogit(sets, 3, 3), {-0.4, 0.7, 0.3, 0.6, -0.8});
}

TEST(ScaledLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = from_sources({.persons = 4, .situations = 2});
  expect_responses(sets, {-0.4, 0.7, 0.3, 0.6, -0.8}, 1,
                   [](const ChoiceSets& s) { return std::make_unique<ScaledLogit>(s, 3, 3); });
}

TEST(ScaledLogit, WithoutDifferencesIsTheLogit) {
  const ChoiceSets sets = from_sources({});
  EXPECT_NEAR(value_at(ScaledLogit(sets, 3, 3), {-0.4, 0.7, 0.3, 0, 0}), logit_value(sets, {-0.4, 0.7, 0.3}),
              1e-12);
}

}  // namespace
}  // namespace bl::random_utility
