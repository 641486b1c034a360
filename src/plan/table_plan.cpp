#include "plan/table_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"
#include "data/category_codes.hpp"
#include "features/column_kind.hpp"
#include "features/schema_toml.hpp"
#include "features/shared_encoder.hpp"
#include "plan/curve_plan.hpp"

namespace bl {

namespace {

constexpr std::size_t kLargestSchemaFile = 64U << 20;

RoleOptions role_options(const Settings& settings) {
  RoleOptions options;
  options.targets = split_list(settings.target);
  options.weight = settings.weight;
  options.group = settings.group;
  options.ids = split_list(settings.id);
  options.ignore = split_list(settings.ignore);
  if (!settings.schema.empty())
    options.columns = read_schema_toml(read_whole_file(settings.schema, kLargestSchemaFile), settings.schema);
  for (const std::string& name : split_list(settings.continuous))
    options.columns[name].type = ColumnType::continuous;
  for (const std::string& name : split_list(settings.nominal))
    options.columns[name].type = ColumnType::nominal;
  for (const std::string& name : split_list(settings.text)) options.columns[name].type = ColumnType::text;
  return options;
}

char delimiter_of(const std::string& text) {
  if (text == "auto") return '\0';
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1) return text[0];
  throw UsageError(fmt::format("`delimiter` = {}: expected auto, comma, semicolon, tab or one character",
                               in_quotes(text)));
}

// The class response to stratify by; null where there is none.
const SchemaColumn* class_response(const Schema& schema) {
  for (const SchemaColumn* column : schema.with_role(Role::response))
    if (facts(column->type).levels) return column;
  return nullptr;
}

SplitKind split_kind(const Settings& settings, bool has_groups) {
  const std::string& kind = settings.split;
  if (kind == "group" || (kind == "auto" && has_groups)) return SplitKind::group;
  return kind == "stratified" ? SplitKind::stratified
         : kind == "order"    ? SplitKind::order
                              : SplitKind::random;
}

Split cut(Index rows, SplitKind kind, const Settings& settings, const std::vector<std::int32_t>& labels,
          const std::string& source) {
  try {
    return split_rows(rows,
                      {.kind = kind,
                       .fractions = split_fractions(settings.fractions),
                       .seed = static_cast<std::uint64_t>(settings.seed)},
                      labels);
  } catch (const DataError& error) {
    throw DataError(source + ": " + error.what());
  }
}

}  // namespace

std::array<double, 3> split_fractions(const std::string& text) {
  const auto parts = split_list(text, ':');
  std::array<double, 3> fractions{};
  bool good = parts.size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    fractions[i] = number_of<double>(parts[i]).value_or(-1);
    good = fractions[i] >= 0 && std::isfinite(fractions[i]);
  }
  if (!good || !(fractions[0] > 0))
    throw UsageError(
        fmt::format("`fractions` = {}: expected three numbers, for example 7:1:2; none may be negative, and "
                    "the share of training rows must be positive",
                    in_quotes(text)));
  return fractions;
}

ReadOptions read_options(const Settings& settings) {
  ReadOptions options;
  options.delimiter = delimiter_of(settings.delimiter);
  options.decimal_comma = settings.decimal_comma;
  options.labels = settings.labels;
  for (const std::string& cell : split_list(settings.na)) options.missing.push_back(cell);
  options.types = declared_types(role_options(settings));
  return options;
}

namespace {

EncodeOptions plain_encode_options(const Settings& settings, const Schema& schema) {
  EncodeOptions options;
  options.missing = settings.missing == "error" ? MissingPolicy::error : MissingPolicy::impute;
  options.unseen = settings.unseen == "error" ? UnseenPolicy::error : UnseenPolicy::missing;
  options.reference_levels =
      settings.identifiable || settings.starts > 0;  // fits whose coefficients are read
  options.outliers = settings.outliers == "robust" ? Outliers::robust : Outliers::plain;
  options.curves = curve_options(settings, schema, column_settings(settings));
  options.text = {.ngrams = static_cast<int>(settings.text_ngrams),
                  .vocabulary = static_cast<Index>(settings.text_vocabulary),
                  .components = static_cast<Index>(settings.text_components)};
  return options;
}

}  // namespace

ColumnSettings column_settings(const Settings& settings) {
  return role_options(settings).columns;
}

EncodeOptions encode_options(const Settings& settings, const Schema& schema) {
  EncodeOptions options = plain_encode_options(settings, schema);
  if (settings.outliers == "auto" && !coefficients_are_read(settings)) options.outliers = Outliers::robust;
  return options;
}

EncodeOptions choice_encode_options(const Settings& settings, const Schema& schema) {
  EncodeOptions options = plain_encode_options(settings, schema);
  if (!options.curves.products.empty())
    throw UsageError("products of curves are for tables; leave them out of `curves` for choices");
  for (const auto& [name, shape] : options.curves.shapes)
    if (shape.direction != 0 || shape.kind == CurveKind::periodic || shape.kind == CurveKind::step)
      throw UsageError(
          fmt::format("the curve of {}: periodic curves, steps and directions are for tables; an attribute "
                      "of choices has "
                      "a sign in the choice schema",
                      in_quotes(name)));
  return options;
}

Schema plan_schema(const Table& table, const Settings& settings, const WholeColumn& whole) {
  RoleOptions options = role_options(settings);
  if (settings.target.empty() && settings.schema.empty() && (table.image || !settings.labels.empty()) &&
      table.find(kImageLabel))
    options.targets = {kImageLabel};
  Schema schema = infer_schema(table, options, whole);
  if (!schema.with_role(Role::response).empty()) return schema;
  for (SchemaColumn& column : schema.columns) {
    if (column.role != Role::feature) continue;
    column.role = Role::response;
    if (!facts(column.type).single_values()) column.type = ColumnType::nominal;
  }
  return schema;
}

