#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "features/curve.hpp"
#include "features/encoder.hpp"
#include "features/feature_fit.hpp"
#include "features/json_fields.hpp"

namespace bl {

namespace {

constexpr std::int64_t kManyRows = std::numeric_limits<std::int64_t>::max();

std::optional<MissingPolicy> parse_missing(std::string_view name) {
  if (name == "error") return MissingPolicy::error;
  if (name == "impute") return MissingPolicy::impute;
  return std::nullopt;
}

std::optional<UnseenPolicy> parse_unseen(std::string_view name) {
  if (name == "error") return UnseenPolicy::error;
  if (name == "missing") return UnseenPolicy::missing;
  return std::nullopt;
}

double positive(const JsonField& field) {
  const double value = field.number();
  if (!(value > 0)) field.fail("should be positive");
  return value;
}

// The schema's column of this name, which must have the given role.
const SchemaColumn& schema_column(const JsonField& name, const Schema& schema, Role role) {
  const SchemaColumn* column = schema.find(name.text());
  if (column == nullptr || column->role != role) {
    name.fail(in_quotes(name.text()) + " is no " + to_string(role) + " of the schema");
  }
  if (column->type == ColumnType::continuous && column->raw == RawType::text) {
    name.fail(in_quotes(name.text()) + " is both continuous and text in the schema");
  }
  if (column->type == ColumnType::text && column->raw == RawType::numeric)
    name.fail(in_quotes(name.text()) + " is both running text and numbers in the schema");
  return *column;
}

nlohmann::json write_bends(const Bends& bends) {
  nlohmann::json out = {
      {"knots", bends.knots}, {"widest", bends.widest},     {"straight_ends", bends.straight_ends},
      {"scale", bends.scale}, {"constant", bends.constant}, {"slope", bends.slope}};
  if (bends.kind != CurveKind::linear) out["kind"] = to_string(bends.kind);
  if (!bends.line) out["line"] = false;
  if (bends.kind == CurveKind::periodic) out["period"] = bends.period;
  return out;
}

nlohmann::json write_text(const TextEncoding& text) {
  return {{"ngrams", text.ngrams()}, {"terms", text.terms()}, {"idf", text.idf()},
          {"mean", text.mean()},     {"scale", text.scale()}, {"words", text.words()}};
}

}  // namespace

nlohmann::json feature_json(const FeatureEncoding& feature) {
  nlohmann::json out = {{"name", feature.name},
                        {"has_value", feature.has_value},
                        {"has_indicator", feature.has_indicator},
                        {"mean", feature.mean},
                        {"scale", feature.scale},
                        {"levels", feature.levels},
                        {"first_level", feature.first_level},
                        {"fill_level", feature.fill_level}};
  if (feature.fill != feature.mean) out["fill"] = feature.fill;
  if (!feature.pull.from.empty()) out["pull"] = {{"from", feature.pull.from}, {"to", feature.pull.to}};
  if (feature.bends.size() > 0) out["bends"] = write_bends(feature.bends);
  if (feature.text) out["text"] = write_text(*feature.text);
  return out;
}

namespace {

std::vector<double> numbers(const JsonField& field) {
  std::vector<double> values;
  for (const JsonField& element : field.elements()) values.push_back(element.number());
  return values;
}

std::vector<double> ascending(const JsonField& field) {
  std::vector<double> values = numbers(field);
  if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
    field.fail("should be ascending");
  return values;
}

Pull read_pull(const JsonField& field) {
  Pull pull{.from = ascending(field["from"]), .to = numbers(field["to"])};
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
  bends.knots = ascending(field["knots"]);
  if (bends.knots.size() < (step ? 2 : 3)) field["knots"].fail("should have three knots or more");
  if (bends.knots.size() > kMostKnots) field["knots"].fail("has too many knots");
  if (periodic) {
    bends.period = positive(field["period"]);
    if (!(bends.knots.back() - bends.knots.front() < bends.period))
      field["knots"].fail("should lie within one period");
  }
  const auto pieces = static_cast<std::int64_t>(bends.knots.size()) - 1;
  bends.widest = static_cast<std::size_t>(
      field["widest"].integer(bends.line ? 0 : pieces, bends.line ? pieces - 1 : pieces));
  bends.straight_ends = field["straight_ends"].flag();
  bends.scale = positive(field["scale"]);
  bends.constant = numbers(field["constant"]);
  bends.slope = numbers(field["slope"]);
  for (const char* part : {"constant", "slope"})
    if (field[part].elements().size() != bend_count(bends))
      field[part].fail("should have one number for each bend");
  bends.knot_slopes = spline_slopes(bends);
  return bends;
}

TextHandle read_text(const JsonField& field) {
  constexpr std::int64_t kMostWords = 5;
  const auto ngrams = static_cast<int>(field["ngrams"].integer(1, kMostWords));
  std::vector<std::string> terms = field["terms"].distinct_texts(), words = field["words"].texts();
  std::vector<double> idf = numbers(field["idf"]), mean = numbers(field["mean"]);
  std::vector<double> scale;
  for (const JsonField& one : field["scale"].elements()) scale.push_back(positive(one));
  if (terms.empty() || idf.size() != terms.size()) field["idf"].fail("should be one number for each term");
  if (mean.empty() || scale.size() != mean.size() || words.size() != mean.size())
    field["scale"].fail("should be one number for each component, like mean and words");
  return TextHandle(std::make_shared<const TextEncoding>(
      ngrams, std::move(terms), std::move(idf), std::move(mean), std::move(scale), std::move(words)));
}

// The first version knew no reference levels.
std::int32_t read_first_level(const JsonField& field, const FeatureEncoding& feature) {
  if (!field.json().contains("first_level")) return 0;
  const std::int64_t most = feature.type == ColumnType::nominal && feature.levels.size() > 1 ? 1 : 0;
  return static_cast<std::int32_t>(field["first_level"].integer(0, most));
}

FeatureEncoding read_feature(const JsonField& field, const Schema& schema) {
  const SchemaColumn& column = schema_column(field["name"], schema, Role::feature);
  FeatureEncoding feature;
  feature.name = column.name;
  feature.type = column.type;
  feature.raw = column.raw;
  feature.has_value = field["has_value"].flag();
  feature.has_indicator = field["has_indicator"].flag();
  if (!feature.has_value && !feature.has_indicator) field.fail("encodes nothing");
  feature.mean = field["mean"].number();
  feature.scale = positive(field["scale"]);
  feature.fill = field.json().contains("fill") ? field["fill"].number() : feature.mean;
  if (field.json().contains("pull")) feature.pull = read_pull(field["pull"]);
  if (field.json().contains("bends")) feature.bends = read_bends(field["bends"]);
  feature.levels = field["levels"].distinct_texts();
  const bool text = feature.type == ColumnType::text;
  if (feature.type != ColumnType::continuous && !text && feature.levels.empty())
    field["levels"].fail("should not be empty");
  if (text && feature.has_value) feature.text = read_text(field["text"]);
  const auto last = std::max<std::int64_t>(0, static_cast<std::int64_t>(feature.levels.size()) - 1);
  feature.fill_level = static_cast<std::int32_t>(field["fill_level"].integer(0, last));
  feature.first_level = read_first_level(field, feature);
  return feature;
}

}  // namespace

nlohmann::json response_json(const ResponseEncoding& response) {
  nlohmann::json out = {{"name", response.name},
                        {"mean", response.mean},
                        {"scale", response.scale},
                        {"levels", response.levels}};
  if (!response.number.plain()) out["number"] = response.number.to_json();
  return out;
}

namespace {

ResponseEncoding read_response(const JsonField& field, const Schema& schema) {
  const SchemaColumn& column = schema_column(field["name"], schema, Role::response);
  ResponseEncoding response;
  response.name = column.name;
  response.type = column.type;
  response.raw = column.raw;
  response.mean = field["mean"].number();
  response.scale = positive(field["scale"]);
  response.levels = field["levels"].distinct_texts();
  if (field.json().contains("number") && !response.is_class())
    response.number = NumberScale::from_json(field["number"]);
  if (response.is_class() && response.levels.size() < 2)
    field["levels"].fail("should have two classes or more");
  return response;
}

}  // namespace

nlohmann::json report_json(const EncodingReport& report) {
  return {{"constant", report.constant}, {"duplicates", report.duplicates}, {"missing", report.missing}};
}

namespace {

// A list of pairs; what is second is read by the given function.
template <class Read>
auto read_pairs(const JsonField& field, const Read& read) {
  std::vector<std::pair<std::string, decltype(read(field))>> pairs;
  for (const JsonField& pair : field.elements()) {
    const auto parts = pair.elements();
    if (parts.size() != 2) pair.fail("should have two parts");
    pairs.emplace_back(parts[0].text(), read(parts[1]));
  }
  return pairs;
}

EncodingReport read_report(const JsonField& field) {
  EncodingReport report;
  report.constant = field["constant"].texts();
  report.duplicates = read_pairs(field["duplicates"], [](const JsonField& f) { return f.text(); });
  report.missing = read_pairs(field["missing"],
                              [](const JsonField& f) { return static_cast<Index>(f.integer(0, kManyRows)); });
  return report;
}

}  // namespace

nlohmann::json Encoder::to_json() const {
  nlohmann::json features = nlohmann::json::array();
  for (const FeatureEncoding& feature : features_) features.push_back(feature_json(feature));
  nlohmann::json responses = nlohmann::json::array();
  for (const ResponseEncoding& response : responses_) responses.push_back(response_json(response));
  nlohmann::json out = {{"schema", schema_.to_json()},
                        {"missing", options_.missing == MissingPolicy::error ? "error" : "impute"},
                        {"unseen", options_.unseen == UnseenPolicy::error ? "error" : "missing"},
                        {"max_levels", options_.max_levels},
                        {"features", std::move(features)},
                        {"responses", std::move(responses)},
                        {"report", report_json(report_)}};
  if (!products_.empty()) out["products"] = products_json(products_, features_);
  return out;
}

Encoder Encoder::from_json(const nlohmann::json& json) {
  const JsonField root(json, "encoder");
  Encoder encoder;
  std::set<std::string> names;
  encoder.schema_ = Schema::from_json(root["schema"].json());
  encoder.options_.missing = root["missing"].name(parse_missing);
  encoder.options_.unseen = root["unseen"].name(parse_unseen);
  encoder.options_.max_levels = static_cast<Index>(root["max_levels"].integer(1, kManyRows));
  for (const JsonField& field : root["features"].elements()) {
    encoder.features_.push_back(read_feature(field, encoder.schema_));
    if (!names.insert(encoder.features_.back().name).second) field.fail("is encoded twice");
  }
  for (const JsonField& field : root["responses"].elements()) {
    encoder.responses_.push_back(read_response(field, encoder.schema_));
    if (!names.insert(encoder.responses_.back().name).second) field.fail("is encoded twice");
  }
  encoder.report_ = read_report(root["report"]);
  if (json.contains("products")) encoder.products_ = read_products(json["products"], encoder.features_);
  encoder.list_columns();
  return encoder;
}

}  // namespace bl
