#include <set>

#include "base/text.hpp"
#include "features/json_fields.hpp"
#include "features/schema.hpp"

namespace bl {

namespace {

std::optional<RawType> parse_raw_type(std::string_view name) {
  if (name == "numeric") return RawType::numeric;
  if (name == "text") return RawType::text;
  return std::nullopt;
}

}  // namespace

nlohmann::json Schema::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const SchemaColumn& column : columns) {
    list.push_back({{"name", column.name},
                    {"role", to_string(column.role)},
                    {"type", to_string(column.type)},
                    {"raw", column.raw == RawType::numeric ? "numeric" : "text"},
                    {"levels", column.levels}});
  }
  return {{"columns", std::move(list)}};
}

Schema Schema::from_json(const nlohmann::json& json) {
  const JsonField root(json, "schema");
  Schema schema;
  std::set<std::string> names;
  for (const JsonField& field : root["columns"].elements()) {
    SchemaColumn column;
    column.name = field["name"].text();
    if (!names.insert(column.name).second)
      field["name"].fail(in_quotes(column.name) + " is a column already");
    column.role = field["role"].name(parse_role);
    column.type = field["type"].name(parse_column_type);
    column.raw = field["raw"].name(parse_raw_type);
    column.levels = field["levels"].distinct_texts();
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

}  // namespace bl
