#include "features/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/number.hpp"
#include "features/column_kind.hpp"
#include "features/shared_encoder.hpp"
#include "features/whole_numbers.hpp"

namespace bl {

namespace {

constexpr std::array<std::pair<Role, std::string_view>, 6> kRoles = {{{Role::feature, "feature"},
                                                                      {Role::response, "response"},
                                                                      {Role::ignore, "ignore"},
                                                                      {Role::weight, "weight"},
                                                                      {Role::group, "group"},
                                                                      {Role::id, "id"}}};

// Roles from the lists, checked for contradictions.
std::map<std::string, Role> listed_roles(const RoleOptions& options) {
  std::map<std::string, Role> roles;
  const auto assign = [&](const std::string& name, Role role) {
    const auto [entry, is_new] = roles.emplace(name, role);
    if (!is_new && entry->second != role) {
      throw UsageError("column " + in_quotes(name) + " cannot be both " + to_string(entry->second) + " and " +
                       to_string(role));
    }
  };
  for (const std::string& name : options.targets) assign(name, Role::response);
  if (!options.weight.empty()) assign(options.weight, Role::weight);
  if (!options.group.empty()) assign(options.group, Role::group);
  for (const std::string& name : options.ids) assign(name, Role::id);
  for (const std::string& name : options.ignore) assign(name, Role::ignore);
  return roles;
}

bool looks_like_classes(const Column& column) {
  const std::optional<WholeNumbers> numbers = few_whole_numbers(column);
  return numbers && numbers->are_classes();
}

// Sentences: hardly a cell like another, and several words in each.
bool looks_like_sentences(const Column& column) {
  constexpr std::size_t kLeastTexts = 20, kWords = 5;
  const auto missing =
      static_cast<std::size_t>(std::count(column.codes.begin(), column.codes.end(), kMissingCode));
  const std::size_t texts = column.levels.size();
  if (column.ordered || texts < kLeastTexts || 2 * texts < column.codes.size() - missing) return false;
  std::size_t words = 0;
  for (const std::string& text : column.levels) {
    bool inside = false;
    for (const char c : text) {
      words += !inside && c != ' ';
      inside = c != ' ';
    }
  }
  return words >= kWords * texts;
}

ColumnType found_type(const Column& column, Role role) {
  if (column.raw == RawType::text && role == Role::feature && looks_like_sentences(column))
    return ColumnType::text;
  if (column.raw == RawType::text) return column.ordered ? ColumnType::ordinal : ColumnType::nominal;
  if (role == Role::response && looks_like_classes(column)) return ColumnType::nominal;
  return ColumnType::continuous;
}

void check_numeric(const Table& table, const Column& column, const std::string& purpose) {
  if (column.raw == RawType::numeric) return;
  for (Index row = 0; row < table.rows; ++row) {
    if (column.missing(row)) continue;
    const std::string cell = column.cell_text(row);
    if (parse_number(cell, false).kind == NumberKind::finite) continue;
    throw DataError(table.place(row) + ": column " + in_quotes(column.name) + ": " + in_quotes(cell) +
                    " is not a number, but " + purpose + "; correct it, or declare the column nominal");
  }
  throw DataError(table.source + ": column " + in_quotes(column.name) + " was read as text, but " + purpose +
                  "; read it as numbers");
}

void check_levels(const SchemaColumn& column) {
  if (!column.levels.empty() && !facts(column.type).ordered()) {
    throw UsageError("column " + in_quotes(column.name) + " has an order of levels but is " +
                     to_string(column.type) + "; make it ordinal");
  }
  if (facts(column.type).ordered() && column.raw == RawType::text && column.levels.empty()) {
    throw UsageError("column " + in_quotes(column.name) + " is ordinal text; list its levels, lowest first");
  }
  const std::set<std::string> distinct(column.levels.begin(), column.levels.end());
  if (distinct.size() < column.levels.size()) {
    throw UsageError("column " + in_quotes(column.name) + " lists a level twice");
  }
}

void check_single(const Schema& schema, Role role) {
  const auto columns = schema.with_role(role);
  if (columns.size() > 1) {
    throw UsageError("columns " + in_quotes(columns[0]->name) + " and " + in_quotes(columns[1]->name) +
                     " are both " + to_string(role) + "; there can be one");
  }
}

}  // namespace

const SchemaColumn* Schema::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<const SchemaColumn*> Schema::with_role(Role role) const {
  std::vector<const SchemaColumn*> result;
  for (const SchemaColumn& column : columns) {
    if (column.role == role) result.push_back(&column);
  }
  return result;
}

std::map<std::string, RawType> Schema::raw_types() const {
  std::map<std::string, RawType> types;
  for (const SchemaColumn& column : columns) {
    if (column.role != Role::ignore) types.emplace(column.name, column.raw);
  }
  return types;
}

Schema infer_schema(const Table& table, const RoleOptions& options) {
  return infer_schema(table, options, {});
}

Schema infer_schema(const Table& table, const RoleOptions& options, const WholeColumn& whole) {
  const auto listed = listed_roles(options);
  for (const auto& entry : listed) table.column(entry.first);
  for (const auto& entry : options.columns) table.column(entry.first);
  Schema schema;
  for (const Column& column : table.columns) {
    const auto said = options.columns.find(column.name);
    const ColumnSetting setting = said == options.columns.end() ? ColumnSetting{} : said->second;
    const auto role = listed.find(column.name);
    SchemaColumn result;
    result.name = column.name;
    result.raw = column.raw;
    result.role = role != listed.end() ? role->second : setting.role.value_or(Role::feature);
    // Cells of numbers tell something about responses alone.
    const bool cells_tell = column.raw == RawType::text || result.role == Role::response;
    const Column& cells = cells_tell ? whole_column(whole, column) : column;
    result.type =
        setting.type.value_or(setting.levels.empty() ? found_type(cells, result.role) : ColumnType::ordinal);
    result.levels = setting.levels;
    if (result.levels.empty() && facts(result.type).ordered() && column.ordered)
      result.levels = column.levels;
    check_levels(result);
    const bool encoded = result.role == Role::feature || result.role == Role::response;
    if (!facts(result.type).single_values() && result.role == Role::response)
      throw UsageError("column " + in_quotes(column.name) +
                       " is a response and cannot be running text; make it nominal");
    if (result.role == Role::weight) check_numeric(table, cells, "it is the weight");
    if (encoded && facts(result.type).number()) check_numeric(table, cells, "the column is continuous");
    schema.columns.push_back(std::move(result));
  }
  check_single(schema, Role::weight);
  check_single(schema, Role::group);
  return schema;
}

std::map<std::string, RawType> declared_types(const RoleOptions& options) {
  std::map<std::string, RawType> types;
  for (const auto& [name, setting] : options.columns) {
    if (setting.type && facts(*setting.type).raw) types[name] = *facts(*setting.type).raw;
    if (setting.role == Role::weight) types[name] = RawType::numeric;
    if (setting.role == Role::id) types[name] = RawType::text;
  }
  if (!options.weight.empty()) types[options.weight] = RawType::numeric;
  for (const std::string& name : options.ids) types[name] = RawType::text;
  return types;
}

std::string to_string(Role role) {
  return std::string(
      std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& one) { return one.first == role; })->second);
}
std::string to_string(ColumnType type) {
  return std::string(facts(type).name);
}
std::optional<Role> parse_role(std::string_view name) {
  for (const auto& [role, spelling] : kRoles)
    if (spelling == name) return role;
  return std::nullopt;
}
std::optional<ColumnType> parse_column_type(std::string_view name) {
  for (const ColumnType type : kColumnTypes)
    if (facts(type).name == name) return type;
  return std::nullopt;
}
std::vector<std::string> role_names() {
  std::vector<std::string> names;
  for (const auto& one : kRoles) names.emplace_back(one.second);
  return names;
}
std::vector<std::string> column_type_names() {
  std::vector<std::string> names;
  for (const ColumnType type : kColumnTypes) names.push_back(to_string(type));
  return names;
}

}  // namespace bl
