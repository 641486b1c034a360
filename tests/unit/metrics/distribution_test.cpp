#include "metrics/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Likelihood, IsTheWeightedMean) {
  const std::vector<double> logs{-1.0, -2.0, 0.5};
  const std::vector<double> weights{1.0, 2.0, 1.0};
  EXPECT_DOUBLE_EQ(mean_log_likelihood(logs), -2.5 / 3.0);
  EXPECT_DOUBLE_EQ(mean_log_likelihood(logs, weights), -4.5 / 4.0);
  const std::vector<double> impossible{-1.0, -kInfinity};
  const std::vector<double> first_only{1.0, 0.0};
  EXPECT_EQ(mean_log_likelihood(impossible), -kInfinity);
  EXPECT_EQ(mean_log_likelihood(impossible, first_only), -1.0);
  const std::vector<double> nan{-1.0, kNan};
  EXPECT_THROW(mean_log_likelihood(nan), NumericError);
  EXPECT_THROW(mean_log_likelihood({}), DataError);
}

TEST(Likelihood, RhoSquare) {
  EXPECT_DOUBLE_EQ(rho_square(-1000.0, -750.0), 0.25);
  EXPECT_DOUBLE_EQ(rho_square(-1000.0, -750.0, 10), 0.24);
  EXPECT_EQ(rho_square(-10.0, -10.0), 0.0);
  EXPECT_THROW(rho_square(0.0, 0.0), NumericError);
  EXPECT_THROW(rho_square(-kInfinity, -1.0), NumericError);
  EXPECT_THROW(rho_square(-1.0, kNan), NumericError);
}

TEST(Intervals, CoverageAndWidth) {
  const std::vector<double> truth{0.0, 1.0, 2.0, 3.0};
  const std::vector<double> lower{0.0, 1.5, 0.0, 2.0};
  const std::vector<double> upper{1.0, 2.5, 2.0, 2.5};
  const std::vector<double> weights{1.0, 1.0, 2.0, 4.0};
  const IntervalSummary plain = interval_summary(truth, lower, upper);
  EXPECT_DOUBLE_EQ(plain.coverage, 0.5);  // both ends belong to the interval
  EXPECT_DOUBLE_EQ(plain.mean_width, 4.5 / 4.0);
  const IntervalSummary weighted = interval_summary(truth, lower, upper, weights);
  EXPECT_DOUBLE_EQ(weighted.coverage, 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(weighted.mean_width, 8.0 / 8.0);
  EXPECT_THROW(interval_summary(truth, upper, lower), NumericError);
  EXPECT_THROW(interval_summary(truth, lower, {}), UsageError);
}

}  // namespace
}  // namespace bl::metrics
