#include "explain/factor_reading.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"

namespace bl {
namespace {

using explain::Monomial;

// RM, P, LSTAT and a fourth.
explain::Problem problem_of(std::vector<Monomial> terms) {
  explain::Problem p{.units = explain::Units::standardised, .response = "P"};
  for (const char* name : {"RM", "P", "LSTAT", "NOX"}) p.variables.push_back({.name = name, .column = name});
  explain::Head head{.name = "L1.B1.U1", .lambda = 1};
  for (Monomial& term : terms) term.size = std::abs(term.coefficient);
  head.terms = std::move(terms);
  p.variables.push_back({.name = "L1.B1", .kind = explain::VariableKind::block});
  p.layers = {{{.name = "L1.B1", .variable = 4, .heads = {head}}}};
  p.outputs = {{.name = "U", .constant = 0, .blocks = {{4, 1}}}};
  return p;
}

// The paper's own example, -0.56 P^2 - 0.6 RM + 0.57 RM P, read as (1 - P)(1 + P - RM) = 1 - P^2 - RM + RM P.
// The scale is the mean 1.73 / 3, the error the length of (0.56, 0.6, 0.57) - scale over its own length.
TEST(CommonFactors, ThePapersReading) {
  const explain::Problem p =
      problem_of({{-0.6, 0, {{0, 1}}}, {0.57, 0, {{0, 1}, {1, 1}}}, {-0.56, 0, {{1, 2}}}});
  const auto readings = explain::common_factors(p);
  ASSERT_EQ(readings.size(), 1U);
  const double scale = 1.73 / 3, length = 0.56 * 0.56 + 0.6 * 0.6 + 0.57 * 0.57;
  EXPECT_NEAR(readings[0].scale, scale, 1e-12);
  EXPECT_NEAR(readings[0].error, std::sqrt((length - 3 * scale * scale) / length), 1e-12);
  EXPECT_EQ(readings[0].terms, 3U);
  EXPECT_EQ(readings[0].head, "L1.B1.U1");
  EXPECT_EQ(explain::reading_text(p, readings[0]), "0.5767 (1 - P)(1 + P - RM)");
}

TEST(CommonFactors, AnExactProductHasNoError) {
  // -2 P (RM - LSTAT)
  const explain::Problem p = problem_of({{-2, 0, {{0, 1}, {1, 1}}}, {2, 0, {{1, 1}, {2, 1}}}});
  const auto readings = explain::common_factors(p);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_NEAR(readings[0].error, 0, 1e-7);
  EXPECT_EQ(explain::reading_text(p, readings[0]), "-2 P (RM - LSTAT)");
}

// Smaller terms beside the product stay in R; the reading is of the leading ones alone.
TEST(CommonFactors, OfTheLeadingTermsWhereAllAreNoProduct) {
  const explain::Problem p = problem_of({{0.3, 0, {{3, 1}}},
                                         {0.17, 0, {{0, 1}}},
                                         {1, 0, {{0, 1}, {1, 1}}},
                                         {0.98, 0, {{1, 1}, {2, 1}}},
                                         {-0.21, 0, {{2, 2}}}});
  const auto readings = explain::common_factors(p);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].terms, 2U);
  EXPECT_EQ(explain::reading_text(p, readings[0]), "0.99 P (RM + LSTAT)");
}

TEST(CommonFactors, NoneWhereNothingIsClose) {
  EXPECT_TRUE(explain::common_factors(problem_of({{1, 0, {{0, 1}}}, {0.9, 0, {{1, 1}}}})).empty())
      << "an affine head has no factors";
  EXPECT_TRUE(explain::common_factors(problem_of({{1, 0, {{0, 2}}}, {0.6, 0, {{1, 2}}}})).empty())
      << "a sum of squares is no product";
  EXPECT_TRUE(
      explain::common_factors(problem_of({{1, 0, {{0, 1}, {1, 1}}}, {-0.5, 0, {{1, 1}, {2, 1}}}})).empty())
      << "sizes too different";
  EXPECT_TRUE(explain::common_factors(problem_of({{1, 0, {{0, 3}}}, {-1, 0, {{1, 1}, {2, 1}}}})).empty())
      << "degree 3";
}

TEST(CommonFactors, OtherUnitsAreRefused) {
  explain::Problem p = problem_of({{1, 0, {{0, 1}, {1, 1}}}});
  p.units = explain::Units::original;
  EXPECT_THROW(explain::common_factors(p), UsageError);
}

}  // namespace
}  // namespace bl
