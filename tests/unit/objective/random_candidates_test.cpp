// Random candidates: the proposal they are drawn from, and a loss that cannot be cheated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

using test::Task;

struct Case {
  const char* name;
  Index dimension;
  double (*value)(const RandomStream& random, Index row, Index axis);
};

const Case kCases[] = {
    {"one number", 1,
     [](const RandomStream& r, Index i, Index) { return r.normal(1, static_cast<std::uint64_t>(i)); }},
    {"many equal", 1,
     [](const RandomStream& r, Index i, Index) {
       return i % 3 > 0 ? 0.0 : r.normal(1, static_cast<std::uint64_t>(i));
     }},
    {"all equal", 2, [](const RandomStream&, Index, Index) { return 0.25; }},
    {"two numbers", 2,
     [](const RandomStream& r, Index i, Index a) {
       return r.normal(1, static_cast<std::uint64_t>(2 * i + a));
     }},
    {"five numbers", 5, [](const RandomStream& r, Index i, Index a) {
       return r.normal(1, static_cast<std::uint64_t>(5 * i + a));
     }}};

constexpr double kLower = -6, kUpper = 7;

Proposal proposal_of(const Case& c) {
  const RandomStream random(3, Purpose::test);
  Matrix<double> values(1000, c.dimension);
  for (Index i = 0; i < values.rows(); ++i)
    for (Index a = 0; a < c.dimension; ++a) values(i, a) = c.value(random, i, a);
  const auto n = static_cast<std::size_t>(c.dimension);
  return Proposal(values, {std::vector<double>(n, kLower), std::vector<double>(n, kUpper)});
}

// The mean of 1/q over draws from q is the volume of the support, that of f/q the integral of f.
TEST(Proposal, DrawsHaveTheDensityItSays) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Proposal proposal = proposal_of(c);
    EXPECT_GE(proposal.boxes(), 1);
    EXPECT_LE(proposal.boxes(), 2000);
    const RandomStream random(4, Purpose::test);
    const double side = kUpper - kLower, volume = std::pow(side, static_cast<double>(c.dimension));
    std::vector<double> place(static_cast<std::size_t>(c.dimension));
    constexpr int kDraws = 200000;
    double sum = 0, squares = 0, below = 0;
    for (std::uint64_t k = 0; k < kDraws; ++k) {
      const double log_q = proposal.draw(random, k % 7, k / 7, place);
      ASSERT_DOUBLE_EQ(proposal.log_density(place), log_q);
      for (const double v : place) ASSERT_TRUE(v >= kLower && v <= kUpper);
      const double weight = std::exp(-log_q) / volume / kDraws;
      sum += weight;
      squares += weight * weight;
      if (place.back() < 0.3) below += weight;
    }
    const double error = std::sqrt(squares);
    EXPECT_NEAR(sum, 1, 5 * error);
    EXPECT_NEAR(below, (0.3 - kLower) / side, 5 * error);
    EXPECT_LT(error, 0.05);  // an even part reaches every place
  }
}

TEST(Proposal, StandsWhereTheRowsAre) {
  const Proposal proposal = proposal_of(kCases[3]);
  const std::vector<double> centre = {0, 0}, far = {-5.5, 6};
  const double truth = 1 / (2 * 3.14159265);
  EXPECT_NEAR(std::exp(proposal.log_density(centre)), 0.8 * truth, 0.4 * truth);
  EXPECT_LT(std::exp(proposal.log_density(far)), 0.01 * truth);
}

TEST(Proposal, NeedsRowsAndASupport) {
  EXPECT_THROW(Proposal(Matrix<double>(0, 1), {{0}, {1}}), UsageError);
  EXPECT_THROW(Proposal(Matrix<double>(3, 1), {{1}, {1}}), UsageError);
  EXPECT_THROW(Proposal(Matrix<double>(3, 1), {{0}, {std::numeric_limits<double>::infinity()}}), UsageError);
  EXPECT_THROW(Proposal(Matrix<double>(3, 2), {{0}, {1}}), UsageError);
}

class RandomCandidatesLoss : public testing::Test {
 protected:
  test::Problem<double> problem = test::random_problem<double>(
      Task::candidates_2d, stacked(test::input_shape(Task::candidates_2d), {3}), 40, 5);
  Network<double> network{problem.architecture};
  std::vector<std::int64_t> rows = [] {
    std::vector<std::int64_t> all(40);
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
  }();

  double loss(const std::vector<double>& parameters, std::uint32_t epoch) {
    const Objective<double> objective(network, problem.spec, problem.data());
    const Context job(1);
    BatchEvaluator<double> evaluator(objective, job);
    const Noise noise{RandomStream(1, Purpose::score_noise, epoch), 0, {}};
    return evaluator.evaluate(parameters, rows, noise, 1, {}).mean();
  }
};

// Over many draws of many candidates it is the likelihood of a fine quadrature rule.
TEST_F(RandomCandidatesLoss, GoesToTheLikelihoodWithManyCandidates) {
  const auto parameters = test::random_parameters(network.layout(), 3);
  problem.spec.random->count = 4000;
  double mean = 0;
  for (std::uint32_t epoch = 0; epoch < 5; ++epoch) mean += loss(parameters, epoch) / 5;
  problem.spec.random.reset();
  problem.spec.rule = composite_rule({{-2.5, -2}, {3, 2.5}}, 40);
  EXPECT_NEAR(mean, loss(parameters, 0), 0.01);
}

TEST_F(RandomCandidatesLoss, CandidatesAreFreshInEveryEpochAndForEveryRow) {
  const auto parameters = test::random_parameters(network.layout(), 3);
  EXPECT_EQ(loss(parameters, 1), loss(parameters, 1));
  EXPECT_NE(loss(parameters, 1), loss(parameters, 2));
}

// However large utilities become, the loss stays above that of certainty about which value was observed.
TEST_F(RandomCandidatesLoss, IsBoundedBelow) {
  auto parameters = test::random_parameters(network.layout(), 3);
  for (double& p : parameters) p *= 1e3;
  double bound = 0, weight = 0;
  for (Index i = 0; i < problem.rows; ++i) {
    const std::vector<double> v = {problem.values(i, 0), problem.values(i, 1)};
    const double w = problem.weights[static_cast<std::size_t>(i)];
    bound -= w * (problem.spec.random->proposal->log_density(v) + std::log(7.0));
    weight += w;
  }
  EXPECT_GE(loss(parameters, 0), bound / weight);
}

TEST_F(RandomCandidatesLoss, RefusesAProposalOfAnotherDimension) {
  Matrix<double> values(20, 1);
  problem.spec.random = {std::make_shared<const Proposal>(values, Support{{-1}, {1}}), 6};
  EXPECT_THROW(Objective<double>(network, problem.spec, problem.data()), UsageError);
  problem.spec.random = {test::random_proposal(), 0};
  EXPECT_THROW(Objective<double>(network, problem.spec, problem.data()), UsageError);
}

}  // namespace
}  // namespace bl
