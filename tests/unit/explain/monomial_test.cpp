#include "explain/monomial.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bl::explain {
namespace {

const Monomial kTerm{.coefficient = -2, .size = 1, .factors = {{0, 1}, {2, 3}}};

TEST(MonomialOfAProblem, ValueIsCoefficientTimesPowers) {
  EXPECT_EQ(value_of(kTerm, {3, 99, 0.5}), -2 * 3 * 0.125);
}

// Central differences of a cubic are in error by the square of the step.
TEST(MonomialOfAProblem, SlopesAreDerivatives) {
  constexpr double kStep = 1e-5, kWeight = 0.7;
  const std::vector<double> at = {3, 99, 0.5};
  std::vector<double> slopes = {1, 1, 1};  // added to
  add_slopes(kTerm, at, kWeight, slopes);
  for (std::size_t by = 0; by < at.size(); ++by) {
    std::vector<double> above = at, below = at;
    above[by] += kStep;
    below[by] -= kStep;
    EXPECT_NEAR(slopes[by], 1 + kWeight * (value_of(kTerm, above) - value_of(kTerm, below)) / (2 * kStep),
                1e-8)
        << by;
  }
}

TEST(MonomialOfAProblem, IsWrittenAsTextAndLatex) {
  const auto name = [](std::size_t variable) { return std::string(1, static_cast<char>('a' + variable)); };
  EXPECT_EQ(text_of(kTerm.factors, name), "a*c^3");
  EXPECT_EQ(latex_of(kTerm.factors, name), "a\\,c^{3}");
  EXPECT_EQ(text_of({}, name), "");
}

TEST(MonomialOfAProblem, LowerDegreesComeFirst) {
  const GradedOrder before;
  EXPECT_TRUE(before({{2, 1}}, {{0, 2}}));
  EXPECT_TRUE(before({{0, 2}}, {{0, 1}, {1, 1}}));
  EXPECT_TRUE(before({{0, 1}, {1, 1}}, {{1, 2}}));
  EXPECT_FALSE(before({{1, 2}}, {{1, 2}}));
}

}  // namespace
}  // namespace bl::explain
