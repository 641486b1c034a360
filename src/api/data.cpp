#include "bl/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "api/column_summaries.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/schema_toml.hpp"
#include "fitted/fitted_model.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

std::size_t size_of(const Data::Column& given) {
  return given.texts.size() + given.codes.size() + given.numbers.size() + given.borrowed.size();
}

void code_texts(const std::vector<std::optional<std::string>>& texts, Column& column) {
  std::unordered_map<std::string_view, std::int32_t> codes;
  column.codes.reserve(texts.size());
  for (const auto& cell : texts) {
    if (!cell) {
      column.codes.push_back(kMissingCode);
      continue;
    }
    const auto [found, is_new] = codes.try_emplace(*cell, static_cast<std::int32_t>(codes.size()));
    if (is_new) column.levels.push_back(*cell);
    column.codes.push_back(found->second);
  }
}

void check_codes(const Column& column) {
  const auto levels = static_cast<std::int32_t>(column.levels.size());
  for (const std::int32_t code : column.codes)
    if (code < kMissingCode || code >= levels)
      throw DataError("column '" + column.name + "' holds the code " + std::to_string(code) + ", but has " +
                      std::to_string(levels) + " levels");
  if (std::set<std::string>(column.levels.begin(), column.levels.end()).size() < column.levels.size())
    throw DataError("column '" + column.name + "' names a level twice");
}

Column column_of(Data::Column&& given) {
  Column column;
  column.name = std::move(given.name);
  const bool text = !given.texts.empty() || !given.codes.empty();
  column.raw = text ? RawType::text : RawType::numeric;
  if (!given.texts.empty()) {
    code_texts(given.texts, column);
  } else if (text) {
    column.codes.assign(given.codes.begin(), given.codes.end());
    column.levels = std::move(given.levels);
    column.ordered = given.ordered;
    check_codes(column);
  } else if (given.owner) {
    column.numbers = ColumnNumbers(given.borrowed, given.owner);
  } else {
    column.numbers = given.numbers;
  }
  for (const double number : column.numbers)
    if (std::isinf(number)) throw DataError("column '" + column.name + "' holds an infinite value (inf)");
  return column;
}

}  // namespace

Data Data::read(const std::string& path, const Settings& settings) {
  const SpillScope scope(settings.out_of_core);
  return Data(std::make_shared<Impl>(Impl{read_table(path, read_options(settings))}));
}

Data Data::from_columns(std::vector<Column> columns, const std::string& name) {
  Table table;
  table.source = name;
  std::unordered_set<std::string> names;
  for (Column& given : columns) {
    if (!names.insert(given.name).second)
      throw DataError(name + ": two columns are named '" + given.name + "'");
    const std::size_t size = size_of(given);
    if (&given != &columns.front() && static_cast<Index>(size) != table.rows)
      throw DataError("column '" + given.name + "' has " + std::to_string(size) +
                      " rows, the first column has " + std::to_string(table.rows));
    table.rows = static_cast<Index>(size);
    table.columns.push_back(column_of(std::move(given)));
  }
  if (table.rows == 0) throw DataError(name + ": there are no rows");
  for (Index i = 0; i < table.rows; ++i) table.lines.append(i);  // programs count from 0
  return Data(std::make_shared<Impl>(Impl{std::move(table)}));
}

std::size_t Data::rows() const {
  return static_cast<std::size_t>(impl_->table.rows);
}
const std::string& Data::source() const {
  return impl_->table.source;
}
std::string Data::digest() const {
  return table_digest(impl_->table);
}

std::vector<ColumnSummary> Data::columns() const {
  return column_summaries(impl_->table);
}

std::vector<ColumnSummary> column_summaries(const Table& table) {
  std::vector<ColumnSummary> summaries;
  for (const bl::Column& column : table.columns) {
    ColumnSummary summary{.name = column.name,
                          .numeric = column.raw == RawType::numeric,
                          .missing = 0,
                          .distinct = column.levels.size(),
                          .lowest = std::numeric_limits<double>::infinity(),
                          .highest = -std::numeric_limits<double>::infinity()};
    for (Index i = 0; i < table.rows; ++i) {
      if (column.missing(i)) {
        ++summary.missing;
      } else if (summary.numeric) {
        summary.lowest = std::min(summary.lowest, column.numbers[static_cast<std::size_t>(i)]);
        summary.highest = std::max(summary.highest, column.numbers[static_cast<std::size_t>(i)]);
      }
    }
    summaries.push_back(summary);
  }
  return summaries;
}

std::string schema_file(const Data& data, const Settings& settings) {
  return write_schema_toml(plan_schema(data.impl().table, settings), data.impl().table);
}

}  // namespace bl
