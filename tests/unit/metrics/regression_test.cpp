#include "metrics/regression.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

constexpr double kTolerance = 1e-14;  // five rows of numbers of order one
const std::vector<double> kTruth{1.5, -2.0, 0.0, 4.0, 3.25};
const std::vector<double> kPredicted{1.0, -1.5, 0.5, 4.5, 2.0};
const std::vector<double> kWeights{1.0, 2.0, 0.5, 1.0, 3.0};

// scikit-learn 1.9.1: root_mean_squared_error, mean_absolute_error and r2_score of the vectors above, plain
// and with sample_weight.
TEST(Regression, AgreesWithScikitLearn) {
  EXPECT_NEAR(root_mean_squared_error(kTruth, kPredicted), 0.7158910531638176, kTolerance);
  EXPECT_NEAR(root_mean_squared_error(kTruth, kPredicted, kWeights), 0.8803408430829505, kTolerance);
  EXPECT_NEAR(mean_absolute_error(kTruth, kPredicted), 0.65, kTolerance);
  EXPECT_NEAR(mean_absolute_error(kTruth, kPredicted, kWeights), 0.8, kTolerance);
  EXPECT_NEAR(r_squared(kTruth, kPredicted), 0.8918776371308017, kTolerance);
  EXPECT_NEAR(r_squared(kTruth, kPredicted, kWeights), 0.8584474885844748, kTolerance);
}

TEST(Regression, EqualResponsesHaveADefinedRSquared) {
  const std::vector<double> equal(3, 0.1);  // their mean is not 0.1 in double precision
  const std::vector<double> close{0.1, 0.1, 0.2};
  EXPECT_EQ(r_squared(equal, equal), 1.0);
  EXPECT_EQ(r_squared(equal, close), 0.0);
  const std::vector<double> first_is_ignored{5.0, 0.1, 0.1};
  const std::vector<double> weights{0.0, 1.0, 1.0};
  EXPECT_EQ(r_squared(first_is_ignored, close, weights), 0.0);
}

TEST(Regression, BadInputIsNamed) {
  const std::vector<double> none;
  const std::vector<double> nan{1.0, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> good{1.0, 2.0};
  EXPECT_THROW(root_mean_squared_error(none, none), DataError);
  EXPECT_THROW(mean_absolute_error(good, kTruth), UsageError);
  EXPECT_THROW(r_squared(nan, good), DataError);
  EXPECT_THROW(r_squared(good, nan), NumericError);
}

}  // namespace
}  // namespace bl::metrics
