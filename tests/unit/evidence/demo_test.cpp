#include "bl/demo.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bl {
namespace {

// max 2 quality - 0.5 price - max(0, 5 price - 4 budget): learned, each number within 4.5 of its standard
// errors and visibly close, and probabilities of rows that were not learned from.
TEST(Demo, ShowsTheShopperLearned) {
  int calls = 0;
  const DemoReport demo = run_demo(1, 2, [&](double, const std::string&) { ++calls; });
  EXPECT_GT(calls, 0);
  ASSERT_EQ(demo.lines.size(), 2u);
  const std::vector<std::vector<double>> planted = {{1, 2, -0.5, 0, 0}, {1, 0, 5, -4, 0}};
  for (std::size_t head = 0; head < 2; ++head) {
    ASSERT_EQ(demo.lines[head].coefficients.size(), 5u);
    for (std::size_t k = 0; k < 5; ++k) {
      const DemoCoefficient& c = demo.lines[head].coefficients[k];
      EXPECT_NEAR(c.truth, planted[head][k], 1e-12) << c.term;
      EXPECT_NEAR(c.learned, c.truth, 4.5 * c.standard_error + 1e-12) << c.term;
      EXPECT_LT(c.standard_error, 0.15) << c.term;
    }
  }
  EXPECT_EQ(demo.lines[1].coefficients[2].term, "price");
  ASSERT_EQ(demo.examples.size(), 5u);
  for (const DemoExample& example : demo.examples) {
    ASSERT_EQ(example.alternatives.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(example.learned_probabilities[k], example.true_probabilities[k], 0.05);
  }
  // Twice n times the divergence is about chi-square with the 6 free parameters.
  EXPECT_GE(demo.divergence, 0);
  EXPECT_LT(demo.divergence,
            (6 + 5 * std::sqrt(12.0) + 10) / (2.0 * static_cast<double>(demo.training_rows)));
  EXPECT_LT(demo.learned_log_likelihood, demo.true_log_likelihood + 1e-3);
  EXPECT_GT(demo.learned_log_likelihood, demo.null_log_likelihood + 0.5);
}

// The numbers do not depend on the threads.
TEST(Demo, TheSameBitsOnAnyNumberOfThreads) {
  const DemoReport one = run_demo(3, 1), three = run_demo(3, 3);
  for (std::size_t head = 0; head < one.lines.size(); ++head)
    for (std::size_t k = 0; k < one.lines[head].coefficients.size(); ++k) {
      EXPECT_EQ(one.lines[head].coefficients[k].learned, three.lines[head].coefficients[k].learned);
      EXPECT_EQ(one.lines[head].coefficients[k].standard_error,
                three.lines[head].coefficients[k].standard_error);
    }
  EXPECT_EQ(one.total_variation, three.total_variation);
}

}  // namespace
}  // namespace bl
