#include "economics/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/expression.hpp"

namespace bl {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

double combined(char operation, double old, double value) {
  switch (operation) {
    case '+':
      return old + value;
    case '-':
      return old - value;
    case '*':
      return old * value;
    case '/':
      return old / value;
    default:
      return value;
  }
}

void set_level(Column& column, const Assignment& assignment) {
  const std::string& text = assignment.expression;
  const bool quoted =
      text.size() >= 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
  if (assignment.operation != '=' || !quoted)
    throw UsageError(fmt::format("{} holds texts: it can only be set to one, as in {} = 'level'",
                                 in_quotes(column.name), column.name));
  const std::string level = text.substr(1, text.size() - 2);
  auto at = std::find(column.levels.begin(), column.levels.end(), level);
  if (at == column.levels.end()) at = column.levels.insert(at, level);
  std::fill(column.codes.begin(), column.codes.end(), static_cast<std::int32_t>(at - column.levels.begin()));
}

}  // namespace

Assignment Assignment::parse(const std::string& text) {
  const auto refuse = [&] {
    throw UsageError(
        fmt::format("{}: expected column = expression, or += -= *= /=, for example "
                    "price *= 1.1",
                    in_quotes(text)));
  };
  const std::string whole = trimmed(text);
  const bool backquoted = whole.starts_with('`');
  const std::size_t close = backquoted ? whole.find('`', 1) : 0;
  if (close == std::string::npos) refuse();
  const std::size_t equals = whole.find('=', close);
  if (equals == std::string::npos || equals == 0) refuse();
  if (equals + 1 < whole.size() && whole[equals + 1] == '=') refuse();
  Assignment out;
  const char before = whole[equals - 1];
  const bool compound = std::string("+-*/").find(before) != std::string::npos;
  if (compound) out.operation = before;
  out.column = trimmed(whole.substr(0, equals - (compound ? 1 : 0)));
  if (backquoted) {
    if (close + 1 != out.column.size()) refuse();
    out.column = out.column.substr(1, close - 1);
  }
  out.expression = trimmed(whole.substr(equals + 1));
  if (out.column.empty() || out.expression.empty()) refuse();
  return out;
}

void Assignment::apply(Table& table) const {
  static_cast<void>(table.column(column));  // DataError with the nearest name
  Column& target = *std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const Column& one) { return one.name == column; });
  if (target.raw == RawType::text) {
    set_level(target, *this);
    return;
  }
  const std::vector<double> values = Expression::parse(expression).evaluate(table);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = combined(operation, target.numbers[i], values[i]);
    const bool was_missing = std::isnan(target.numbers[i]);
    if (!was_missing && !std::isfinite(value))
      throw DataError(fmt::format("{}: column {} becomes something that is not a number",
                                  table.place(static_cast<Index>(i)), in_quotes(column)));
    target.numbers[i] = value;
  }
}

}  // namespace bl
