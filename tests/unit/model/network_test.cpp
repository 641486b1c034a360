#include "model/network.hpp"

#include <gtest/gtest.h>

#include "engine/reference/utility.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

// Rows with no candidates among rows with several: as many points as rows, but not one each.
TEST(Network, RowsWithoutPointsAreSkipped) {
  const Network<double> network(stacked({.context = 2, .values = 1, .classes = 0}, {3}));
  const auto parameters = test::random_parameters(network.layout(), 1);
  const RandomStream random(1, Purpose::test);
  Matrix<double> context(3, 2), values(3, 1);
  test::fill_normal(context, random, 1);
  test::fill_normal(values, random, 2);
  const std::vector<std::int32_t> begin = {0, 2, 2, 3};
  PreparedParameters<double> prepared;
  network.prepare(parameters, prepared);
  NetworkWorkspace<double> ws;
  network.forward(prepared, {context.view(), begin, values.view(), {}}, ws);
  const reference::Utility plain(network.architecture(), network.layout(), parameters);
  const std::vector<Index> owner = {0, 0, 2};
  for (Index p = 0; p < 3; ++p) {
    const Index row = owner[static_cast<std::size_t>(p)];
    EXPECT_NEAR(ws.scores(p, 0),
                plain.outputs(std::vector<double>{context(row, 0), context(row, 1), values(p, 0)})[0], 1e-13)
        << p;
  }
  // The gradient by the first-layer context weights must use the same owners: compare with one row a point.
  Matrix<double> repeated(3, 2), seed(3, 1);
  for (Index p = 0; p < 3; ++p) {
    std::copy_n(context.row(owner[static_cast<std::size_t>(p)]), 2, repeated.row(p));
    seed(p, 0) = 1 + static_cast<double>(p);
  }
  const auto gradient = [&](const Points<double>& points) {
    GradientSum<double> sums;
    network.forward(prepared, points, ws);
    network.clear(sums);
    network.backward(prepared, points, seed.view(), ws, sums);
    network.finish(prepared, sums);
    return std::vector<double>(sums.flat.begin(), sums.flat.end());
  };
  const std::vector<std::int32_t> one_each = {0, 1, 2, 3};
  const auto got = gradient({context.view(), begin, values.view(), {}});
  const auto expected = gradient({repeated.view(), one_each, values.view(), {}});
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13) << i;
}

TEST(Network, ValuesAloneAreTheSameBits) {
  const Network<double> network(stacked({.context = 2, .values = 1, .classes = 3}, {5, 3}));
  const auto parameters = test::random_parameters(network.layout(), 2);
  const auto problem = test::random_problem<double>(
      test::Task::hybrid, stacked({.context = 2, .values = 1, .classes = 3}, {5, 3}), 7, 1);
  std::vector<std::int32_t> begin(8);
  std::iota(begin.begin(), begin.end(), 0);
  const Points<double> points{problem.context.view(), begin, problem.values.view(), problem.classes};
  PreparedParameters<double> prepared;
  network.prepare(parameters, prepared);
  NetworkWorkspace<double> all, alone;
  network.forward(prepared, points, all);
  network.forward(prepared, points, alone, true);
  for (Index p = 0; p < 7; ++p) EXPECT_EQ(all.scores(p, 0), alone.scores(p, 0));
}

TEST(Network, NotANumberInTheDataReachesTheScore) {
  for (const Activation rho : {Activation::relu, Activation::softplus}) {
    Architecture a = stacked({.context = 1, .values = 1, .classes = 0}, {2});
    a.activations[1] = rho;
    for (auto& degrees : a.layers[0].degrees) degrees.clear();
    a.layers[0].degrees[1] = {1};
    const Network<float> network(a);
    std::vector<float> parameters(static_cast<std::size_t>(network.layout().size()), 0.5F);
    Matrix<float> context(1, 1), values(1, 1);
    context(0, 0) = std::numeric_limits<float>::quiet_NaN();
    values(0, 0) = 1;
    const std::vector<std::int32_t> begin = {0, 1};
    PreparedParameters<float> prepared;
    network.prepare(parameters, prepared);
    NetworkWorkspace<float> ws;
    network.forward(prepared, {context.view(), begin, values.view(), {}}, ws);
    EXPECT_TRUE(std::isnan(ws.scores(0, 0))) << name(rho);
  }
}

}  // namespace
}  // namespace bl
