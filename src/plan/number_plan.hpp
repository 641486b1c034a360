// Plans for one number as response, whose normaliser is exact where one layer of piecewise-linear heads
// carries it.
#pragma once

#include <cstdint>
#include <vector>

#include "bl/settings.hpp"
#include "features/encoder.hpp"
#include "objective/objective.hpp"

namespace bl {

// Training rows below which a number is learned by eight networks on folds, from there on by four on all
// rows.
inline constexpr std::size_t kFewRowsForNumber = 5000;

// Whether these settings leave one number as response to one layer of piecewise-linear heads, whose
// normaliser is exact.
bool plans_exact_number(const Settings& settings);
// Which axes such a number may be learned on. UsageError where one is asked for that the fit cannot have.
NumberPolicy plan_number_policy(const Settings& settings, const Schema& schema);
// The exact normaliser in the place of quadrature, where the architecture has one and no panels are asked
// for.
void use_exact_normaliser(const Settings& settings, const Architecture& architecture, const Encoder& encoder,
                          const Support& support, ObjectiveSpec& objective);
// Whether the likelihood of continuous responses that has no exact normaliser is learned with random
// candidates. A fit to the minimum needs a loss that stands still.
bool plans_random_candidates(const Settings& settings);
// They in the place of quadrature; more than two responses are judged by them, too.
void use_random_candidates(const Settings& settings, const Support& support,
                           const Matrix<double>& train_values, ObjectiveSpec& training,
                           ObjectiveSpec& judging);
// Starting values for that path: kinks spread over the responses.
std::vector<double> exact_starting_values(const Architecture& architecture, std::uint64_t seed);

}  // namespace bl
