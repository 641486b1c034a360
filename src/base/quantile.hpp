// Quantiles of numbers in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bl {

// Type 7 of the usual definitions: linear between order statistics. At least one number.
inline double quantile(std::span<const double> sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace bl
