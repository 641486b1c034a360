// The support of a continuous response: an interval per dimension, whose ends may be infinite.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "base/matrix.hpp"

namespace bl::gibbs {

struct Box {
  std::vector<double> lower;
  std::vector<double> upper;

  static Box unbounded(Index dimension);
  static Box cube(Index dimension, double lower, double upper);

  Index dimension() const { return static_cast<Index>(lower.size()); }
  bool finite() const;
  // UsageError unless there are `dimension` intervals, each with lower < upper.
  void check(Index dimension) const;
  // The nearest point of the box.
  void clamp(std::span<double> point) const;
};

// Moves y into [lower, upper] as a ball between two walls, and says whether it hit them an odd number of
// times (then its velocity has changed sign). Volume-preserving and its own inverse: a leapfrog step with it
// stays exact.
template <class T>
BL_HOST_DEVICE bool reflect(T lower, T upper, T& y) {
  if (y >= lower && y <= upper) return false;
  if (!std::isfinite(y)) return false;
  const bool two_walls = std::isfinite(lower) && std::isfinite(upper);
  if (!two_walls) {
    const T wall = y < lower ? lower : upper;
    y = 2 * wall - y;
    return true;
  }
  const T width = upper - lower;
  T phase = std::fmod(y - lower, 2 * width);
  if (phase < 0) phase += 2 * width;
  const bool odd = phase > width;
  y = odd ? lower + (2 * width - phase) : lower + phase;
  y = y < lower ? lower : upper < y ? upper : y;
  return odd;
}

}  // namespace bl::gibbs
