#include "inference/hypothesis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "inference/distributions.hpp"

namespace bl::inference {
namespace {

using testing::HasSubstr;

// scipy.stats 1.11: norm.ppf, norm.sf, chi2.sf.
TEST(Distributions, AreScipys) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-12);
  EXPECT_NEAR(normal_two_sided(-1.959963984540054), 0.05, 1e-14);
  EXPECT_NEAR(normal_two_sided(6), 1.973175290075396e-09, 1e-21);
  EXPECT_NEAR(chi_squared_tail(3.841458820694124, 1), 0.05, 1e-13);
  EXPECT_NEAR(chi_squared_tail(18.307038053275146, 10), 0.05, 1e-13);
  EXPECT_NEAR(chi_squared_tail(2, 2), std::exp(-1), 1e-14);
  EXPECT_NEAR(chi_squared_tail(100, 4), std::exp(-50) * 51, 1e-33);
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
}

const std::vector<std::string> kNames = {"U.price", "U.price*[y=b, c]", "U.time", "C.lambda"};

TEST(Hypothesis, ReadsEquations) {
  const Hypothesis h =
      parse_hypothesis("U.price = 0, 2*U.time - U.price*[y=b, c] = -1.5 + C.lambda; 3 = U.time", kNames);
  Eigen::MatrixXd weights(3, 4);
  weights << 1, 0, 0, 0, 0, -1, 2, -1, 0, 0, -1, 0;
  EXPECT_EQ(h.weights, weights);
  EXPECT_EQ(h.values, Eigen::Vector3d(0, -1.5, -3));
}

TEST(Hypothesis, NamesWhatItDoesNotUnderstand) {
  const auto message = [](const std::string& text) {
    try {
      parse_hypothesis(text, kNames);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(message("U.prize = 0"), HasSubstr("did you mean 'U.price'"));
  EXPECT_THAT(message("U.price"), HasSubstr("expected '='"));
  EXPECT_THAT(message("1 = 1"), HasSubstr("names no parameter"));
  EXPECT_THAT(message("U.price = 0 0"), HasSubstr("comma"));
  EXPECT_THAT(message(""), HasSubstr("no parameter"));
}

TEST(Wald, OneEquationIsTheSquareOfZ) {
  const Eigen::VectorXd b = Eigen::Vector4d(1, 2, 3, 4);
  Eigen::MatrixXd v = Eigen::MatrixXd::Identity(4, 4);
  v(0, 0) = 0.25;
  v(0, 2) = v(2, 0) = 0.1;
  const TestResult one = wald(parse_hypothesis("U.price = 0", kNames), b, v);
  EXPECT_NEAR(one.statistic, 4, 1e-12);
  EXPECT_EQ(one.degrees, 1);
  EXPECT_NEAR(one.p, normal_two_sided(2), 1e-12);
  // Two at once: (1, 3) [[0.25, 0.1], [0.1, 1]]^-1 (1, 3)' = (1 * 1 - 2 * 0.1 * 3 + 0.25 * 9) / 0.24.
  const TestResult two = wald(parse_hypothesis("U.price = 0, U.time = 0", kNames), b, v);
  EXPECT_NEAR(two.statistic, 2.65 / 0.24, 1e-12);
  EXPECT_EQ(two.degrees, 2);
  // The same equation twice counts once; against itself it cannot hold.
  EXPECT_EQ(wald(parse_hypothesis("U.time = 0, 2*U.time = 0", kNames), b, v).degrees, 1);
  EXPECT_THROW(wald(parse_hypothesis("U.time = 0, U.time = 1", kNames), b, v), UsageError);
  v.row(3).setConstant(std::nan(""));
  v.col(3).setConstant(std::nan(""));
  EXPECT_NEAR(wald(parse_hypothesis("U.price = 0", kNames), b, v).statistic, 4, 1e-12);
  EXPECT_THROW(wald(parse_hypothesis("C.lambda = 0", kNames), b, v), NumericError);
}

TEST(LikelihoodRatio, IsTwiceTheDifference) {
  const TestResult result = likelihood_ratio(-105, 2, -100, 4);
  EXPECT_EQ(result.statistic, 10);
  EXPECT_EQ(result.degrees, 2);
  EXPECT_NEAR(result.p, std::exp(-5), 1e-15);
  EXPECT_THROW(likelihood_ratio(-105, 4, -100, 4), UsageError);
  EXPECT_THROW(likelihood_ratio(-99, 2, -100, 4), NumericError);
}

}  // namespace
}  // namespace bl::inference
