#include "evidence/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bl/errors.hpp"
#include "evidence/planted_block.hpp"

namespace bl::simulation {
namespace {

TEST(PlantedProblems, EachIsCompleteAndValid) {
  std::set<std::string> names;
  std::set<ResponseKind> kinds;
  for (const PlantedProblem& problem : planted_problems()) {
    SCOPED_TRACE(problem.name);
    EXPECT_TRUE(names.insert(problem.name).second) << "two problems share a name";
    kinds.insert(problem.kind());
    EXPECT_FALSE(problem.description.empty());
    EXPECT_FALSE(problem.response.empty());
    EXPECT_NO_THROW(validate(problem.architecture));
    const Architecture& a = problem.architecture;
    EXPECT_EQ(static_cast<Index>(problem.parameters.size()), ParameterLayout(a).size());
    EXPECT_EQ(static_cast<Index>(problem.context.size()), a.input.context);
    EXPECT_EQ(static_cast<Index>(problem.value_names.size()), a.input.values);
    EXPECT_EQ(static_cast<Index>(problem.class_names.size()), a.input.classes);
    EXPECT_EQ(problem.support.dimension(), problem.choice_sets ? 0 : a.input.values);
  }
  EXPECT_EQ(kinds.size(), 4u) << "classes, alternatives, continuous and hybrid";
}

TEST(PlantedProblems, AreFoundByName) {
  EXPECT_EQ(planted_problem("shopper").name, "shopper");
  try {
    planted_problem("shoper");
    FAIL() << "an unknown name was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("shopper"), std::string::npos) << error.what();
  }
}

TEST(PlantedProblems, TermsHaveReadableNames) {
  const PlantedProblem& basket = planted_problem("basket");
  EXPECT_EQ(term_name(basket, {0, 4}), "price*[three]");
  EXPECT_EQ(term_name(basket, {1}), "budget");
  EXPECT_EQ(term_name(planted_problem("consumption"), {2, 2}), "spending^2");
}

TEST(PlantedProblems, BlockAndParametersAreInverses) {
  for (const PlantedProblem& problem : planted_problems()) {
    const Block block = block_of(problem.architecture, problem.parameters);
    const std::vector<double> raw = raw_parameters(problem.architecture, block);
    ASSERT_EQ(raw.size(), problem.parameters.size());
    // softplus and its inverse each round once.
    for (std::size_t i = 0; i < raw.size(); ++i) EXPECT_NEAR(raw[i], problem.parameters[i], 1e-14);
  }
}

TEST(PlantedProblems, BlocksThatDoNotFitAreRefused) {
  const PlantedProblem& logit = planted_problem("binary_logit");
  Block block = block_of(logit.architecture, logit.parameters);
  block[0]->bias = 1;  // a response-only basis has none
  EXPECT_THROW(raw_parameters(logit.architecture, block), UsageError);
  block[0]->bias = 0;
  block[0]->coefficients.pop_back();
  EXPECT_THROW(raw_parameters(logit.architecture, block), UsageError);
  EXPECT_THROW(block_of(stacked(logit.architecture.input, {2}), logit.parameters), UsageError);
}

}  // namespace
}  // namespace bl::simulation
