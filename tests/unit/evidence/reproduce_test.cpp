#include "bl/reproduce.hpp"

#include <gtest/gtest.h>

#include "gibbs/constraint_sweep.hpp"

namespace bl {
namespace {

// The command runs one sweep. One per setting would give them all the random numbers of the first.
TEST(ReproduceConstraint, IsOneSweepOverAllSettings) {
  gibbs::SweepOptions sweep;
  sweep.draws = 20;
  sweep.warmup = 20;
  sweep.chains_per_context = 4;
  sweep.seed = 7;
  ThreadPool pool(2);
  const auto expected = gibbs::run_constraint_sweep(sweep, pool);
  std::size_t told = 0;
  const auto rows = reproduce_constraint({.draws = 20, .chains = 4, .warmup = 20, .seed = 7, .threads = 2},
                                         [&](double, const std::string&) { ++told; });
  ASSERT_EQ(rows.size(), expected.size());
  EXPECT_EQ(told, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].sampled, expected[i].sampled.has_value());
    if (rows[i].sampled) EXPECT_EQ(rows[i].mean, expected[i].sampled->mean) << i;
  }
}

}  // namespace
}  // namespace bl
