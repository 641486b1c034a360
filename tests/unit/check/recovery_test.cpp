#include "check/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace bl {
namespace {

// A fit that ran away: no number may touch its neighbor, and lines stay within 80 characters.
TEST(RecoveryTable, KeepsColumnsApartForNumbersOfAnySize) {
  RecoveryRound round;
  round.replications = 500;
  round.parameters.push_back({.name = "U.lambda",
                              .truth = -1234567.891,
                              .mean = -123456.7891,
                              .standard_deviation = 1.234e-300,
                              .standard_error = 175.36,
                              .coverage = 0.914,
                              .bound = 1.2e-157,
                              .intervals = 500});
  std::istringstream lines(recovery_table(round));
  std::string header, line, word;
  std::getline(lines, header);
  std::getline(lines, line);
  EXPECT_LE(line.size(), 80U);
  std::istringstream words(line);
  std::vector<std::string> found;
  while (words >> word) found.push_back(word);
  EXPECT_EQ(found, (std::vector<std::string>{"U.lambda", "-1.2e+06", "-1.2e+05", "1.2e-300", "175",
                                             "1.1e-286", "91.4*"}));
}

// Coverages of parameters over so many replications; estimates are not shifted.
CheckReport report_of(std::size_t replications, const std::vector<double>& coverages) {
  CheckReport report;
  RecoveryRound& round = report.recovery;
  round.rows = 1000;
  round.replications = replications;
  for (const double coverage : coverages) {
    round.parameters.push_back({.name = "b" + std::to_string(round.parameters.size()),
                                .truth = 1,
                                .mean = 1,
                                .standard_deviation = 0.1,
                                .standard_error = 0.1,
                                .coverage = coverage,
                                .intervals = replications});
    round.mean_coverage += coverage / static_cast<double>(coverages.size());
  }
  judge(report);
  return report;
}

// The verdict knows what so many replications can tell, of each parameter and of all.
TEST(CheckVerdict, TakesTheErrorOfTheSimulationIntoAccount) {
  EXPECT_TRUE(report_of(50, {0.94, 0.98, 0.90, 0.92, 0.96}).sound);  // 45 of 50 happens by chance
  const CheckReport off = report_of(300, {0.95, 0.94, 0.90, 0.96});
  EXPECT_FALSE(off.sound);
  EXPECT_NE(off.findings.back().find("b2 (90.0%)"), std::string::npos);
  EXPECT_FALSE(report_of(300, {0.91, 0.95, 0.955}).sound);
  EXPECT_TRUE(report_of(300, {0.93, 0.94, 0.955, 0.963}).sound);
  EXPECT_TRUE(report_of(20000, {0.945, 0.955}).sound);  // beyond chance, but good enough
  EXPECT_FALSE(report_of(2000, {0.929, 0.929, 0.929, 0.929}).sound);
  // One of twenty may be at the edge; one alone may not.
  EXPECT_TRUE(is_off(off.recovery.parameters[2]));
  EXPECT_FALSE(is_off({.name = "a", .coverage = 0.92, .intervals = 50}));
}

// Against sums of the binomial distribution of 20, by hand.
TEST(CheckVerdict, ChanceIsThatOfTheBinomialDistribution) {
  double tail = 0, choose = 1;
  for (int missed = 0; missed <= 20; ++missed) {
    if (missed >= 3) tail += choose * std::pow(0.95, 20 - missed) * std::pow(0.05, missed);
    choose *= (20.0 - missed) / (missed + 1);
  }
  EXPECT_NEAR(chance_of_coverage({.name = "a", .coverage = 0.85, .intervals = 20}), 2 * tail, 1e-12);
}

TEST(RecoveryTable, WritesDecimalsUntilTheyAreTooMany) {
  EXPECT_EQ(decimals(1.2345, 3), "1.234");
  EXPECT_EQ(decimals(362617.94, 2), "3.6e+05");
  EXPECT_EQ(decimals(std::numeric_limits<double>::quiet_NaN(), 2), "-");
}

}  // namespace
}  // namespace bl
