// Likelihoods against the textbook, quadrature and each other; recovery of planted parameters.
#include <gtest/gtest.h>

#include <numbers>

#include "random_utility/latent_classes.hpp"
#include "random_utility/maximum.hpp"
#include "random_utility/mixed_logit.hpp"
#include "random_utility/nested_logit.hpp"
#include "unit/random_utility/made_choices.hpp"

namespace bl::random_utility {
namespace {

using namespace test;

const std::vector<double> kLogit = {-0.4, 0.7, 0.3};

TEST(MixedLogit, WithoutSpreadIsTheLogit) {
  const ChoiceSets sets = made_choices({});
  const MixedLogit model(sets, Utility::linear(3), {.random = {{.term = 1}}, .draws = {.count = 50}});
  EXPECT_NEAR(value_at(model, {-0.4, 0.7, 0.3, 0}), logit_value(sets, kLogit), 1e-11);
}

// Per person the integral over one normal coefficient, by the trapezoid rule, which is exact to rounding for
// such integrands.
double quadrature(const ChoiceSets& s, const std::vector<double>& b, Index term, double sd) {
  double sum = 0;
  for (Index p = 0; p < s.person_count(); ++p) {
    double integral = 0;
    constexpr double kStep = 1.0 / 64;
    for (double z = -9; z <= 9; z += kStep) {
      double log_p = -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi);
      for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
           ++t) {
        const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
        double total = 0, chosen = 0;
        for (Index j = 0; j < s.size(static_cast<Index>(t)); ++j) {
          double v = 0;
          for (std::size_t k = 0; k < b.size(); ++k)
            v += s.design(begin + j, static_cast<Index>(k)) *
                 (b[k] + (static_cast<Index>(k) == term ? sd * z : 0));
          total += std::exp(v);
          if (j == s.chosen[static_cast<std::size_t>(t)]) chosen = v;
        }
        log_p += chosen - std::log(total);
      }
      integral += kStep * std::exp(log_p);
    }
    sum += std::log(integral);
  }
  return sum;
}

TEST(MixedLogit, SimulatesTheIntegral) {
  const ChoiceSets sets = made_choices({.persons = 6});
  const double exact = quadrature(sets, kLogit, 1, 1.2);
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, 1.2};
  for (const Sequence sequence : {Sequence::halton, Sequence::scrambled_halton, Sequence::sobol}) {
    const MixedLogit model(sets, Utility::linear(3),
                           {.random = {{.term = 1}}, .draws = {.count = 1 << 14, .sequence = sequence}});
    // Koksma's inequality: a person's part errs by at most its variation (about 8 times its mean here) times
    // the discrepancy of the points, 2 / 2^14; there are six persons.
    EXPECT_NEAR(value_at(model, parameters), exact, 6e-3) << static_cast<int>(sequence);
  }
  const MixedLogit random(
      sets, Utility::linear(3),
      {.random = {{.term = 1}}, .draws = {.count = 1 << 14, .sequence = Sequence::pseudo_random}});
  EXPECT_NEAR(value_at(random, parameters), exact, 0.05);
}

TEST(MixedLogit, SameBitsForAnyNumberOfThreads) {
  const ChoiceSets sets = made_choices({.persons = 100});
  const MixedLogit model(sets, Utility::linear(3),
                         {.random = {{.term = 1}, {.term = 0}}, .draws = {.count = 33}});
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, 1.2, 0.5};
  EXPECT_EQ(value_at(model, parameters, 1), value_at(model, parameters, 4));
}

TEST(MixedLogit, PosteriorMeansAreOfThePersonsChoices) {
  const ChoiceSets sets = made_choices({.persons = 6});
  const MixedLogit model(sets, Utility::linear(3), {.random = {{.term = 1}}, .draws = {.count = 1 << 13}});
  const std::vector<double> parameters = {-0.4, 0.7, 0.3, 1.2};
  const Context job(1);
  const Posterior posterior = model.posterior(parameters, job);
  // With 2^13 points the integral of what grows like the draw itself errs by a few thousandths; the means
  // differ by 2. d log L_p / d location = E[slope]; by Stein's identity E[beta | choices] = b + sd^2 d log
  // L_p / d b.
  Matrix<double> scores(6, 4);
  model.log_likelihood(parameters, scores.view(), job);
  for (Index p = 0; p < 6; ++p) EXPECT_NEAR(posterior.mean(p, 0), 0.7 + 1.2 * 1.2 * scores(p, 1), 1e-2);
}