std::vector<Index> rows_with_responses(const Table& table, const Schema& schema, std::vector<Index> rows) {
  const bool given = !rows.empty();
  std::vector<std::string> names;
  for (const SchemaColumn* response : schema.with_role(Role::response)) names.push_back(response->name);
  for (const std::string& name : names)
    if (const Column* column = table.find(name))
      std::erase_if(rows, [&](Index row) { return column->missing(row); });
  if (given && rows.empty())
    throw DataError(
        fmt::format("{}: no row has a value in {}, the response; fill in its cells or name another column",
                    table.source, quoted_list(names)));
  return rows;
}

Split plan_split(const Table& table, const Schema& schema, const Settings& settings) {
  const auto groups = schema.with_role(Role::group);
  const SchemaColumn* classes = class_response(schema);
  const SplitKind kind = split_kind(settings, !groups.empty());
  const Column* labels = nullptr;
  if (kind == SplitKind::group) {
    if (groups.empty()) throw UsageError("`split` = 'group' needs a group column; name it with `group`");
    labels = &table.column(groups[0]->name);
  } else if (kind == SplitKind::stratified) {
    if (!classes) throw UsageError("`split` = 'stratified' needs a class response; use random");
    labels = &table.column(classes->name);
  }
  std::vector<Index> rows = all_rows(table.rows);
  if (settings.missing != "error") rows = rows_with_responses(table, schema, std::move(rows));
  Split split =
      cut(static_cast<Index>(rows.size()), kind, settings,
          labels ? category_codes(table, *labels, rows) : std::vector<std::int32_t>{}, table.source);
  for (std::vector<Index>* part : {&split.train, &split.validation, &split.test})
    for (Index& row : *part) row = rows[static_cast<std::size_t>(row)];
  return split;
}

Split plan_split(Index situations, const std::vector<std::int32_t>& persons, const Settings& settings,
                 const std::string& source) {
  const SplitKind kind = split_kind(settings, !persons.empty());
  if (kind == SplitKind::group && persons.empty())
    throw UsageError("`split` = 'group' needs a person in the choice schema's [data]");
  if (kind == SplitKind::stratified)
    throw UsageError("`split` = 'stratified' has no meaning for choices; use group, random or order");
  return cut(situations, kind, settings, kind == SplitKind::group ? persons : std::vector<std::int32_t>{},
             source);
}

std::vector<std::vector<Index>> plan_folds(const Table& table, const Schema& schema, const Settings& settings,
                                           std::span<const Index> rows, Index count) {
  const auto groups = schema.with_role(Role::group);
  const SplitKind kind = split_kind(settings, !groups.empty());
  // Units that stay together: groups or single rows, in random order or in that of the table.
  std::vector<std::vector<Index>> units;
  if (kind == SplitKind::group && !groups.empty()) {
    const std::vector<std::int32_t> codes = category_codes(table, table.column(groups[0]->name));
    std::map<std::int32_t, std::vector<Index>> by_code;
    for (const Index row : rows) by_code[codes[static_cast<std::size_t>(row)]].push_back(row);
    for (auto& [code, members] : by_code) units.push_back(std::move(members));
  } else {
    for (const Index row : rows) units.push_back({row});
  }
  const auto all = static_cast<Index>(units.size());
  if (count < 2 || all < count) return {};
  std::vector<std::int64_t> order(units.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  constexpr std::uint32_t kFolds = 1;
  if (kind != SplitKind::order)
    shuffled_order(RandomStream(static_cast<std::uint64_t>(settings.seed), Purpose::split, kFolds), order);
  std::vector<std::vector<Index>> folds(static_cast<std::size_t>(count));
  for (Index i = 0; i < all; ++i) {
    const std::vector<Index>& unit = units[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    std::vector<Index>& fold = folds[static_cast<std::size_t>(i * count / all)];
    fold.insert(fold.end(), unit.begin(), unit.end());
  }
  for (std::vector<Index>& fold : folds) std::sort(fold.begin(), fold.end());
  return folds;
}

std::vector<Index> rows_of_all_parts(const Split& split) {
  std::vector<Index> rows = split.train;
  for (const std::vector<Index>* part : {&split.validation, &split.test})
    rows.insert(rows.end(), part->begin(), part->end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

const std::vector<Index>& rows_of(const Split& split, Part part) {
  return part == Part::train ? split.train : part == Part::validation ? split.validation : split.test;
}

Settings without_test_part(const Settings& settings, const Schema& schema) {
  Settings out = settings;
  if (!out.fractions.given()) out.fractions = "7:1:0";
  if (out.split == "auto" && schema.with_role(Role::group).empty() && class_response(schema))
    out.split = "stratified";
  return out;
}

Split given_split(const std::vector<Part>& parts, Index rows) {
  if (static_cast<Index>(parts.size()) != rows)
    throw UsageError(fmt::format("{} parts are given for {} rows; give one per row", parts.size(), rows));
  Split split;
  for (Index row = 0; row < rows; ++row) {
    const Part part = parts[static_cast<std::size_t>(row)];
    if (part == Part::all) continue;
    (part == Part::validation ? split.validation
     : part == Part::test     ? split.test
                              : split.train)
        .push_back(row);
  }
  if (split.train.empty()) throw UsageError("no row is given for training");
  return split;
}

}  // namespace bl
