// What front ends show of a recovery round.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bl/check.hpp"

namespace bl {

nlohmann::ordered_json recovery_json(const RecoveryRound& round);

// A line for every parameter: truth, mean, standard deviation, standard error, coverage; "*" where the
// coverage is off.
std::string recovery_table(const RecoveryRound& round);

// How likely a count of intervals at least as far from 95% is by chance alone: twice the smaller tail of the
// binomial distribution. NaN without intervals.
double chance_of_coverage(const RecoveredParameter& parameter);

// Outside 93.0-97.0%, and by more than chance explains: chance_of_coverage below 1%.
bool is_off(const RecoveredParameter& parameter);

// With so many decimals; from 100,000 on with an exponent, so that columns do not run together; "-" where it
// is not finite.
std::string decimals(double value, int digits);

// "3 of 500 ended with a weight at zero, 1 without a minimum", or nothing.
std::string failure_words(const RecoveryRound& round);

// Fills findings and sound.
void judge(CheckReport& report);

}  // namespace bl
