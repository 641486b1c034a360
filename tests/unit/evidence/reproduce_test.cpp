// The paper's sweep of constraint weights as a person gets it, small: every setting has its row, and a picture.
#include "bl/reproduce.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "unit/explain/xml_check.hpp"

namespace bl {
namespace {

TEST(Reproduce, TheSweepHasARowForEverySettingAndAPicture) {
  std::size_t told = 0;
  const auto rows = reproduce_constraint({.method = "mala", .draws = 40, .chains = 4, .warmup = 40},
                                         [&](double, const std::string&) { ++told; });
  ASSERT_GT(rows.size(), 5U);
  EXPECT_EQ(told, rows.size());
  for (const ConstraintRow& row : rows) {
    EXPECT_EQ(row.proper, row.lambda > 0);
    if (!row.proper || !row.sampled) continue;
    EXPECT_GT(row.mean, 0);
    EXPECT_NEAR(std::log(row.mean / row.exact_mean), 0, 1) << row.lambda << " " << row.tau;
  }
  EXPECT_EQ(test::XmlCheck::problem_with(constraint_svg(rows)), "");
}

TEST(Reproduce, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(reproduce_constraint({.method = "magic"}), UsageError);
  EXPECT_THROW(reproduce_constraint({.draws = 0}), UsageError);
}

}  // namespace
}  // namespace bl
