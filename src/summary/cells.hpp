// What the tables of summaries share: their width, and an estimate in a cell.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace bl {

inline constexpr std::size_t kSummaryWidth = 79;

// Four digits after the point where they say something; "-" where it is not known.
inline std::string estimate_cell(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  return size == 0 || (size >= 1e-3 && size < 1e5) ? fmt::format("{:.4f}", value)
                                                   : fmt::format("{:.2e}", value);
}

}  // namespace bl