TEST(NestedLogit, WithScaleOneIsTheLogit) {
  const ChoiceSets sets = made_choices({});
  const NestedLogit nested(sets, Utility::linear(3),
                           {.nests = 1, .places = {{.first = 0}, {}, {.first = 0}}});
  EXPECT_NEAR(value_at(nested, {-0.4, 0.7, 0.3, 1}), logit_value(sets, kLogit), 1e-11);
  const NestedLogit cross(sets, Utility::linear(3),
                          {.nests = 2,
                           .shares = 1,
                           .places = {{.first = 0}, {.first = 0, .second = 1, .share = 0}, {.first = 1}}});
  EXPECT_NEAR(value_at(cross, {-0.4, 0.7, 0.3, 1, 1, 0.3}), logit_value(sets, kLogit), 1e-11);
}

TEST(NestedLogit, HasTheTextbooksProbabilities) {
  ChoiceSets s;
  s.begin = {0, 3};
  s.persons = {0, 1};
  s.chosen = {0};
  s.alternative = {0, 1, 2};
  s.design.resize(3, 1);
  s.design(0, 0) = 0.5;
  s.design(1, 0) = -0.2;
  s.design(2, 0) = 0.1;
  const double mu = 2;
  const NestedLogit model(s, Utility::linear(1), {.nests = 1, .places = {{.first = 0}, {}, {.first = 0}}});
  const double in_nest = std::exp(mu * 0.5) + std::exp(mu * 0.1), whole = std::pow(in_nest, 1 / mu);
  EXPECT_NEAR(value_at(model, {1, mu}),
              std::log(std::exp(mu * 0.5) / in_nest * whole / (whole + std::exp(-0.2))), 1e-14);
}

TEST(LatentClasses, OfOneKindAreTheLogit) {
  const ChoiceSets sets = made_choices({});
  const LatentClassLogit model(sets, Utility::linear(3), 2);
  EXPECT_NEAR(value_at(model, {-0.4, 0.7, 0.3, -0.4, 0.7, 0.3, 0.9}), logit_value(sets, kLogit), 1e-11);
}

// Choices drawn from the utility of each person.
template <class Coefficients>
ChoiceSets drawn(const MadeSpec& spec, Coefficients&& of_person) {
  ChoiceSets s = made_choices(spec);
  const RandomStream stream(spec.seed + 1, Purpose::test);
  for (Index p = 0; p < s.person_count(); ++p) {
    const std::vector<double> b = of_person(p, stream);
    for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
         ++t) {
      const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
      double best = -1e300;
      for (Index j = 0; j < s.size(static_cast<Index>(t)); ++j) {
        double v = -std::log(
            -std::log(stream.uniform(10 + static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(j))));
        for (std::size_t k = 0; k < b.size(); ++k) v += s.design(begin + j, static_cast<Index>(k)) * b[k];
        if (v > best) {
          best = v;
          s.chosen[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(j);
        }
      }
    }
  }
  return s;
}

void expect_recovered(const RandomUtilityModel& model, const std::vector<double>& start,
                      const std::vector<double>& truth) {
  const Context job(2);
  const std::vector<Coordinate> coordinates(truth.size());
  const Maximum maximum = maximise(model, start, coordinates, {}, job);
  ASSERT_TRUE(maximum.converged) << maximum.cause;
  const ChoiceInformation found = information_at(model, maximum, coordinates, job);
  ASSERT_TRUE(found.estimate.converged);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const double error = std::sqrt(found.estimate.entries(i, i));
    EXPECT_LT(error, 0.3);
    // A spread, always the last here, and its negative are the same distribution.
    const double found_here =
        k + 1 == truth.size() && truth[k] > 0 ? std::abs(maximum.parameters[k]) : maximum.parameters[k];
    EXPECT_NEAR(found_here, truth[k], 3.5 * error) << k;
  }
}

TEST(Maximum, RecoversAMixedLogit) {
  const ChoiceSets sets = drawn({.persons = 400, .situations = 6}, [](Index p, const RandomStream& stream) {
    const auto row = static_cast<std::uint64_t>(p);
    return std::vector<double>{-1, 0.8 + 1.0 * stream.normal(5, row), 0.3};
  });
  const MixedLogit model(sets, Utility::linear(3), {.random = {{.term = 1}}, .draws = {.count = 200}});
  expect_recovered(model, {0, 0, 0, 0.5}, {-1, 0.8, 0.3, 1.0});
}

