// The schema as a small file that a person can read and edit:
//
//   [columns]
//   age = { role = "feature", type = "continuous" }                          # 17 to 90
//   size = { type = "ordinal", levels = ["small", "medium", "large"] }
//   income = { role = "response", type = "nominal" }                         # <=50K, >50K
//
// Columns and keys that are left out are inferred from the data.
#pragma once

#include <string>
#include <string_view>

#include "data/table.hpp"
#include "features/schema.hpp"

namespace bl {

// UsageError naming file and line for what is not TOML, unknown keys, roles and types (with the nearest valid
// name). Whether the columns exist is checked by infer_schema.
ColumnSettings read_schema_toml(std::string_view text, const std::string& name);

// One line per column, with what the column holds as a comment. Reading it back gives the same schema.
std::string write_schema_toml(const Schema& schema, const Table& table);

}  // namespace bl
