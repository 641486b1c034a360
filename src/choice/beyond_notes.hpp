// What a summary says about a model beyond the logit beside its table: how it was simulated, and what follows
// from its parameters.
#pragma once

#include <string>
#include <vector>

#include "choice/beyond.hpp"

namespace bl {

std::vector<std::string> beyond_notes(const ChoiceSchema& schema, const BeyondModel& beyond,
                                      const random_utility::Maximum& maximum,
                                      const inference::Estimate& estimate);

}  // namespace bl
