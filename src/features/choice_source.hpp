// What reading wide and long files of choices has in common. Used by choice_data.cpp, choice_wide.cpp and
// choice_long.cpp alone.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "features/choice_data.hpp"

namespace bl {

// Cells of a column as dense codes: 0, 1, ... for the names given, or in order of first appearance.
class CellCodes {
 public:
  explicit CellCodes(const Column& column) : column_(&column) {}
  // Only these names have codes.
  CellCodes(const Column& column, const std::vector<std::string>& names);
  // kMissingCode for a cell that is missing, or whose name has no code.
  std::int32_t operator()(Index row);
  std::int32_t count() const { return next_; }

 private:
  const Column* column_;
  bool fixed_ = false;
  std::int32_t next_ = 0;
  std::unordered_map<std::string, std::int32_t> codes_;
  std::unordered_map<double, std::int32_t> numbers_;
  std::vector<std::int32_t> levels_;  // text columns: code per level
};

struct ChoiceSource {
  const Table* table;
  const ChoiceSchema* schema;
  std::vector<Column> derived;
  std::vector<Index> rows;  // kept by the filter

  // Where choices are not needed and the file has no column of them, the parts of the filter that read it do
  // not count.
  ChoiceSource(const Table& table, const ChoiceSchema& schema, bool need_choice = true);
  const Column& column(const std::string& name) const;
  bool has_column(const std::string& name) const;
  bool reads_absent_choice(const Expression& expression) const;
  std::vector<double> evaluate(const Expression& expression) const {
    return expression.evaluate(*table, derived);
  }
  [[noreturn]] void fail(Index row, const std::string& message) const;
};

// These columns and rows alone.
Table gather(const Table& table, const std::vector<const Column*>& columns, const std::vector<Index>& rows);

// The columns that say what was chosen.
std::vector<std::string> columns_of_choice(const ChoiceSchema& schema);

// Fills everything but weights, persons and context.
ChoiceData read_wide_choices(const ChoiceSource& source, bool need_choice);
ChoiceData read_long_choices(const ChoiceSource& source, bool need_choice);

}  // namespace bl
