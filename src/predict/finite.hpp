// No answer leaves the library that is not a number.
#pragma once

#include <functional>
#include <string>

#include "bl/model.hpp"

namespace bl {

// Parameters that are finite but absurd can still leave the finite numbers on the way: NumericError with the
// place of the row and the name of the column. A density may be infinite at a point mass.
void require_finite(const OutputTable& table, const std::function<std::string(std::size_t row)>& place);

}  // namespace bl
