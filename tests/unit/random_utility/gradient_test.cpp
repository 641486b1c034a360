// Every model's gradient, and the responses of its probabilities, against differences.
#include <gtest/gtest.h>

#include <memory>

#include "random_utility/latent_classes.hpp"
#include "random_utility/mixed_logit.hpp"
#include "random_utility/nested_logit.hpp"
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
  const Context job(1);
  Matrix<double> slopes(sets.design.rows(), sets.design.cols());
  std::fill(slopes.flat().begin(), slopes.flat().end(), 0.0);
  for (Index i = 0; i < slopes.rows(); ++i) slopes(i, term) = 1;
  const Forecast all = make(sets)->forecast(parameters, std::as_const(slopes).view(), job);
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
          const Forecast moved = make(sets)->forecast(parameters, {}, job);
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
      const Forecast moved = make(sets)->forecast(parameters, {}, job);
      sets.design(begin, term) = at;
      return moved.log_sum[static_cast<std::size_t>(t)];
    });
    EXPECT_GT(std::abs(difference.slope), 0);
  }
}

MixedLogitSpec mixed(bool correlated) {
  MixedLogitSpec spec{.random = {}, .draws = {.count = 40}};
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
      const MixedLogit model(sets, Utility::linear(4), mixed(correlated));
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
  const MixedLogit model(sets, Utility::linear(4), mixed(false));
  const std::vector<double> parameters = {-0.4, 1, 0.3, -0.6, 0.1, 0.2, 0.1};
  EXPECT_LT(value_at(model, parameters), -2000);
  expect_gradient(model, parameters);
}

TEST(MixedLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2, .terms = 4});
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, -0.6, 0.8, 0.5, 0.9};
  for (const Index term : {Index{0}, Index{1}, Index{3}})
    expect_responses(sets, parameters, term, [](const ChoiceSets& s) {
      return std::make_unique<MixedLogit>(s, Utility::linear(4), mixed(false));
    });
}

NestedLogitSpec nested(bool cross) {
  NestedLogitSpec spec{.nests = cross ? 2 : 1, .shares = cross ? 1 : 0, .places = {}};
  spec.places = {{.first = 0}, {}, {.first = 0}};
  if (cross) spec.places = {{.first = 0}, {.first = 0, .second = 1, .share = 0}, {.first = 1}};
  return spec;
}

TEST(NestedLogitGradient, OfNestsAndOfAlternativesInTwo) {
  const ChoiceSets sets = made_choices({.weights = true});
  expect_gradient(NestedLogit(sets, Utility::linear(3), nested(false)), {-0.4, 0.7, 0.3, 1.8});
  expect_gradient(NestedLogit(sets, Utility::linear(3), nested(true)), {-0.4, 0.7, 0.3, 1.8, 2.6, 0.35});
}

TEST(NestedLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2});
  for (const bool cross : {false, true}) {
    std::vector<double> parameters = {-0.4, 0.7, 0.3, 1.8};
    if (cross) parameters = {-0.4, 0.7, 0.3, 1.8, 2.6, 0.35};
    expect_responses(sets, parameters, 1, [&](const ChoiceSets& s) {
      return std::make_unique<NestedLogit>(s, Utility::linear(3), nested(cross));
    });
  }
}

TEST(LatentClassGradient, OfCoefficientsAndMembership) {
  const ChoiceSets sets = made_choices({.weights = true, .membership = 1});
  expect_gradient(LatentClassLogit(sets, Utility::linear(3), 3),
                  {-0.4, 0.7, 0.3, 0.8, -0.2, 0.5, 0.1, 0.1, -0.9, 0.3, -0.5, 0.2, 0.4});
}

TEST(LatentClassResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = made_choices({.persons = 4, .situations = 2, .membership = 1});
  expect_responses(sets, {-0.4, 0.7, 0.3, 0.8, -0.2, 0.5, 0.3, -0.5}, 2, [](const ChoiceSets& s) {
    return std::make_unique<LatentClassLogit>(s, Utility::linear(3), 2);
  });
}

// Situations of three data sources in turn.
ChoiceSets from_sources(const MadeSpec& spec) {
  ChoiceSets sets = made_choices(spec);
  for (Index t = 0; t < sets.situations(); ++t) sets.source.push_back(static_cast<std::int32_t>(t % 3));
  return sets;
}

// The logit is a nested logit without nests.
const NestedLogitSpec kNoNests{.places = {{}, {}, {}}};

TEST(ScaledLogitGradient, OfCoefficientsAndLogScales) {
  const ChoiceSets sets = from_sources({.weights = true});
  expect_gradient(NestedLogit(sets, Utility::linear(3, 3), kNoNests), {-0.4, 0.7, 0.3, 0.6, -0.8});
}

