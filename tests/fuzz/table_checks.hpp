// What must hold for every table that a reader hands out, whatever the file was.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "data/table.hpp"

namespace bl::fuzz {

inline void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

inline void check_column(const Column& column, Index rows) {
  const auto count = static_cast<std::size_t>(rows);
  const bool numeric = column.raw == RawType::numeric;
  require(is_utf8(column.name), "a column name is not UTF-8");
  require(column.numbers.size() == (numeric ? count : 0), "wrong number of numbers");
  require(column.codes.size() == (numeric ? 0 : count), "wrong number of codes");
  for (const double value : column.numbers) require(!std::isinf(value), "an infinite number");
  for (const std::int32_t code : column.codes) {
    require(code >= kMissingCode && code < static_cast<std::int32_t>(column.levels.size()),
            "a code without level");
  }
  for (const std::string& level : column.levels) require(is_utf8(level), "a level is not UTF-8");
}

inline void check_table(const Table& table) {
  require(table.rows > 0, "a table without rows");
  require(!table.columns.empty(), "a table without columns");
  for (const Column& column : table.columns) check_column(column, table.rows);
  for (Index row = 1; row < table.rows; ++row)
    require(table.lines[row] > table.lines[row - 1], "lines go back");
}

// Reads the bytes as a file of the given name; 0 for libFuzzer.
inline int read_and_check(const std::uint8_t* data, std::size_t size, const char* name,
                          const ReadOptions& options) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Table table = read_table_from_memory(bytes, name, options);
    check_table(table);
    require(table_digest(table) == table_digest(read_table_from_memory(bytes, name, options)),
            "two readings differ");
  } catch (const Error& error) {
    require(is_utf8(error.what()), "a message is not UTF-8");
    require(std::string_view(error.what()).find(name) != std::string_view::npos,
            "a message without file name");
  }
  return 0;
}

}  // namespace bl::fuzz
