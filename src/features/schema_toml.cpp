#include "features/schema_toml.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "bl/errors.hpp"
#include "data/column_index.hpp"

namespace bl {

namespace {

constexpr std::size_t kLevelsShown = 6;

constexpr std::string_view kIntroduction =
    "# What the columns mean. Edit and pass this file; lines that are left out are inferred from the data.\n"
    "# role: feature, response, ignore, weight, group (rows that belong together), id (carried along)\n"
    "# type: continuous, nominal, ordinal (with levels = [...] in order, lowest first), text (sentences)\n"
    "# curve: linear, cubic, periodic (with period = ...), step; knots = [...]; direction: increasing, "
    "decreasing\n"
    "\n[columns]\n";

class SchemaFile {
 public:
  explicit SchemaFile(const std::string& name) : name_(name) {}

  ColumnSettings read(std::string_view text) const {
    const toml::table root = parse_toml(text, name_);
    static const std::vector<std::string> kKeys = {"columns"};
    ColumnSettings settings;
    for (const auto& [key, node] : root) {
      if (key != "columns")
        fail(node, "unknown key " + in_quotes(key.str()) + did_you_mean(key.str(), kKeys));
      const toml::table* columns = node.as_table();
      if (columns == nullptr) fail(node, "'columns' must be a table: [columns]");
      for (const auto& [column, entry] : *columns) {
        settings.emplace(std::string(column.str()), read_column(std::string(column.str()), entry));
      }
    }
    return settings;
  }

 private:
  ColumnSetting read_column(const std::string& column, const toml::node& node) const {
    static const std::vector<std::string> kKeys = {"role",  "type",   "levels",    "curve",
                                                   "knots", "period", "direction", "class"};
    const toml::table* entries = node.as_table();
    if (entries == nullptr)
      fail(node, "column " + in_quotes(column) + R"( needs { role = "...", type = "..." })");
    ColumnSetting setting;
    for (const auto& [key, value] : *entries) {
      if (key == "role") {
        setting.role = one_of(column, key.str(), value, parse_role, role_names());
      } else if (key == "type") {
        setting.type = one_of(column, key.str(), value, parse_column_type, column_type_names());
      } else if (key == "levels") {
        setting.levels = read_levels(column, value);
      } else if (!read_curve(column, key.str(), value, setting)) {
        fail(value, "column " + in_quotes(column) + ": unknown key " + in_quotes(key.str()) +
                        did_you_mean(key.str(), kKeys));
      }
    }
    return setting;
  }

  // What is said about the column's curve; false for another key.
  bool read_curve(const std::string& column, std::string_view key, const toml::node& value,
                  ColumnSetting& setting) const {
    CurveShape shape = setting.curve.value_or(CurveShape{});
    if (key == "curve")
      shape.kind = *one_of(column, key, value, parse_curve_kind, curve_kind_names());
    else if (key == "period")
      shape.period = number(column, key, value);
    else if (key == "knots")
      shape.knots = numbers(column, value);
    else if (key == "direction")
      shape.direction = *one_of(column, key, value, parse_direction, {"increasing", "decreasing"});
    else if (key == "class")
      shape.toward = level_text(column, value);
    else
      return false;
    setting.curve = std::move(shape);
    return true;
  }

  static std::optional<int> parse_direction(std::string_view name) {
    if (name == "increasing") return 1;
    return name == "decreasing" ? std::optional(-1) : std::nullopt;
  }

  double number(const std::string& column, std::string_view key, const toml::node& node) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value))
      fail(node, "column " + in_quotes(column) + ": " + std::string(key) + " must be a number");
    return *value;
  }

  std::vector<double> numbers(const std::string& column, const toml::node& node) const {
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node, "column " + in_quotes(column) + ": knots must be a list: [20, 40, 60]");
    std::vector<double> out;
    for (const toml::node& one : *array) out.push_back(number(column, "a knot", one));
    return out;
  }

  template <class Parse>
  std::invoke_result_t<const Parse&, std::string_view> one_of(const std::string& column, std::string_view key,
                                                              const toml::node& node, const Parse& parse,
                                                              const std::vector<std::string>& valid) const {
    const auto text = node.value_exact<std::string>();
    const auto value = text ? parse(*text) : std::nullopt;
    if (!value) {
      const std::string given = text ? in_quotes(*text) : "this value";
      fail(node, "column " + in_quotes(column) + ": " + given + " is not a " + std::string(key) +
                     "; it can be " + quoted_list(valid) + (text ? did_you_mean(*text, valid) : ""));
    }
    return value;
  }

  std::vector<std::string> read_levels(const std::string& column, const toml::node& node) const {
    const toml::array* array = node.as_array();
    if (array == nullptr)
      fail(node, "column " + in_quotes(column) + R"(: levels must be a list: ["low", "high"])");
    std::vector<std::string> levels;
    for (const toml::node& level : *array) levels.push_back(level_text(column, level));
    return levels;
  }

  std::string level_text(const std::string& column, const toml::node& level) const {
    if (const auto text = level.value_exact<std::string>()) return *text;
    if (const auto number = level.is_number() ? level.value<double>() : std::nullopt)
      return format_number(*number);
    fail(level, "column " + in_quotes(column) + ": a level must be text or a number");
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw UsageError(name_ + ":" + std::to_string(node.source().begin.line) + ": " + message);
  }

  const std::string& name_;
};

std::string toml_key(const std::string& name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? name : toml_text(name);
}

std::string describe(const Column& column) {
  std::string text;
  std::size_t missing = 0;
  if (column.raw == RawType::numeric) {
    double low = INFINITY, high = -INFINITY;
    for (const double value : column.numbers) {
      missing += std::isnan(value);
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
    if (low <= high) text = format_number(low) + " to " + format_number(high);
  } else {
    missing = static_cast<std::size_t>(std::count(column.codes.begin(), column.codes.end(), kMissingCode));
    const std::size_t shown = std::min(kLevelsShown, column.levels.size());
    for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + in_quotes(column.levels[i]);
    if (shown < column.levels.size())
      text += " and " + std::to_string(column.levels.size() - shown) + " more";
  }
  if (missing > 0) text += (text.empty() ? "" : "; ") + std::to_string(missing) + " missing";
  return text;
}

}  // namespace

ColumnSettings read_schema_toml(std::string_view text, const std::string& name) {
  return SchemaFile(name).read(text);
}

std::string write_schema_toml(const Schema& schema, const Table& table) {
  std::string out(kIntroduction);
  const ColumnIndex index(table);
  for (const SchemaColumn& column : schema.columns) {
    out += toml_key(column.name) + " = { role = \"" + to_string(column.role) + "\", type = \"" +
           to_string(column.type) + "\"";
    if (!column.levels.empty()) out += ", levels = [" + joined(column.levels, ", ", toml_text) + "]";
    out += " }";
    const Column* data = index.find(column.name);
    const std::string comment = data != nullptr ? describe(*data) : "";
    out += comment.empty() ? "\n" : "  # " + comment + "\n";
  }
  return out;
}

}  // namespace bl
