#include "features/grid.hpp"

#include "features/spline.hpp"

namespace bl {

GridPlace place_on(const GridAxis& axis, double x) {
  const KnotPlace place = place_among(axis.knots, axis.period, x);
  GridPlace out{.low = place.piece, .high = (place.piece + 1) % axis.knots.size()};
  const bool below = place.part < 0, beyond = axis.period == 0 && x >= axis.knots.back();
  out.part = below ? 0 : beyond ? 1 : place.part;
  out.slope = below || beyond ? 0 : 1 / place.width;
  return out;
}

GridValue grid_value(std::span<const double> values, std::size_t width, const GridPlace& first,
                     const GridPlace& second) {
  const double low_low = values[first.low * width + second.low];
  const double low_high = values[first.low * width + second.high];
  const double high_low = values[first.high * width + second.low];
  const double high_high = values[first.high * width + second.high];
  const double p = first.part, q = second.part;
  return {.value = (1 - p) * ((1 - q) * low_low + q * low_high) + p * ((1 - q) * high_low + q * high_high),
          .by_first = first.slope * ((1 - q) * (high_low - low_low) + q * (high_high - low_high)),
          .by_second = second.slope * ((1 - p) * (low_high - low_low) + p * (high_high - high_low))};
}

}  // namespace bl
