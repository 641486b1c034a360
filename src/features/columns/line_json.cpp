#include <algorithm>
#include <nlohmann/json.hpp>

#include "features/columns/line.hpp"
#include "features/json_fields.hpp"

namespace bl {

namespace {

nlohmann::json write_bends(const Bends& bends) {
  nlohmann::json out = {
      {"knots", bends.knots}, {"widest", bends.widest},     {"straight_ends", bends.straight_ends},
      {"scale", bends.scale}, {"constant", bends.constant}, {"slope", bends.slope}};
  if (bends.kind != CurveKind::linear) out["kind"] = to_string(bends.kind);
  if (!bends.line) out["line"] = false;
  if (bends.kind == CurveKind::periodic) out["period"] = bends.period;
  return out;
}

Pull read_pull(const JsonField& field) {
  Pull pull{.from = field["from"].ascending(), .to = field["to"].numbers()};
  if (pull.from.size() < 2) field["from"].fail("should have two points or more");
  if (pull.to.size() != pull.from.size() || !std::is_sorted(pull.to.begin(), pull.to.end()))
    field["to"].fail("should be one number for each point, and never fall");
  return pull;
}

Bends read_bends(const JsonField& field) {
  constexpr std::size_t kMostKnots = 1000;  // that a fit makes
  Bends bends;
  if (field.json().contains("kind")) bends.kind = field["kind"].name(parse_curve_kind);
  if (field.json().contains("line")) bends.line = field["line"].flag();
  const bool step = bends.kind == CurveKind::step, periodic = bends.kind == CurveKind::periodic;
  if ((step || periodic) && bends.line) field.fail("a curve of this kind has no line");
  bends.knots = field["knots"].ascending();
  if (bends.knots.size() < (step ? 2 : 3)) field["knots"].fail("should have three knots or more");
  if (bends.knots.size() > kMostKnots) field["knots"].fail("has too many knots");
  if (periodic) {
    bends.period = field["period"].positive();
    if (!(bends.knots.back() - bends.knots.front() < bends.period))
      field["knots"].fail("should lie within one period");
  }
  const auto pieces = static_cast<std::int64_t>(bends.knots.size()) - 1;
  bends.widest = static_cast<std::size_t>(
      field["widest"].integer(bends.line ? 0 : pieces, bends.line ? pieces - 1 : pieces));
  bends.straight_ends = field["straight_ends"].flag();
  bends.scale = field["scale"].positive();
  bends.constant = field["constant"].numbers();
  bends.slope = field["slope"].numbers();
  for (const char* part : {"constant", "slope"})
    if (field[part].elements().size() != bend_count(bends))
      field[part].fail("should have one number for each bend");
  bends.knot_slopes = spline_slopes(bends);
  return bends;
}

}  // namespace

void store_line(const FeatureEncoding& feature, nlohmann::json& out) {
  if (!feature.pull.from.empty()) out["pull"] = {{"from", feature.pull.from}, {"to", feature.pull.to}};
  if (feature.bends.size() > 0) out["bends"] = write_bends(feature.bends);
}

void read_line(const JsonField& field, FeatureEncoding& out) {
  if (field.json().contains("pull")) out.pull = read_pull(field["pull"]);
  if (field.json().contains("bends")) out.bends = read_bends(field["bends"]);
}

}  // namespace bl
