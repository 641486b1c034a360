#include "gibbs/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::gibbs {

Box Box::unbounded(Index dimension) {
  const double infinity = std::numeric_limits<double>::infinity();
  return cube(dimension, -infinity, infinity);
}

Box Box::cube(Index dimension, double lower, double upper) {
  const auto d = static_cast<std::size_t>(dimension);
  return {std::vector<double>(d, lower), std::vector<double>(d, upper)};
}

bool Box::finite() const {
  const auto is_finite = [](double v) { return std::isfinite(v); };
  return std::all_of(lower.begin(), lower.end(), is_finite) &&
         std::all_of(upper.begin(), upper.end(), is_finite);
}

void Box::check(Index dimension) const {
  const auto d = static_cast<std::size_t>(dimension);
  if (lower.size() != d || upper.size() != d)
    throw UsageError(
        fmt::format("support box has {} lower and {} upper bounds, the distribution has {} dimensions",
                    lower.size(), upper.size(), dimension));
  for (std::size_t j = 0; j < d; ++j)
    if (!(lower[j] < upper[j]))
      throw UsageError(fmt::format("support box, dimension {}: lower bound {} is not below upper bound {}", j,
                                   lower[j], upper[j]));
}

void Box::clamp(std::span<double> point) const {
  for (std::size_t j = 0; j < point.size(); ++j) point[j] = std::clamp(point[j], lower[j], upper[j]);
}

}  // namespace bl::gibbs
