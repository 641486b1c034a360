// From the zoo's evidence to what front ends show.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bl/check.hpp"
#include "zoo/evidence.hpp"

namespace bl {

RecoveryRound recovery_round(const zoo::SizeEvidence& evidence, const std::vector<std::string>& names);

nlohmann::ordered_json recovery_json(const RecoveryRound& round);

// A line for every parameter: truth, mean, deviation, standard error, coverage; "*" where the coverage is
// outside 93.0-97.0%.
std::string recovery_table(const RecoveryRound& round);

bool is_off(double coverage);

// With so many decimals; from 100,000 on with an exponent, so that columns do not run together; "-" where it
// is not finite.
std::string decimals(double value, int digits);

// "3 of 500 ended with a weight at zero, 1 without a minimum", or nothing.
std::string failure_words(const RecoveryRound& round);

// Fills findings and sound.
void judge(CheckReport& report);

}  // namespace bl
