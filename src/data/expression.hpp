// Small formulas over the columns of a table, for derived columns and row filters:
//
//   TRAIN_CO * (GA == 0) / 100            PURPOSE in (1, 3) and CHOICE != 0
//
// Numbers, 'texts' (also in "double quotes"), columns (`any name` in backquotes), + - * / ^, unary minus, ==
// != < <= > >=, in (...), not in (...), and, or, not, parentheses, and log exp sqrt abs min max and boxcox(x,
// l), which is (x ^ l - 1) / l, or log(x) where l is 0. A comparison is 1 or 0, and any number but 0 is true.
// Missing values stay missing, except where the other side decides (0 and missing is 0). A result that is no
// finite number (1 / 0, log of -1) is missing as well. A text column can only be compared with texts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/table.hpp"

namespace bl {

struct ExpressionNode;

class Expression {
 public:
  // UsageError with the expression and a mark under the place where it stops making sense.
  static Expression parse(const std::string& text);

  // One number per row, NaN where missing. Columns are looked for among `derived` first. DataError for a
  // column that is nowhere (with the nearest name), UsageError where a text stands for a number.
  std::vector<double> evaluate(const Table& table, std::span<const Column> derived = {}) const;

  // Its derivative where the columns `of` move with these slopes and all others stand still. Comparisons
  // stand still; at a kink of abs, min or max it is the mean of both sides. Infinite where the slope is.
  std::vector<double> slope(const Table& table, std::span<const Column> of) const;

  const std::string& text() const { return text_; }
  // Names of the columns it reads, each once, in order of appearance.
  std::vector<std::string> columns() const;

 private:
  std::string text_;
  std::shared_ptr<const ExpressionNode> root_;
};

// The rows for which the filter is true, ascending; a missing result is not.
std::vector<Index> rows_where(const Expression& filter, const Table& table,
                              std::span<const Column> derived = {});

}  // namespace bl
