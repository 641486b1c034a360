#include "features/moments.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

// Two passes; the second corrects the mean by what rounding left over.
Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return {*least, 0};
  double sum = 0;
  for (const double value : values) sum += value;
  const double rough = sum / n;
  double rest = 0, squares = 0;
  for (const double value : values) {
    rest += value - rough;
    squares += (value - rough) * (value - rough);
  }
  const double variance = (squares - rest * rest / n) / n;
  return {rough + rest / n, variance < 0 ? 0 : std::sqrt(variance)};
}

Moments finite_moments(std::span<const double> values, const Table& table, const std::string& column) {
  const Moments found = moments(values);
  if (!std::isfinite(found.mean) || !std::isfinite(found.scale))
    throw DataError(table.source + ": column " + in_quotes(column) +
                    " has values too large for a mean and a standard deviation; give it in another unit");
  return found;
}

}  // namespace bl
