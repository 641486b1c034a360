// The exact normaliser of a number against fine quadrature, and its gradient against differences.
#include <gtest/gtest.h>

#include <bit>

#include "bl/errors.hpp"
#include "support/finite_differences.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

using test::LibraryLoss;
using test::Problem;
using test::Task;

struct Case {
  const char* name;
  Activation utility = Activation::clip;
  std::array<std::vector<int>, 3> heads = {{{1}, {1}, {1}}};
  std::vector<piecewise::Interval> slots = {};
  bool readout = true;
  Index context = 2;
};

const Case kCases[] = {{.name = "clip, relu, abs"},
                       {.name = "identity", .utility = Activation::identity},
                       {.name = "several heads", .heads = {{{1, 1}, {1}, {1, 1}}}},
                       {.name = "no penalties", .heads = {{{1, 1}, {}, {}}}},
                       {.name = "slots", .slots = {{-1.5, -0.5}, {-0.5, 0.25}, {0.9, 1.5}}},
                       {.name = "no readout", .readout = false},
                       {.name = "no context", .context = 0}};

template <class T>
Problem<T> problem_of(const Case& c, Index rows) {
  Architecture a = stacked({.context = c.context, .values = 1, .classes = 0}, {c.readout ? 3 : 1});
  a.activations = {c.utility, Activation::relu, Activation::abs};
  a.layers[0].degrees = c.heads;
  a.readout.present = c.readout;
  auto p = test::random_problem<T>(Task::density_1d, a, rows, 5);
  p.spec.rule = {};
  p.spec.exact = ExactResponse{.lower = -2.5, .upper = 3, .slots = c.slots};
  return p;
}

std::vector<double> parameters_of(const Network<double>& network, std::uint64_t seed) {
  return test::random_parameters(network.layout(), seed);
}

TEST(ExactLikelihood, AgreesWithQuadratureOnFinePanels) {
  for (const Case& c : kCases) {
    if (!c.slots.empty()) continue;
    SCOPED_TRACE(c.name);
    auto problem = problem_of<double>(c, 7);
    const Network<double> network(problem.architecture);
    const Context job(1);
    LibraryLoss<double> exact(problem, network, job);
    auto fine = problem;
    fine.spec.exact.reset();
    fine.spec.rule = composite_rule({{-2.5}, {3}}, 1000);
    LibraryLoss<double> quadrature(fine, network, job);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto parameters = parameters_of(network, seed);
      std::vector<double> gradient(parameters.size()), by_quadrature(parameters.size());
      // A kink within a panel costs about its width squared.
      EXPECT_NEAR(exact(parameters, gradient), quadrature(parameters, by_quadrature), 1e-5);
      for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], by_quadrature[i], 3e-3);
    }
  }
}

TEST(ExactLikelihood, GradientMatchesDifferences) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto problem = problem_of<double>(c, 5);
    const Network<double> network(problem.architecture);
    const Context job(1);
    LibraryLoss<double> loss(problem, network, job);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto parameters = parameters_of(network, seed);
      std::vector<double> gradient(parameters.size());
      loss(parameters, gradient);
      EXPECT_TRUE(
          test::gradient_matches([&](std::span<const double> at) { return loss(at); }, parameters, gradient));
    }
  }
}

// A density between the slots and a probability for each of them.
TEST(ExactLikelihood, SlotsAndTheRestAddUpToOne) {
  const auto problem = problem_of<double>(kCases[4], 2);
  const Network<double> network(problem.architecture);
  const auto parameters = parameters_of(network, 9);
  PreparedParameters<double> prepared;
  network.prepare(parameters, prepared);
  ObjectiveWorkspace<double> ws;
  constexpr int kSteps = 20000;
  std::vector<double> values, widths;
  const auto add = [&](double from, double to) {
    for (int i = 0; i < kSteps; ++i) {
      values.push_back(from + (to - from) * (i + 0.5) / kSteps);
      widths.push_back((to - from) / kSteps);
    }
  };
  add(-2.5, -1.5);
  add(0.25, 0.9);
  add(1.5, 3);
  for (const double inside : {-1.0, 0.0, 1.4}) {
    values.push_back(inside);
    widths.push_back(1);
  }
  const auto n = static_cast<Index>(values.size());
  Matrix<double> context(n, 2);
  for (Index i = 0; i < n; ++i) {
    context(i, 0) = 0.3;
    context(i, 1) = -0.8;
  }
  const DatasetView<double> data{.rows = n,
                                 .context = context.view(),
                                 .values = {values.data(), n, 1, 1},
                                 .classes = {},
                                 .weights = {},
                                 .alternatives = {}};
  const Objective<double> each(network, problem.spec, data);
  double sum = 0;
  for (std::int64_t row = 0; row < n; ++row)
    sum += std::exp(-each.chunk(prepared, std::span<const std::int64_t>(&row, 1), problem.given_noise(), 1,
                                ws, nullptr)
                         .loss) *
           widths[static_cast<std::size_t>(row)];
  EXPECT_NEAR(sum, 1, 1e-7);
}

TEST(ExactLikelihood, SameBitsForAnyNumberOfThreads) {
  for (const Case& c : {kCases[0], kCases[4]}) {
    const auto problem = problem_of<float>(c, 403);
    const Network<float> network(problem.architecture);
    const auto exact = test::random_parameters(network.layout(), 3);
    const std::vector<float> parameters(exact.begin(), exact.end());
    std::vector<float> first;
    for (const std::size_t threads : {1U, 2U, 5U}) {
      const Context job(threads);
      LibraryLoss<float> loss(problem, network, job);
      std::vector<float> gradient(parameters.size());
      gradient.push_back(static_cast<float>(loss(parameters, std::span(gradient).first(parameters.size()))));
      if (first.empty()) first = gradient;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(gradient[i]), std::bit_cast<std::uint32_t>(first[i]));
    }
  }
}

TEST(ExactLikelihood, RefusesOtherUtilities) {
  auto problem = problem_of<double>(kCases[0], 5);
  problem.architecture.activations[0] = Activation::tanh;
  const Network<double> network(problem.architecture);
  EXPECT_THROW(Objective<double>(network, problem.spec, problem.data()), UsageError);
}

}  // namespace
}  // namespace bl
