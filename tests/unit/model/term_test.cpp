#include "model/term.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bl/errors.hpp"

namespace bl {
namespace {

constexpr InputShape kShape{.context = 2, .values = 2, .classes = 3};

TEST(TermOfABasis, ValueIsTheProductOfItsFactors) {
  const std::array<double, 4> z = {2, -3, 0.5, 7};
  const auto at = [&](std::int32_t i) { return z[static_cast<std::size_t>(i)]; };
  EXPECT_EQ(value_of<double>({1, 2, 2}, at), -3 * 0.25);
  EXPECT_EQ(value_of<double>({}, at), 1);
}

// Central differences of a cubic are in error by the square of the step.
TEST(TermOfABasis, SlopeIsTheDerivative) {
  constexpr double kStep = 1e-5;
  for (const Term& term : {Term{0}, Term{0, 1}, Term{1, 1, 1}, Term{0, 1, 1}, Term{2, 3, 3}})
    for (std::int32_t by = 0; by < 4; ++by) {
      std::array<double, 4> z = {2, -3, 0.5, 1.5};
      const auto at = [&](std::int32_t i) { return z[static_cast<std::size_t>(i)]; };
      const double slope = slope_of<double>(term, by, at);
      z[static_cast<std::size_t>(by)] += kStep;
      const double above = value_of<double>(term, at);
      z[static_cast<std::size_t>(by)] -= 2 * kStep;
      EXPECT_NEAR(slope, (above - value_of<double>(term, at)) / (2 * kStep), 1e-8) << by;
    }
}

TEST(TermOfABasis, PartsAreTheCofactorAndTheClass) {
  const TermParts plain = parts_of({0, 3}, kShape);
  EXPECT_EQ(plain.cofactor, (Term{0, 3}));
  EXPECT_EQ(plain.class_index, -1);
  const TermParts squared = parts_of({1, 5, 5}, kShape);  // e_1^2 is e_1
  EXPECT_EQ(squared.cofactor, (Term{1}));
  EXPECT_EQ(squared.class_index, 1);
  EXPECT_FALSE(squared.zero);
  EXPECT_TRUE(parts_of({4, 6}, kShape).zero);
}

TEST(TermOfABasis, ReadsTheResponse) {
  EXPECT_FALSE(reads_response({0, 1}, kShape));
  EXPECT_TRUE(reads_response({0, 2}, kShape));
  EXPECT_TRUE(reads_response({6}, kShape));
}

TEST(TermOfABasis, BadOnesAreRefused) {
  EXPECT_THROW(check_term({}, kShape), UsageError);
  EXPECT_THROW(check_term({0, 7}, kShape), UsageError);
  EXPECT_THROW(check_term({-1}, kShape), UsageError);
  EXPECT_NO_THROW(check_term({0, 6}, kShape));
}

}  // namespace
}  // namespace bl
