#include "bl/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "api/impl.hpp"
#include "api/table_plan.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/schema_toml.hpp"

namespace bl {

Data Data::read(const std::string& path, const Settings& settings) {
  const SpillScope scope(settings.out_of_core);
  return Data(std::make_shared<Impl>(Impl{read_table(path, read_options(settings))}));
}

Data Data::from_columns(const std::vector<Column>& columns, const std::string& name) {
  Table table;
  table.source = name;
  for (const Column& given : columns) {
    if (table.find(given.name) != nullptr)
      throw DataError(name + ": two columns are named '" + given.name + "'");
    bl::Column column;
    column.name = given.name;
    const bool text = !given.texts.empty();
    const std::size_t size = text ? given.texts.size() : given.numbers.size();
    if (&given != &columns.front() && static_cast<Index>(size) != table.rows)
      throw DataError("column '" + given.name + "' has " + std::to_string(size) +
                      " rows, the first column has " + std::to_string(table.rows));
    table.rows = static_cast<Index>(size);
    column.raw = text ? RawType::text : RawType::numeric;
    column.numbers.assign(given.numbers.begin(), given.numbers.end());
    for (const double number : column.numbers)
      if (std::isinf(number)) throw DataError("column '" + given.name + "' holds an infinite value");
    std::map<std::string, std::int32_t> codes;
    for (const auto& cell : given.texts) {
      if (!cell) {
        column.codes.push_back(kMissingCode);
        continue;
      }
      const auto [found, is_new] = codes.try_emplace(*cell, static_cast<std::int32_t>(codes.size()));
      if (is_new) column.levels.push_back(*cell);
      column.codes.push_back(found->second);
    }
    table.columns.push_back(std::move(column));
  }
  if (table.rows == 0) throw DataError(name + ": there are no rows");
  for (Index i = 0; i < table.rows; ++i) table.lines.append(i + 1);
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
  std::vector<ColumnSummary> summaries;
  for (const bl::Column& column : impl_->table.columns) {
    ColumnSummary summary{.name = column.name,
                          .numeric = column.raw == RawType::numeric,
                          .missing = 0,
                          .distinct = column.levels.size(),
                          .lowest = std::numeric_limits<double>::infinity(),
                          .highest = -std::numeric_limits<double>::infinity()};
    for (Index i = 0; i < impl_->table.rows; ++i) {
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
