// A block as models beyond the logit read it, against the network's own sweep.
#include "fitted/choice_utility.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "model/network.hpp"

namespace bl {
namespace {

Architecture block(std::vector<int> u, std::vector<int> c, std::vector<int> t) {
  return identifiable(
      single_block({.context = 0, .values = 2, .classes = 3}, std::move(u), std::move(c), std::move(t)));
}

// Nine entries in three situations, and their columns.
struct Entries {
  Matrix<double> values{9, 2};
  std::vector<std::int32_t> begin = {0, 3, 6, 9}, classes;
  Matrix<double> context{3, 0};
  random_utility::ChoiceSets sets;

  explicit Entries(const std::vector<Term>& columns) {
    const RandomStream stream(3, Purpose::test);
    for (Index i = 0; i < 9; ++i) {
      classes.push_back(static_cast<std::int32_t>(i % 3));
      for (Index k = 0; k < 2; ++k)
        values(i, k) = stream.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
    }
    sets.begin = {0, 3, 6, 9};
    sets.design.resize(9, static_cast<Index>(columns.size()));
    for (Index i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < columns.size(); ++k)
        sets.design(i, static_cast<Index>(k)) = value_of<double>(columns[k], [&](std::int32_t input) {
          if (input < 2) return values(i, input);
          return classes[static_cast<std::size_t>(i)] == input - 2 ? 1.0 : 0.0;
        });
  }
  Points<double> points() const {
    return {.context = context.view(), .begin = begin, .values = values.view(), .classes = classes};
  }
};

TEST(ChoiceUtility, OfABlockIsWhatItsNetworkComputes) {
  for (const auto& [u, c, t] :
       {std::tuple<std::vector<int>, std::vector<int>, std::vector<int>>{{1}, {1}, {}},
        {{2, 1}, {1}, {1}},
        {{1}, {2}, {2, 1}}}) {
    const Architecture a = block(u, c, t);
    const ChoiceUtility read = choice_utility(a, false);
    const Entries entries(read.columns);
    const RandomStream stream(8, Purpose::test);
    std::vector<double> parameters;
    for (std::size_t k = 0; k < read.positions.size(); ++k) parameters.push_back(stream.normal(1, k));
    for (const random_utility::UtilityHead& head : read.heads)
      if (head.lambda >= 0) {
        double& lambda = parameters[static_cast<std::size_t>(head.lambda)];
        lambda = 0.2 + std::abs(lambda);
      }
    const std::vector<double> raw = raw_parameters(a, false, parameters);
    const Network<double> network(a);
    PreparedParameters<double> prepared;
    NetworkWorkspace<double> workspace;
    network.prepare(raw, prepared);
    network.forward(prepared, entries.points(), workspace);
    const random_utility::Utility utility = read.utility(false, 1);
    random_utility::UtilityAt at;
    for (Index s = 0; s < 3; ++s) {
      utility.evaluate(entries.sets, s, parameters.data(), at);
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(at.value[static_cast<std::size_t>(j)], workspace.scores(3 * s + j, 0), 1e-11);
    }
  }
}

// tanh and softplus have a lambda of their own, the square none; no coefficient is redundant.
TEST(ChoiceUtility, HasTheFreeParametersOfAnIdentifiableBlock) {
  EXPECT_EQ(choice_utility(block({1}, {1}, {}), false).positions.size(), 12U);
  EXPECT_EQ(choice_utility(block({1}, {1}, {1}), false).positions.size(), 17U);
}

TEST(ChoiceUtility, RefusesNetworksOfSeveralBlocks) {
  EXPECT_THROW(choice_utility(identifiable(stacked({.values = 2, .classes = 3}, {2})), false), UsageError);
}

}  // namespace
}  // namespace bl
