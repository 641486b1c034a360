#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "features/column_kind.hpp"
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

// The schema's column of this name, which must have the given role.
const SchemaColumn& schema_column(const JsonField& name, const Schema& schema, Role role) {
  const SchemaColumn* column = schema.find(name.text());
  if (column == nullptr || column->role != role) {
    name.fail(in_quotes(name.text()) + " is no " + to_string(role) + " of the schema");
  }
  if (column->raw != facts(column->type).raw.value_or(column->raw))
    name.fail(in_quotes(name.text()) + " is both " + to_string(column->type) + " and " +
              (column->raw == RawType::text ? "text" : "numbers") + " in the schema");
  return *column;
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
  kind_of(feature.type).store(feature, out);
  return out;
}

namespace {

// The first version knew no reference levels.
std::int32_t read_first_level(const JsonField& field, const FeatureEncoding& feature) {
  if (!field.json().contains("first_level")) return 0;
  const bool columns = facts(feature.type).levels && !facts(feature.type).line;  // one for each level
  const std::int64_t most = columns && feature.levels.size() > 1 ? 1 : 0;
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
  feature.scale = field["scale"].positive();
  feature.fill = field.json().contains("fill") ? field["fill"].number() : feature.mean;
  feature.levels = field["levels"].distinct_texts();
  if (facts(feature.type).levels && feature.levels.empty()) field["levels"].fail("should not be empty");
  kind_of(feature.type).read(field, feature);
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
  response.scale = field["scale"].positive();
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