TEST(ScaledLogitResponses, AreTheDerivativesOfTheProbabilities) {
  ChoiceSets sets = from_sources({.persons = 4, .situations = 2});
  expect_responses(sets, {-0.4, 0.7, 0.3, 0.6, -0.8}, 1, [](const ChoiceSets& s) {
    return std::make_unique<NestedLogit>(s, Utility::linear(3, 3), kNoNests);
  });
}

// Every class has scales of its own.
TEST(ScaledLatentClasses, GradientAndResponses) {
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, 0.6, -0.8, 0.8, -0.2, 0.5, -0.3, 0.4, 0.3, -0.5};
  const auto made = [](const ChoiceSets& s) {
    return std::make_unique<LatentClassLogit>(s, Utility::linear(3, 3), 2);
  };
  expect_gradient(*made(from_sources({.weights = true, .membership = 1})), parameters);
  ChoiceSets sets = from_sources({.persons = 4, .situations = 2, .membership = 1});
  expect_responses(sets, parameters, 1, made);
}

TEST(ScaledLogit, WithoutDifferencesIsTheLogit) {
  const ChoiceSets sets = from_sources({});
  EXPECT_NEAR(value_at(NestedLogit(sets, Utility::linear(3, 3), kNoNests), {-0.4, 0.7, 0.3, 0, 0}),
              logit_value(sets, {-0.4, 0.7, 0.3}), 1e-12);
}

// lambda_U tanh(u'z) - lambda_C softplus(c'z) - (t'z)^2 over three columns; the weight of the square is 1.
// Parameters: 0 to 2 u, 3 lambda_U, 4 to 6 c, 7 lambda_C, 8 and 9 t.
Utility block(Index sources = 1) {
  std::vector<UtilityHead> heads = {
      {.sign = 1, .activation = Activation::tanh, .lambda = 3, .weights = {{0, 0}, {1, 1}, {2, 2}}},
      {.sign = -1, .activation = Activation::softplus, .lambda = 7, .weights = {{4, 0}, {5, 1}, {6, 2}}},
      {.sign = -1, .activation = Activation::square, .lambda = -1, .weights = {{8, 0}, {9, 2}}}};
  return {10, std::move(heads), sources};
}
const std::vector<double> kBlock = {0.8, -0.5, 0.4, 1.7, -0.6, 0.9, 0.2, 1.2, 0.3, -0.4};

std::vector<double> with(std::vector<double> first, const std::vector<double>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The formula again, without derivatives.
double block_value(const std::vector<double>& b, const double* z) {
  const double u = b[0] * z[0] + b[1] * z[1] + b[2] * z[2], c = b[4] * z[0] + b[5] * z[1] + b[6] * z[2],
               t = b[8] * z[0] + b[9] * z[2];
  return b[3] * std::tanh(u) - b[7] * std::log1p(std::exp(c)) - t * t;
}

TEST(BlockUtility, IsItsFormula) {
  const ChoiceSets sets = made_choices({});
  const Utility utility = block();
  UtilityAt at;
  for (Index t = 0; t < sets.situations(); ++t) {
    utility.evaluate(sets, t, kBlock.data(), at);
    for (Index j = 0; j < sets.size(t); ++j)
      EXPECT_NEAR(at.value[static_cast<std::size_t>(j)],
                  block_value(kBlock, sets.design.row(
                                          static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]) + j)),
                  1e-13);
  }
}

TEST(BlockUtility, GradientsOfNestedAndLatentModels) {
  const ChoiceSets sets = made_choices({.weights = true, .membership = 1});
  expect_gradient(NestedLogit(sets, block(), nested(true)), with(kBlock, {1.8, 2.6, 0.35}));
  std::vector<double> other = kBlock;
  for (double& one : other) one = 0.7 * one + 0.1;
  expect_gradient(LatentClassLogit(sets, block(), 2), with(with(kBlock, other), {0.3, -0.5}));
  const ChoiceSets sources = from_sources({.weights = true});
  expect_gradient(NestedLogit(sources, block(3), nested(false)), with(kBlock, {0.6, -0.8, 1.8}));
  expect_gradient(LatentClassLogit(sources, block(3), 2),
                  with(with(with(kBlock, {0.6, -0.8}), with(other, {-0.3, 0.4})), {0.3}));
}

