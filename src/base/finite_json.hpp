// JSON has no word for a number that is not finite: null stands for it.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace bl {

inline nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace bl
