// The axis on which a number is learned: a monotone transform of the response, with room for point masses.
//
//   t = y,  log(y - location)  or  asinh((y - location) / unit)         the transform
//   x = t + widths of the point masses below y                          the axis
// A value that holds a good share of the rows (zeros, a cap) is a slot on the axis: an interval that stands
// for the one value, wide enough for its density to be like its neighbours'. Whole numbers are nothing but
// slots.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace bl {

class JsonField;

enum class ResponseTransform { none, log, asinh };

struct PointMass {
  double value = 0;  // of the response
  double place = 0;  // t where its slot stands
  double width = 1;  // of the slot
  bool operator==(const PointMass&) const = default;
};

struct Slot {
  double value = 0;
  double lower = 0, upper = 0;  // on the axis
};

struct NumberScale {
  ResponseTransform transform = ResponseTransform::none;
  double location = 0;
  double unit = 1;
  std::vector<PointMass> masses;  // ascending
  bool whole_numbers = false;     // every response is a point mass
  bool operator==(const NumberScale&) const = default;

  bool plain() const { return transform == ResponseTransform::none && masses.empty(); }
  // The place of a response on the axis, the response at a place, and the log of d response / d place (minus
  // infinity within a slot).
  double place(double response) const;
  double response(double place) const;
  double log_slope(double place) const;
  std::vector<Slot> slots() const;
  // How explanations call the axis: "price", "log(price)", "asinh((price - 3) / 2)".
  std::string name(const std::string& column) const;
  // What was chosen, in a sentence about the column; empty for a plain axis.
  std::string note(const std::string& column) const;

  nlohmann::json to_json() const;
  static NumberScale from_json(const JsonField& field);

 private:
  double transformed(double response) const;
  double inverse(double t) const;
};

// Which transforms and point masses may be chosen.
struct NumberPolicy {
  enum class Transform { none, automatic, log, asinh };
  Transform transform = Transform::none;
  bool point_masses = false;
};

// The axis for these training values. DataError where the transform asked for does not suit them.
NumberScale choose_number_scale(std::span<const double> values, const NumberPolicy& policy,
                                const std::string& column);

}  // namespace bl
