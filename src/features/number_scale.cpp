#include "features/number_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "features/encoding.hpp"
#include "features/json_fields.hpp"

namespace bl {

namespace {

std::optional<ResponseTransform> parse_transform(std::string_view name) {
  if (name == "none") return ResponseTransform::none;
  if (name == "log") return ResponseTransform::log;
  if (name == "asinh") return ResponseTransform::asinh;
  return std::nullopt;
}

const char* text_of(ResponseTransform transform) {
  return transform == ResponseTransform::none  ? "none"
         : transform == ResponseTransform::log ? "log"
                                               : "asinh";
}

}  // namespace

double NumberScale::transformed(double y) const {
  switch (transform) {
    case ResponseTransform::log:
      return std::log(std::max(y - location, std::numeric_limits<double>::min()));
    case ResponseTransform::asinh:
      return std::asinh((y - location) / unit);
    case ResponseTransform::none:
      break;
  }
  return y;
}

double NumberScale::inverse(double t) const {
  switch (transform) {
    case ResponseTransform::log:
      return location + std::exp(t);
    case ResponseTransform::asinh:
      return location + unit * std::sinh(t);
    case ResponseTransform::none:
      break;
  }
  return t;
}

double NumberScale::place(double y) const {
  if (masses.empty()) return transformed(y);
  double before = 0;  // widths of the slots below
  if (whole_numbers) {
    const PointMass &first = masses.front(), &last = masses.back();
    if (y < first.value - 0.5) return first.place - (first.value - y) * first.width;
    for (const PointMass& mass : masses) {
      if (y <= mass.value + 0.5) return first.place + before + mass.width / 2;
      before += mass.width;
    }
    return first.place + before + (y - last.value) * last.width;
  }
  double least = -std::numeric_limits<double>::infinity();  // t is above the last slot's and below the next's
  for (const PointMass& mass : masses) {
    if (y == mass.value) return mass.place + before + mass.width / 2;
    if (y < mass.value) return std::clamp(transformed(y), least, std::max(least, mass.place)) + before;
    least = mass.place;
    before += mass.width;
  }
  return std::max(transformed(y), least) + before;
}

double NumberScale::response(double x) const {
  double before = 0;
  for (const PointMass& mass : masses) {
    const double lower = mass.place + before;
    if (x < lower) break;
    if (x <= lower + mass.width) return mass.value;
    before += mass.width;
  }
  if (whole_numbers) return before == 0 ? masses.front().value : masses.back().value;
  return inverse(x - before);
}

double NumberScale::log_slope(double x) const {
  double before = 0;
  for (const PointMass& mass : masses) {
    const double lower = mass.place + before;
    if (x < lower) break;
    if (x <= lower + mass.width) return -std::numeric_limits<double>::infinity();
    before += mass.width;
  }
  const double t = x - before;
  switch (transform) {
    case ResponseTransform::log:
      return t;
    case ResponseTransform::asinh:  // log(unit cosh t)
      return std::log(unit) + std::abs(t) + std::log1p(std::exp(-2 * std::abs(t))) - std::log(2.0);
    case ResponseTransform::none:
      break;
  }
  return 0;
}

std::vector<Slot> NumberScale::slots() const {
  std::vector<Slot> out;
  double before = 0;
  for (const PointMass& mass : masses) {
    out.push_back({mass.value, mass.place + before, mass.place + before + mass.width});
    before += mass.width;
  }
  return out;
}

std::string NumberScale::name(const std::string& column) const {
  const std::string shifted = location == 0 ? column
                                            : fmt::format("{} {} {}", column, location < 0 ? "+" : "-",
                                                          format_number(std::abs(location)));
  switch (transform) {
    case ResponseTransform::log:
      return fmt::format("log({})", shifted);
    case ResponseTransform::asinh:
      return location == 0 ? fmt::format("asinh({} / {})", column, format_number(unit))
                           : fmt::format("asinh(({}) / {})", shifted, format_number(unit));
    case ResponseTransform::none:
      break;
  }
  return column;
}

std::string NumberScale::note(const std::string& column) const {
  if (whole_numbers)
    return fmt::format("{} holds whole numbers: each from {} to {} has a probability of its own",
                       in_quotes(column), format_number(masses.front().value),
                       format_number(masses.back().value));
  std::string text;
  if (transform != ResponseTransform::none)
    text =
        fmt::format("{} is learned as {}; predictions are in its own units", in_quotes(column), name(column));
  if (masses.empty()) return text;
  const std::string values =
      joined(masses, ", ", [](const PointMass& mass) { return format_number(mass.value); });
  return text + fmt::format("{}{} of {} {} a probability of {} own beside the density",
                            text.empty() ? "" : "; ", values, in_quotes(column),
                            masses.size() == 1 ? "has" : "have", masses.size() == 1 ? "its" : "their");
}

nlohmann::json NumberScale::to_json() const {
  nlohmann::json points = nlohmann::json::array();
  for (const PointMass& mass : masses) points.push_back({mass.value, mass.place, mass.width});
  return {{"transform", text_of(transform)},
          {"location", location},
          {"unit", unit},
          {"point_masses", std::move(points)},
          {"whole_numbers", whole_numbers}};
}

NumberScale NumberScale::from_json(const JsonField& field) {
  NumberScale scale;
  scale.transform = field["transform"].name(parse_transform);
  scale.location = field["location"].number();
  scale.unit = field["unit"].number();
  if (!(scale.unit > 0)) field["unit"].fail("should be positive");
  scale.whole_numbers = field["whole_numbers"].flag();
  for (const JsonField& point : field["point_masses"].elements()) {
    const auto parts = point.elements();
    if (parts.size() != 3) point.fail("should have a value, a place and a width");
    scale.masses.push_back({parts[0].number(), parts[1].number(), parts[2].number()});
    const PointMass& mass = scale.masses.back();
    const bool ascends =
        scale.masses.size() == 1 || (mass.value > scale.masses[scale.masses.size() - 2].value &&
                                     mass.place >= scale.masses[scale.masses.size() - 2].place);
    if (!(mass.width > 0) || !ascends) point.fail("should have a width, and stand after the one before");
  }
  if (scale.whole_numbers && scale.masses.empty()) field["point_masses"].fail("should not be empty");
  return scale;
}

std::vector<Slot> encoded_slots(const ResponseEncoding& response) {
  std::vector<Slot> slots = response.number.slots();
  for (Slot& slot : slots) {
    slot.lower = (slot.lower - response.mean) / response.scale;
    slot.upper = (slot.upper - response.mean) / response.scale;
  }
  return slots;
}

std::vector<double> slot_ends(const ResponseEncoding& response) {
  std::vector<double> ends;
  for (const Slot& slot : encoded_slots(response)) {
    if (ends.empty() || ends.back() < slot.lower) ends.push_back(slot.lower);
    ends.push_back(slot.upper);
  }
  return ends;
}

}  // namespace bl