TEST(Maximum, RecoversLatentClassesAfterExpectationMaximisation) {
  const ChoiceSets sets = drawn({.persons = 400, .situations = 8}, [](Index p, const RandomStream& stream) {
    const bool first = stream.uniform(5, static_cast<std::uint64_t>(p)) < 0.65;
    return first ? std::vector<double>{-1.5, 0.8, 0.3} : std::vector<double>{1, -0.5, 0.3};
  });
  const LatentClassLogit model(sets, Utility::linear(3), 2);
  const Context job(2);
  const std::vector<double> start = expectation_maximisation(
      model, std::vector<double>{0, 0, 0}, std::vector<double>{0.5, 0.5, 0.5}, {.starts = 4}, job);
  expect_recovered(model, start, {-1.5, 0.8, 0.3, 1, -0.5, 0.3, std::log(0.35 / 0.65)});
}

// A constant and a column far from zero, as years of school are: a start that moves its coefficient by little
// makes the choices of a class all but certain and its information all but zero, and a whole Newton step runs
// off. The likelihood of EM never falls.
TEST(LatentClassLogit, StepsWithColumnsFarFromZeroDoNotLowerTheLikelihood) {
  ChoiceSets sets = drawn({.persons = 100, .situations = 4}, [](Index p, const RandomStream& stream) {
    const bool first = stream.uniform(5, static_cast<std::uint64_t>(p)) < 0.65;
    return first ? std::vector<double>{-1.5, 0.8, 0.3} : std::vector<double>{1, -0.5, 0.3};
  });
  for (Index t = 0; t < sets.situations(); ++t)
    for (Index j = 0; j < sets.size(t); ++j) {
      const Index row = static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]) + j;
      sets.design(row, 1) = j == 0 ? 12 + sets.design(row, 1) : 0;
      sets.design(row, 2) = j == 0 ? 1 : 0;
    }
  const LatentClassLogit model(sets, Utility::linear(3), 2);
  const Context job(1);
  Matrix<double> scores(sets.person_count(), model.parameters());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    double before = -std::numeric_limits<double>::infinity();
    for (int iterations = 0; iterations <= 6; ++iterations) {
      const std::vector<double> reached =
          expectation_maximisation(model, std::vector<double>{0, 0, 0}, std::vector<double>{0.5, 0.5, 0.5},
                                   {.starts = 1, .seed = seed, .iterations = iterations}, job);
      ASSERT_FALSE(reached.empty());
      const double now = model.log_likelihood(reached, scores.view(), job);
      EXPECT_GE(now, before - 1e-12 * std::abs(now)) << "seed " << seed << ", iteration " << iterations;
      before = now;
    }
  }
}

TEST(Maximum, InformationIsThatOfTheLogit) {
  // Without spread the second derivatives have a closed form: sum of P (x - mean)(x - mean)'.
  const ChoiceSets sets = drawn({.persons = 200, .situations = 3, .terms = 1},
                                [](Index, const RandomStream&) { return std::vector<double>{0.6}; });
  const NestedLogit model(sets, Utility::linear(1), {.nests = 0, .places = {{}, {}, {}}});
  const Context job(1);
  const Maximum maximum = maximise(model, {0.0}, {{.factor = 3}}, {}, job);
  ASSERT_TRUE(maximum.converged);
  const ChoiceInformation found = information_at(model, maximum, {{.factor = 3}}, job);
  double information = 0;
  for (Index t = 0; t < sets.situations(); ++t) {
    const auto begin = static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]);
    double total = 0, mean = 0, square = 0;
    for (Index j = 0; j < sets.size(t); ++j) {
      const double x = sets.design(begin + j, 0), e = std::exp(x * maximum.parameters[0]);
      total += e;
      mean += e * x;
      square += e * x * x;
    }
    information += square / total - mean * mean / (total * total);
  }
  EXPECT_NEAR(found.estimate.chart.tangent(0, 0), 3, 0);
  const Eigen::MatrixXd classical = entry_covariance(found.estimate.chart, found.estimate.identification,
                                                     found.estimate.identification.inverse);
  EXPECT_NEAR(classical(0, 0) * information, 1, 1e-7);
}

}  // namespace
}  // namespace bl::random_utility
