// What a model beyond the logit adds to the utility in the middle, in words.
#pragma once

#include <string>

#include "fitted/fitted_model.hpp"

namespace bl {

std::string beyond_text(const FittedModel& model);

}  // namespace bl
