#include "model/join.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "model/network.hpp"

namespace bl {
namespace {

// Scores of random points, one per row.
std::vector<double> scores(const Architecture& a, const std::vector<double>& parameters) {
  const Index rows = 7;
  const RandomStream stream(11, Purpose::test);
  Matrix<double> context(rows, a.input.context), values(rows, a.input.values);
  std::vector<std::int32_t> begin(1, 0), classes;
  for (Index i = 0; i < rows; ++i) {
    stream.fill_normal(static_cast<std::uint64_t>(i),
                       std::span<double>(context.row(i), static_cast<std::size_t>(context.cols())));
    stream.fill_normal(static_cast<std::uint64_t>(100 + i),
                       std::span<double>(values.row(i), static_cast<std::size_t>(values.cols())));
    begin.push_back(static_cast<std::int32_t>(i + 1));
    if (a.input.classes > 0) classes.push_back(static_cast<std::int32_t>(i % a.input.classes));
  }
  const Network<double> network(a);
  PreparedParameters<double> prepared;
  network.prepare(parameters, prepared);
  NetworkWorkspace<double> ws;
  network.forward(prepared, {context.view(), begin, values.view(), classes}, ws);
  return {ws.scores.flat().begin(), ws.scores.flat().end()};
}

// The joined utility is the mean of the members', up to the rounding of sums of a few dozen terms.
void expect_mean(const Architecture& a) {
  const ParameterLayout layout(a);
  std::vector<std::vector<double>> members(3, std::vector<double>(static_cast<std::size_t>(layout.size())));
  std::vector<double> expected;
  for (std::size_t m = 0; m < members.size(); ++m) {
    starting_values<double>(a, layout, 5 + m, members[m]);
    const std::vector<double> one = scores(a, members[m]);
    expected.resize(one.size(), 0.0);
    for (std::size_t i = 0; i < one.size(); ++i) expected[i] += one[i] / 3;
  }
  const std::vector<double> got = scores(joined_architecture(a, 3), join_parameters(a, members));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13);
}

// Decomposing undoes joining, up to the rounding of softplus and its inverse.
TEST(Join, SplittingGivesTheMembersBack) {
  for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
    Architecture a = stacked({3, 1, 2}, {4, 4, 2});
    a.skip = skip;
    a.readout.bias = false;
    const ParameterLayout layout(a);
    std::vector<std::vector<double>> members(3, std::vector<double>(static_cast<std::size_t>(layout.size())));
    for (std::size_t m = 0; m < members.size(); ++m) starting_values<double>(a, layout, 5 + m, members[m]);
    const auto apart = split_parameters(a, 3, join_parameters(a, members));
    ASSERT_EQ(apart.size(), members.size());
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t i = 0; i < members[m].size(); ++i) EXPECT_NEAR(apart[m][i], members[m][i], 1e-13);
  }
}

TEST(Join, UtilityIsTheMeanForEverySkip) {
  for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
    Architecture a = stacked({3, 1, 2}, {4, 4, 2});
    a.skip = skip;
    SCOPED_TRACE(static_cast<int>(skip));
    expect_mean(a);
  }
}

TEST(Join, UtilityIsTheMeanForSeveralHeadsFreeReadoutAndVectorForm) {
  Architecture a = stacked({3, 2, 0}, {3, 2});
  a.layers[0].degrees = {{{1, 1}, {1}, {1, 1, 1}}};
  a.readout.sign = Sign::free;
  a.activations = {Activation::identity, Activation::softplus, Activation::square};
  expect_mean(a);
  expect_mean(stacked_vector({5, 0, 0}, {4, 3}, 3));
  Architecture monomials = stacked({2, 1, 0}, {2, 2});
  monomials.basis.kind = BasisKind::monomials;
  monomials.layers[0].degrees = {{{2}, {1}, {3}}};
  expect_mean(monomials);
}

// Joined networks are recognised by the zeros between them; one weight across makes them one.
TEST(Join, MembersAreCounted) {
  for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
    Architecture a = stacked({3, 1, 2}, {4, 2});
    a.skip = skip;
    const ParameterLayout layout(a);
    std::vector<std::vector<double>> members(3, std::vector<double>(static_cast<std::size_t>(layout.size())));
    for (std::size_t m = 0; m < members.size(); ++m) starting_values<double>(a, layout, 5 + m, members[m]);
    const Architecture joined = joined_architecture(a, 3);
    std::vector<double> parameters = join_parameters(a, members);
    EXPECT_EQ(joined_members(joined, parameters), 3);
    EXPECT_EQ(joined_members(a, members[0]), 1);
    EXPECT_TRUE(member_architecture(joined, 3) == a);
    // The first utility head of the second layer, reading the last output of the first.
    const TensorInfo* second = nullptr;
    const ParameterLayout wide(joined);
    for (const TensorInfo& tensor : wide.tensors())
      if (!second && tensor.layer == 1 && tensor.role == TensorRole::weight) second = &tensor;
    ASSERT_NE(second, nullptr);
    parameters[static_cast<std::size_t>(second->offset + second->cols - 1)] = 0.1;
    EXPECT_EQ(joined_members(joined, parameters), 1);
  }
}

// Up to the rounding of softplus and its inverse in each of a few dozen terms.
TEST(Join, ScalingTheUtilityScalesTheScores) {
  for (const Sign sign : {Sign::non_negative, Sign::free}) {
    Architecture a = stacked({3, 1, 2}, {4, 2});
    a.readout.bias = true;
    a.readout.sign = sign;
    const ParameterLayout layout(a);
    std::vector<double> parameters(static_cast<std::size_t>(layout.size()));
    starting_values<double>(a, layout, 5, parameters);
    for (double& value : parameters) value += 0.1;
    const std::vector<double> before = scores(a, parameters);
    scale_utility(a, 10, parameters);
    const std::vector<double> after = scores(a, parameters);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], 10 * before[i], 1e-12);
  }
}

}  // namespace
}  // namespace bl
