#include "gibbs/utility.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "model/join.hpp"
#include "support/planted/problems.hpp"
#include "unit/gibbs/random_models.hpp"
#include "unit/simulation/closed_forms.hpp"

namespace bl::gibbs {
namespace {

// Sums of a few dozen products of numbers of size 1: some hundred roundings.
constexpr double kRounding = 1e-12;

double log_sum(const std::vector<double>& terms) {
  long double sum = 0;
  for (const double t : terms) sum += std::exp(static_cast<long double>(t));
  return static_cast<double>(std::log(sum));
}

struct Fixture {
  Architecture architecture;
  std::vector<double> parameters;
  NaiveUtility naive;
  Utility utility;

  Fixture(const ModelCase& model, double temperature)
      : architecture(model.architecture),
        parameters(test::random_parameters(ParameterLayout(architecture), 3)),
        naive(architecture, parameters),
        utility(architecture, parameters, temperature, {}) {}
};

class UtilityOf : public testing::TestWithParam<ModelCase> {};

// 600 rows are more than one call of the network takes, however many classes there are.
TEST_P(UtilityOf, EveryClassAndItsProbability) {
  const Index rows = 600;
  const double temperature = 0.6;
  const Fixture f(GetParam(), temperature);
  const InputShape& input = f.architecture.input;
  const auto context = normal_matrix<double>(rows, input.context, 1);
  const auto values = normal_matrix<double>(rows, input.values, 2);
  const Index classes = std::max<Index>(1, GetParam().classes());
  EXPECT_EQ(f.utility.classes(), GetParam().classes());
  EXPECT_EQ(f.utility.values(), input.values);
  Matrix<double> utilities(rows, classes), log_p(rows, classes);
  f.utility.utilities(context.view(), values.view(), utilities.view());
  f.utility.class_log_probabilities(context.view(), values.view(), log_p.view());
  for (Index i = 0; i < rows; ++i) {
    std::vector<double> scaled;
    for (Index c = 0; c < classes; ++c) {
      const double truth = f.naive(context.row(i), values.row(i), static_cast<std::int32_t>(c));
      ASSERT_NEAR(utilities(i, c), truth, kRounding * (1 + std::abs(truth))) << "row " << i << " class " << c;
      scaled.push_back(truth / temperature);
    }
    for (Index c = 0; c < classes; ++c)
      ASSERT_NEAR(log_p(i, c), scaled[static_cast<std::size_t>(c)] - log_sum(scaled), 20 * kRounding);
  }
}

// Joined networks are evaluated one by one; the truth is that of the joined parameters, zeros and all.
TEST_P(UtilityOf, JoinedNetworksTogether) {
  const Architecture& one = GetParam().architecture;
  if (!one.readout.present) GTEST_SKIP() << "a single block is not joined";
  std::vector<std::vector<double>> members;
  for (const std::uint64_t seed : {3U, 4U, 5U})
    members.push_back(test::random_parameters(ParameterLayout(one), seed));
  const Architecture joined = joined_architecture(one, 3);
  const std::vector<double> parameters = join_parameters(one, members);
  ASSERT_EQ(joined_members(joined, parameters), 3);
  const NaiveUtility naive(joined, parameters);
  const Utility utility(joined, parameters, 1, {});
  const Index rows = 40, classes = std::max<Index>(1, GetParam().classes());
  const auto context = normal_matrix<double>(rows, one.input.context, 1);
  const auto values = normal_matrix<double>(rows, one.input.values, 2);
  Matrix<double> utilities(rows, classes);
  utility.utilities(context.view(), values.view(), utilities.view());
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < classes; ++c) {
      const double truth = naive(context.row(i), values.row(i), static_cast<std::int32_t>(c));
      ASSERT_NEAR(utilities(i, c), truth, kRounding * (1 + std::abs(truth))) << "row " << i << " class " << c;
    }
}

TEST_P(UtilityOf, LogDensityOfOneClassAndOfAll) {
  const Fixture f(GetParam(), 1.7);
  const InputShape& input = f.architecture.input;
  if (input.values == 0) GTEST_SKIP() << "no continuous part";
  const Index count = 700;
  const auto context = normal_matrix<double>(1, input.context, 1);
  const auto values = normal_matrix<double>(count, input.values, 2);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (std::int32_t c = kAllClasses; c < GetParam().classes(); ++c) {
    f.utility.log_density(context.row(0), c, values.view(), out);
    for (Index k = 0; k < count; ++k) {
      std::vector<double> terms;
      for (std::int32_t d = 0; d < std::max<Index>(1, GetParam().classes()); ++d)
        if (c == kAllClasses || c == d) terms.push_back(f.naive(context.row(0), values.row(k), d) / 1.7);
      const double truth = log_sum(terms);
      ASSERT_NEAR(out[static_cast<std::size_t>(k)], truth, kRounding * (1 + std::abs(truth)))
          << "class " << c << " value " << k;
    }
  }
}

// BL/tau at another temperature is the same utility over another number; the first object is left as it was.
TEST_P(UtilityOf, AnotherTemperature) {
  const Fixture f(GetParam(), 1);
  const InputShape& input = f.architecture.input;
  const Index rows = 7, classes = std::max<Index>(1, GetParam().classes());
  const auto context = normal_matrix<double>(rows, input.context, 1);
  const auto values = normal_matrix<double>(rows, input.values, 2);
  const Utility cold = f.utility.at_temperature(0.25);
  EXPECT_EQ(cold.temperature(), 0.25);
  EXPECT_EQ(f.utility.temperature(), 1);
  Matrix<double> at_one(rows, classes), at_quarter(rows, classes), u(rows, classes);
  f.utility.utilities(context.view(), values.view(), u.view());
  f.utility.class_log_probabilities(context.view(), values.view(), at_one.view());
  cold.class_log_probabilities(context.view(), values.view(), at_quarter.view());
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < classes; ++c) {
      EXPECT_NEAR(at_one(i, c) - at_one(i, 0), u(i, c) - u(i, 0), 1e-12);
      EXPECT_NEAR(at_quarter(i, c) - at_quarter(i, 0), 4 * (u(i, c) - u(i, 0)), 1e-12);
    }
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THROW(f.utility.at_temperature(wrong), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Models, UtilityOf, testing::ValuesIn(model_cases()),
                         [](const auto& one) { return one.param.name; });

Utility planted(const simulation::PlantedProblem& problem) {
  return Utility(problem.architecture, problem.parameters, problem.temperature, problem.support);
}

// The planted producer's response is normal, at the trained temperature and at any other; the box, 12 wide on
// either side, is more than ten standard deviations away.
TEST(UtilityDistribution, ProducerIsNormal) {
  const Utility utility = planted(simulation::planted_problem("producer"));
  const double context[3] = {0.4, -0.7, 0.5};
  const auto truth = simulation::closed_form::producer(context[0], context[1], context[2]);
  for (const double factor : {1.0, 0.1, 2.0}) {
    const Utility other = utility.at_temperature(0.8 * factor);
    const Distribution1d distribution = other.distribution_1d(context, kAllClasses);
    const double standard_deviation = truth.standard_deviation * std::sqrt(factor);
    EXPECT_NEAR(distribution.mean().value, truth.mean, 1e-8);
    EXPECT_NEAR(std::sqrt(distribution.variance().value), standard_deviation, 1e-8);
    for (const double z : {-3.0, -1.0, 0.0, 0.5, 2.0})
      EXPECT_NEAR(distribution.cdf(truth.mean + z * standard_deviation),
                  simulation::closed_form::normal_cdf(z), 1e-8);
    EXPECT_NEAR(distribution.modes().front().y, truth.mean, 1e-6);
  }
}

TEST(UtilityDistribution, WorkplaceIsAMixtureOfTwoNormals) {
  const Utility utility = planted(simulation::planted_problem("workplace"));
  for (const double skill : {-0.9, 0.0, 0.6}) {
    const Distribution1d home = utility.distribution_1d(&skill, 0),
                         office = utility.distribution_1d(&skill, 1),
                         both = utility.distribution_1d(&skill, kAllClasses);
    const double odds = office.log_normalizer().value - home.log_normalizer().value;
    const double p = simulation::closed_form::office(skill);
    EXPECT_NEAR(odds, std::log(p / (1 - p)), 1e-8);
    const auto at_home = simulation::closed_form::extra_hours(skill, false),
               at_office = simulation::closed_form::extra_hours(skill, true);
    EXPECT_NEAR(office.mean().value, at_office.mean, 1e-8);
    EXPECT_NEAR(home.mean().value, at_home.mean, 1e-8);
    for (const double y : {-1.0, 0.3, 1.0, 2.5})
      EXPECT_NEAR(
          both.cdf(y),
          (1 - p) * simulation::closed_form::normal_cdf((y - at_home.mean) / at_home.standard_deviation) +
              p * simulation::closed_form::normal_cdf((y - at_office.mean) / at_office.standard_deviation),
          1e-8);
  }
}

}  // namespace
}  // namespace bl::gibbs
