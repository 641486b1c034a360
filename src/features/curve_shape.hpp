// What can be asked of the curve of one column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

enum class CurveKind {
  linear,    // straight between knots
  cubic,     // natural cubic spline
  periodic,  // periodic cubic spline
  step,      // constant from one knot to the next
};

struct CurveShape {
  CurveKind kind = CurveKind::linear;
  double period = 0;               // of a periodic one
  std::vector<double> knots = {};  // ascending; empty: by the values of the training rows
  // 1: the probability of a class never falls with the column, -1: it never rises, 0: free.
  int direction = 0;
  std::string toward = {};  // that class; empty: the last one
  bool operator==(const CurveShape&) const = default;
};

std::string to_string(CurveKind kind);
std::optional<CurveKind> parse_curve_kind(std::string_view name);
std::vector<std::string> curve_kind_names();

}  // namespace bl
