// A table in memory, column by column: numbers as doubles (NaN where missing) or text as codes into a list of
// levels (kMissingCode where missing). Every row knows the line of the file it came from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "data/column_numbers.hpp"

namespace bl {

// How the cells of a column were read, before anyone says what they mean.
enum class RawType { numeric, text };

inline constexpr std::int32_t kMissingCode = -1;

struct Column {
  std::string name;
  RawType raw = RawType::numeric;
  ColumnNumbers numbers;              // numeric columns: one per row
  AlignedVector<std::int32_t> codes;  // text columns: one per row, an index into levels or kMissingCode
  std::vector<std::string>
      levels;            // text columns: distinct values in order of first appearance (ARFF: declared)
  bool ordered = false;  // text columns: levels are declared in their order, lowest first

  bool missing(Index row) const;
  // Of a text column: the cell, which must not be missing.
  std::string_view text(Index row) const {
    return levels[static_cast<std::size_t>(codes[static_cast<std::size_t>(row)])];
  }
  // The cell as text: numbers in their shortest exact spelling, empty where missing.
  std::string cell_text(Index row) const;
};

// One line number per row. Rows usually stand on consecutive lines, so only the jumps are stored.
class LineNumbers {
 public:
  void append(std::int64_t line);
  std::int64_t operator[](Index row) const;

 private:
  std::vector<std::pair<Index, std::int64_t>> runs_;  // first row of a run, its line
  Index rows_ = 0;
};

// Rows are images, a column for each pixel, row by row of the image.
struct ImageShape {
  Index height = 0, width = 0;
  bool operator==(const ImageShape&) const = default;
};
inline constexpr const char* kImageLabel = "label";  // the column of labels beside them
// Where a column stands in the image: "pixel_17" -> 17; -1 for other columns.
Index pixel_of(std::string_view column);

struct Table {
  std::string source;  // file name for messages
  std::vector<Column> columns;
  LineNumbers lines;
  Index rows = 0;
  std::optional<ImageShape> image = {};

  const Column* find(std::string_view name) const;
  // DataError naming the nearest column when there is none of this name.
  const Column& column(std::string_view name) const;
  std::vector<std::string> names() const;
  // "data.csv:12", to start a message about a row.
  std::string place(Index row) const;
};

// Dense codes 0, 1, ... of the column's distinct values in order of first appearance, for splits by class or
// by group. A missing value is a DataError that names its line.
std::vector<std::int32_t> category_codes(const Table& table, const Column& column);

// 16 hexadecimal digits that depend on column names, types and values, and on the order of columns and rows,
// but not on file names, line numbers or the order of unused levels.
std::string table_digest(const Table& table);

}  // namespace bl
