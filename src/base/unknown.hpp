// A number that is not known: not determined by the rows, or without meaning where it stands.
#pragma once

#include <limits>

namespace bl {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace bl
