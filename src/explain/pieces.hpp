// A function of one variable that is linear between knots: what a curve of a column is in a head.
#pragma once

#include <string>
#include <vector>

namespace bl::explain {

struct Pieces {
  std::vector<double> knots;   // ascending, two or more
  std::vector<double> values;  // at the knots
  bool straight_ends = false;  // beyond the outer knots straight on; otherwise constant
  bool operator==(const Pieces&) const = default;

  double value(double x) const;
  // At a knot that of the right side, at the last one that of the left where the ends go straight on.
  double slope(double x) const;
  // Root mean square over the knots, which stand about as close as the rows do.
  double size() const;
};

// "rises to 45, then flat": moves of less than a tenth of the range are passed over.
std::string shape_in_words(const Pieces& pieces);
// The same with "; lowest -0.31 at 17, highest 0.88 at 45".
std::string in_words(const Pieces& pieces);

}  // namespace bl::explain
