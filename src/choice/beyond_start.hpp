// Where the search for the maximum of a choice model beyond the logit begins, and how parameters are moved.
#pragma once

#include <vector>

#include "choice/beyond.hpp"
#include "random_utility/maximum.hpp"

namespace bl {

std::vector<random_utility::Coordinate> beyond_coordinates(const ChoiceSchema& schema,
                                                           const BeyondModel& beyond);

// `common`: see common_parameters. NumericError where no start of latent classes has a finite likelihood.
std::vector<double> beyond_start(const ChoiceSchema& schema, const BeyondModel& beyond,
                                 const std::vector<double>& common, const Context& job);

}  // namespace bl
