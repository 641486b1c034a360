// The paper's sweep of constraint weights as a person gets it, small: one sweep, every setting has its row,
// and a picture.
#include "bl/reproduce.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/context.hpp"
#include "bl/errors.hpp"
#include "evidence/constraint_sweep.hpp"
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

// The command runs one sweep. One per setting would give them all the random numbers of the first.
TEST(ReproduceConstraint, IsOneSweepOverAllSettings) {
  gibbs::SweepOptions sweep;
  sweep.draws = 20;
  sweep.warmup = 20;
  sweep.chains_per_context = 4;
  sweep.seed = 7;
  const Context job(2);
  const auto expected = gibbs::run_constraint_sweep(sweep, job);
  std::size_t told = 0;
  const auto rows = reproduce_constraint({.draws = 20, .chains = 4, .warmup = 20, .seed = 7, .threads = 2},
                                         [&](double, const std::string&) { ++told; });
  ASSERT_EQ(rows.size(), expected.size());
  EXPECT_EQ(told, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].sampled, expected[i].sampled);
    if (!rows[i].sampled) continue;
    EXPECT_EQ(rows[i].mean, expected[i].mean) << i;
  }
}

}  // namespace
}  // namespace bl
