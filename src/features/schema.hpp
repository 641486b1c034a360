// What the columns of a table mean: the role each one plays and the kind of values it holds.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"
#include "features/curve_shape.hpp"

namespace bl {

enum class Role { feature, response, ignore, weight, group, id };

// The types of columns: numbers, levels, levels in their order (lowest first), and sentences, of which the
// words count. Each is one file in features/columns.
#define BL_COLUMN_TYPES(ONE) ONE(continuous) ONE(nominal) ONE(ordinal) ONE(text)

#define BL_ENUMERATE(value) value,
enum class ColumnType { BL_COLUMN_TYPES(BL_ENUMERATE) };
#undef BL_ENUMERATE

#define BL_ENUMERATE(value) ColumnType::value,
inline constexpr std::array kColumnTypes = {BL_COLUMN_TYPES(BL_ENUMERATE)};
#undef BL_ENUMERATE

struct SchemaColumn {
  std::string name;
  Role role = Role::feature;
  ColumnType type = ColumnType::continuous;
  RawType raw = RawType::numeric;   // how the training file was read
  std::vector<std::string> levels;  // ordinal: the order; empty for numbers means ascending
  bool operator==(const SchemaColumn&) const = default;
};

struct Schema {
  std::vector<SchemaColumn> columns;

  const SchemaColumn* find(std::string_view name) const;
  std::vector<const SchemaColumn*> with_role(Role role) const;
  // The type of every column that is not ignored, for ReadOptions::types: a new file is then read like the
  // training file, whatever its values look like.
  std::map<std::string, RawType> raw_types() const;

  nlohmann::json to_json() const;
  // ModelFileError naming the field for anything that to_json cannot have written.
  static Schema from_json(const nlohmann::json& json);
  bool operator==(const Schema&) const = default;
};

// What a person said about one column; the rest is inferred.
struct ColumnSetting {
  std::optional<Role> role;
  std::optional<ColumnType> type;
  std::vector<std::string> levels;
  std::optional<CurveShape> curve = {};  // the column is a curve of this shape
};
using ColumnSettings = std::map<std::string, ColumnSetting>;

struct RoleOptions {
  std::vector<std::string> targets = {};
  std::string weight = {};  // empty: none
  std::string group = {};
  std::vector<std::string> ids = {};
  std::vector<std::string> ignore = {};
  ColumnSettings columns = {};  // by name, from a schema file; the lists above win for the columns they name
};

// The rules, where nothing is said:
//  - a column that is not named in any list is a feature;
//  - a text column is nominal (ordinal where the table declares an order), a numeric feature continuous;
//  - a text feature is running text if its cells hold five words on average and half of them are different;
//  - a numeric response is nominal (classes) if its values are all integers, at most 20 different ones, each
//    seen twice on average, and more than ten of them leave no gap; otherwise continuous.
// DataError for columns that do not exist (with the nearest name) and text in a continuous column (with the
// line); UsageError for contradictions and for ordinal text without an order.
Schema infer_schema(const Table& table, const RoleOptions& options);

// The raw types that follow from what was said, for reading the file: continuous columns and the weight are
// numeric (text in them is then an error with its line), ids are text (007 stays 007).
std::map<std::string, RawType> declared_types(const RoleOptions& options);

// Names as in schema files and model files. The parsers return nothing for an unknown name.
std::string to_string(Role role);
std::string to_string(ColumnType type);
std::optional<Role> parse_role(std::string_view name);
std::optional<ColumnType> parse_column_type(std::string_view name);
std::vector<std::string> role_names();
std::vector<std::string> column_type_names();

}  // namespace bl
