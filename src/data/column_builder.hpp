// From cells to typed columns, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/number.hpp"
#include "data/read_options.hpp"
#include "data/table.hpp"

namespace bl {

// Distinct texts numbered in order of first appearance; the texts are stored once.
class LevelList {
 public:
  // The code of the text; -1 when it is new and adding is not allowed.
  std::int32_t code(std::string_view text, bool may_add = true);
  std::vector<std::string> take();
  std::size_t size() const { return levels_.size(); }

 private:
  void grow();

  std::vector<std::string> levels_;
  std::vector<std::int32_t> slots_;  // open addressing, -1 where free; the size is a power of two
};

// What is known about a column before its cells are read.
struct ColumnPlan {
  enum class Reading { skip, numeric, text, find_out };

  std::string name;
  Reading reading = Reading::find_out;
  std::vector<std::string> declared_levels;  // text: no other value is allowed, unless empty
};

// Rows that are read before the rest: most surprises show early, and a new start is cheap then.
inline constexpr Index kProbeRows = 1000;

// How the cells of a format are read.
struct CellRules {
  std::vector<std::string> missing;  // cells that count as missing
  bool decimal_comma = false;
};

// A plan per name: declared types, the others inferred (or skipped by a block-wise reader).
std::vector<ColumnPlan> plan_columns(std::span<const std::string> names, const ReadOptions& options,
                                     ColumnPlan::Reading undeclared);

// Collects rows for one table. A column to be inferred counts as numeric until a cell is no number; if
// numbers were seen before it, their spelling is gone and the rows have to be read again as text.
class TableBuilder {
 public:
  TableBuilder(std::string source, std::vector<ColumnPlan> plans, const CellRules& rules);

  // One cell per column, spaces around it removed.
  void add_row(std::span<const std::string_view> cells, std::int64_t line);
  // The same for rows that are numbers already (NaN: missing); every column must be numeric or skipped.
  void add_numbers(std::span<const double> values, std::int64_t line);

  // The rows that follow come from this file, one of several: messages name it. The lines of rows count those
  // of the files before it, too.
  void begin_file(const std::string& name, std::int64_t lines_before = 0) {
    source_ = name;
    lines_before_ = lines_before;
  }

  Index rows() const { return rows_; }
  // What each column has held so far.
  enum class Held : std::uint8_t { nothing, numbers, text };
  std::vector<Held> held() const;
  // The plans with which a second reading succeeds; empty when the rows read so far can stay.
  std::vector<ColumnPlan> revised_plans() const;
  // Checks what only the whole column can tell (infinite values) and hands the rows over as a table without
  // the skipped columns. The builder is ready for the next rows.
  Table take();

 private:
  struct Building {
    ColumnPlan plan;
    Column column;
    LevelList levels;
    bool numbers_seen = false;
    bool too_late = false;   // text after numbers in a column to be inferred
    std::string not_finite;  // what is said about the first infinite or NaN cell; empty: there was none
  };

  void start_columns();
  void spread_numbers();
  void add_cell(Building& building, std::string_view cell, std::int64_t line);
  void add_number(Building& building, std::string_view cell, std::int64_t line);
  void add_text(Building& building, std::string_view cell, std::int64_t line);
  std::string message_of(const Building& building, std::int64_t line, const std::string& what) const;
  [[noreturn]] void fail(const Building& building, std::int64_t line, const std::string& what) const;

  std::string source_;
  MissingTokens missing_;
  bool decimal_comma_;
  std::vector<Building> columns_;
  std::vector<double> waiting_;  // rows that are numbers, one after the other, on their way into the columns
  LineNumbers lines_;
  std::int64_t lines_before_ = 0;
  Index rows_ = 0;
};

}  // namespace bl
