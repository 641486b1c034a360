#include "explain/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bl::explain {

namespace {

// Correlation over the grid with the product of the places along both axes, each counted from the middle.
double joint_direction(const Surface& s) {
  const std::size_t height = s.first.knots.size(), width = s.second.knots.size();
  double inner = 0, square = 0, squares = 0;
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const double product = (static_cast<double>(i) - static_cast<double>(height - 1) / 2) *
                             (static_cast<double>(j) - static_cast<double>(width - 1) / 2);
      inner += product * s.at_knots(i, j);
      square += product * product;
      squares += s.at_knots(i, j) * s.at_knots(i, j);
    }
  return squares > 0 ? inner / std::sqrt(square * squares) : 0;
}

// "-0.31 at age 17, hours 60".
std::string knot_text(const Surface& s, std::size_t place, const std::string& first,
                      const std::string& second) {
  const std::size_t width = s.second.knots.size();
  return fmt::format("{:.4g} at {} {:.4g}, {} {:.4g}", s.values[place], first, s.first.knots[place / width],
                     second, s.second.knots[place % width]);
}

std::size_t lowest(const Surface& s) {
  return static_cast<std::size_t>(std::min_element(s.values.begin(), s.values.end()) - s.values.begin());
}

std::size_t highest(const Surface& s) {
  return static_cast<std::size_t>(std::max_element(s.values.begin(), s.values.end()) - s.values.begin());
}

std::string direction_in_words(const Surface& s) {
  constexpr double kClear = 0.8;
  const double direction = s.first.period > 0 || s.second.period > 0 ? 0 : joint_direction(s);
  if (direction > kClear) return "high where both are high or both are low";
  return direction < -kClear ? "high where one is high and the other low" : "";
}

}  // namespace

GridValue Surface::at(double x, double y) const {
  return grid_value(values, second.knots.size(), place_on(first, x), place_on(second, y));
}

double Surface::size() const {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::string shape_in_words(const Surface& s, const std::string& first, const std::string& second) {
  const std::string direction = direction_in_words(s);
  if (!direction.empty()) return direction;
  const std::size_t low = lowest(s), high = highest(s);
  return std::abs(s.values[low]) > std::abs(s.values[high]) ? "lowest " + knot_text(s, low, first, second)
                                                            : "highest " + knot_text(s, high, first, second);
}

std::string in_words(const Surface& s, const std::string& first, const std::string& second) {
  const std::size_t low = lowest(s), high = highest(s);
  if (s.values[low] == s.values[high]) return "flat";
  const std::string direction = direction_in_words(s);
  return fmt::format("{}{}lowest {}, highest {}", direction, direction.empty() ? "" : "; ",
                     knot_text(s, low, first, second), knot_text(s, high, first, second));
}

}  // namespace bl::explain