TEST(BlockUtility, ResponsesOfNestedAndLatentModels) {
  ChoiceSets sets = from_sources({.persons = 4, .situations = 2});
  expect_responses(sets, with(kBlock, {0.6, -0.8, 1.8}), 2, [](const ChoiceSets& s) {
    return std::make_unique<NestedLogit>(s, block(3), nested(false));
  });
  expect_responses(sets, with(with(kBlock, kBlock), {0.3}), 0,
                   [](const ChoiceSets& s) { return std::make_unique<LatentClassLogit>(s, block(), 2); });
}

// A random lambda of each head and a random coefficient inside each.
MixedLogitSpec mixed_block(bool correlated, bool inside) {
  MixedLogitSpec spec{.random = {}, .draws = {.count = 40}};
  spec.random = {{.term = 7, .distribution = Distribution::log_normal, .correlated = correlated},
                 {.term = 3, .distribution = Distribution::normal, .correlated = correlated}};
  if (inside) {
    spec.random.push_back({.term = 1, .distribution = Distribution::normal});
    spec.random.push_back({.term = 6, .distribution = Distribution::triangular});
    spec.random.push_back({.term = 8, .distribution = Distribution::uniform});
  }
  return spec;
}

TEST(BlockUtility, GradientsOfRandomLambdasAndCoefficients) {
  const ChoiceSets sets = from_sources({.persons = 8, .weights = true});
  for (const bool correlated : {false, true})
    for (const bool inside : {false, true})
      for (const Index sources : {1, 3}) {
        std::vector<double> parameters = kBlock;
        if (sources > 1) parameters = with(parameters, {0.6, -0.8});
        parameters = with(parameters, {0.8, 0.5});
        if (correlated) parameters.push_back(-0.7);
        if (inside) parameters = with(parameters, {0.6, 0.4, 0.3});
        const MixedLogit model(sets, block(sources), mixed_block(correlated, inside));
        ASSERT_EQ(model.parameters(), static_cast<Index>(parameters.size()));
        expect_gradient(model, parameters);
      }
}

TEST(BlockUtility, ResponsesOfRandomLambdasAndCoefficients) {
  ChoiceSets sets = from_sources({.persons = 4, .situations = 2});
  const std::vector<double> parameters = with(kBlock, {0.6, -0.8, 0.8, 0.5, 0.6, 0.4, 0.3});
  for (const Index column : {0, 2})
    expect_responses(sets, parameters, column, [](const ChoiceSets& s) {
      return std::make_unique<MixedLogit>(s, block(3), mixed_block(false, true));
    });
}

// One head with the identity is the linear utility, by two ways through the draws.
TEST(BlockUtility, WithTheIdentityIsLinear) {
  const ChoiceSets sets = made_choices({.terms = 4, .weights = true});
  UtilityHead head;
  for (Index k = 0; k < 4; ++k) head.weights.push_back({k, k});
  const MixedLogit linear(sets, Utility::linear(4), mixed(false)), general(sets, {4, {head}}, mixed(false));
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, -0.6, 0.8, 0.5, 0.9};
  EXPECT_NEAR(value_at(linear, parameters), value_at(general, parameters), 1e-12);
  const std::vector<double> a = gradient_at(linear, parameters), b = gradient_at(general, parameters);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
}

// A lambda of each draw, written out.
TEST(BlockUtility, LikelihoodOfARandomLambdaIsTheMeanOverItsDraws) {
  const ChoiceSets s = made_choices({.persons = 5});
  constexpr Index kDraws = 20;
  const MixedLogitSpec spec{.random = {{.term = 7, .distribution = Distribution::log_normal}},
                            .draws = {.count = kDraws}};
  std::vector<double> b = kBlock;
  b[7] = 0.2;  // location of its logarithm
  const Matrix<double> uniform = uniform_draws(spec.draws, s.person_count(), 1);
  double expected = 0;
  for (Index p = 0; p < s.person_count(); ++p) {
    double mean = 0;
    for (Index r = 0; r < kDraws; ++r) {
      std::vector<double> of_draw = b;
      of_draw[7] = std::exp(0.2 + 0.9 * normal_draw(uniform(p, r)));
      double log_p = 0;
      for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
           ++t) {
        const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
        double total = 0;
        for (Index j = 0; j < s.size(static_cast<Index>(t)); ++j)
          total += std::exp(block_value(of_draw, s.design.row(begin + j)));
        log_p += block_value(of_draw, s.design.row(begin + s.chosen[static_cast<std::size_t>(t)])) -
                 std::log(total);
      }
      mean += std::exp(log_p) / kDraws;
    }
    expected += std::log(mean);
  }
  EXPECT_NEAR(value_at(MixedLogit(s, block(), spec), with(b, {0.9})), expected, 1e-11);
}

}  // namespace
}  // namespace bl::random_utility
