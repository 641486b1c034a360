#include "data/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/category_codes.hpp"
#include "data/table_hash.hpp"

namespace bl {

bool Column::missing(Index row) const {
  const auto i = static_cast<std::size_t>(row);
  return raw == RawType::numeric ? std::isnan(numbers[i]) : codes[i] == kMissingCode;
}

std::string Column::cell_text(Index row) const {
  if (missing(row)) return "";
  const auto i = static_cast<std::size_t>(row);
  return raw == RawType::numeric ? format_number(numbers[i]) : levels[static_cast<std::size_t>(codes[i])];
}

Index pixel_of(std::string_view column) {
  constexpr std::string_view kPrefix = "pixel_";
  Index pixel = -1;
  if (!column.starts_with(kPrefix)) return -1;
  const char* end = column.data() + column.size();
  const auto [stopped, error] = std::from_chars(column.data() + kPrefix.size(), end, pixel);
  return error == std::errc() && stopped == end ? pixel : -1;
}

void LineNumbers::append(std::int64_t line) {
  if (runs_.empty() || runs_.back().second + (rows_ - runs_.back().first) != line) {
    runs_.emplace_back(rows_, line);
  }
  ++rows_;
}

std::int64_t LineNumbers::operator[](Index row) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), row,
                                      [](Index value, const auto& run) { return value < run.first; });
  const auto& run = *std::prev(after);
  return run.second + (row - run.first);
}

const Column* Table::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const Column& Table::column(std::string_view name) const {
  if (const Column* found = find(name)) return *found;
  const auto valid = names();
  throw DataError(source + ": there is no column " + in_quotes(name) + " among " + quoted_list(valid) +
                  did_you_mean(name, valid));
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.name);
  return result;
}

std::string Table::place(Index row) const {
  return source + ":" + std::to_string(lines[row]);
}

std::vector<std::int32_t> category_codes(const Table& table, const Column& column) {
  std::vector<Index> rows(static_cast<std::size_t>(table.rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  return category_codes(table, column, rows);
}

std::vector<std::int32_t> category_codes(const Table& table, const Column& column,
                                         std::span<const Index> rows) {
  std::vector<std::int32_t> result;
  result.reserve(rows.size());
  std::vector<std::int32_t> text_code(column.levels.size(), kMissingCode);
  std::unordered_map<double, std::int32_t> number_code;
  std::int32_t next = 0;
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    if (column.missing(row)) {
      throw DataError(table.place(row) + ": column " + in_quotes(column.name) +
                      ": the value is missing, but every row needs one here; fill it in or remove the row");
    }
    std::int32_t& code = column.raw == RawType::text
                             ? text_code[static_cast<std::size_t>(column.codes[i])]
                             : number_code.try_emplace(column.numbers[i], kMissingCode).first->second;
    if (code == kMissingCode) code = next++;
    result.push_back(code);
  }
  return result;
}

std::string table_digest(const Table& table) {
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(table.rows));
  for (const Column& column : table.columns) {
    add_name(column, hash);
    add_values(column, hash);
  }
  return digest_text(hash);
}

}  // namespace bl
