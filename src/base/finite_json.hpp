// JSON has no word for a number that is not finite: null stands for it.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace bl {

inline nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

inline nlohmann::json finite(std::span<const double> values) {
  nlohmann::json out = nlohmann::json::array();
  for (const double value : values) out.push_back(finite(value));
  return out;
}

// A matrix of `width` columns, row by row.
inline nlohmann::json finite_rows(std::span<const double> values, std::size_t width) {
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t at = 0; at < values.size(); at += width) out.push_back(finite(values.subspan(at, width)));
  return out;
}

}  // namespace bl
