// The support of a continuous response: an interval per dimension, whose ends may be infinite.
#pragma once

#include <span>
#include <vector>

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
bool reflect(T lower, T upper, T& y);

extern template bool reflect<float>(float, float, float&);
extern template bool reflect<double>(double, double, double&);

}  // namespace bl::gibbs
