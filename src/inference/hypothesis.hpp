// Linear hypotheses about named estimates, and their tests.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

namespace bl::inference {

// weights * estimates = values, one row per equation.
struct Hypothesis {
  Eigen::MatrixXd weights;
  Eigen::VectorXd values;
};

// "U.price = 0, U.time = 2 * U.cost + 1": equations between sums of numbers, names and number * name,
// separated by commas or semicolons. A name may hold any character; the longest that fits is taken.
// UsageError naming what is not understood, with the nearest name.
Hypothesis parse_hypothesis(std::string_view text, const std::vector<std::string>& names);

struct TestResult {
  double statistic = 0;  // chi-squared under the hypothesis
  int degrees = 0;       // of freedom: independent equations
  double p = 1;
};

// (R b - r)' (R V R')^-1 (R b - r). NumericError where the estimates leave R b without a variance, UsageError
// for equations that contradict each other.
TestResult wald(const Hypothesis& hypothesis, const Eigen::VectorXd& estimates,
                const Eigen::MatrixXd& covariance);

// Twice the difference of log-likelihoods. UsageError unless the larger model has more parameters;
// NumericError where it fits worse, which it cannot at its maximum.
TestResult likelihood_ratio(double smaller, int smaller_parameters, double larger, int larger_parameters);

}  // namespace bl::inference
