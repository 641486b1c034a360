// A function of one variable by what it is at knots: what a curve of a column is in a head.
#pragma once

#include <string>
#include <vector>

#include "features/curve_shape.hpp"

namespace bl::explain {

struct Pieces {
  std::vector<double> knots;   // ascending, two or more
  std::vector<double> values;  // at the knots; of a step from there to the next
  bool straight_ends = false;  // beyond the outer knots straight on; otherwise constant
  CurveKind kind = CurveKind::linear;
  std::vector<double> slopes = {};  // cubic and periodic: at the knots, of the cubic pieces between them
  double period = 0;                // periodic: the first knot is met again after it
  bool operator==(const Pieces&) const = default;

  double value(double x) const;
  // At a knot that of the right side, at the last one that of the left where the ends go straight on.
  double slope(double x) const;
  // From the first knot to where the last piece ends.
  double first() const { return knots.front(); }
  double last() const;
  // Points that a line through them shows the curve by: the knots, more where it is no line between them.
  std::vector<double> points() const;
  // Root mean square over the knots, which stand about as close as the rows do.
  double size() const;
};

// "rises to 45, then flat": moves of less than a tenth of the range are passed over.
std::string shape_in_words(const Pieces& pieces);
// The same with "; lowest -0.31 at 17, highest 0.88 at 45".
std::string in_words(const Pieces& pieces);

}  // namespace bl::explain
