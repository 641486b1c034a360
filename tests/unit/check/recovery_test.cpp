#include "check/recovery.hpp"

#include <gtest/gtest.h>

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
                              .deviation = 1.234e-300,
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

TEST(RecoveryTable, WritesDecimalsUntilTheyAreTooMany) {
  EXPECT_EQ(decimals(1.2345, 3), "1.234");
  EXPECT_EQ(decimals(362617.94, 2), "3.6e+05");
  EXPECT_EQ(decimals(std::numeric_limits<double>::quiet_NaN(), 2), "-");
}

}  // namespace
}  // namespace bl
