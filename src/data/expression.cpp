#include "data/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/expression_node.hpp"
#include "data/number.hpp"

namespace bl {

namespace {

using Kind = ExpressionNode::Kind;
using Operator = ExpressionNode::Operator;
using Numbers = std::vector<double>;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double truth(bool value) {
  return value ? 1.0 : 0.0;
}

double conjunction(double a, double b) {
  if (a == 0 || b == 0) return 0;
  return std::isnan(a) || std::isnan(b) ? kMissing : 1;
}

double disjunction(double a, double b) {
  if ((a != 0 && !std::isnan(a)) || (b != 0 && !std::isnan(b))) return 1;
  return std::isnan(a) || std::isnan(b) ? kMissing : 0;
}

double apply(Operator op, double a, double b) {
  if (op == Operator::both) return conjunction(a, b);
  if (op == Operator::either) return disjunction(a, b);
  if (std::isnan(a) || std::isnan(b)) return kMissing;
  switch (op) {
    case Operator::add:
      return a + b;
    case Operator::subtract:
      return a - b;
    case Operator::multiply:
      return a * b;
    case Operator::divide:
      return a / b;
    case Operator::power:
      return std::pow(a, b);
    case Operator::equal:
      return truth(a == b);
    case Operator::not_equal:
      return truth(a != b);
    case Operator::less:
      return truth(a < b);
    case Operator::less_equal:
      return truth(a <= b);
    case Operator::greater:
      return truth(a > b);
    default:
      return truth(a >= b);
  }
}

double box_cox(double x, double exponent) {
  if (!(x > 0) && !(x == 0 && exponent > 0)) return kMissing;
  const double logarithm = std::log(x);  // expm1 keeps digits where the exponent is near 0
  return exponent == 0 ? logarithm : std::expm1(exponent * logarithm) / exponent;
}

double apply(const std::string& function, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kMissing;
  if (function == "log") return std::log(a);
  if (function == "exp") return std::exp(a);
  if (function == "sqrt") return std::sqrt(a);
  if (function == "abs") return std::abs(a);
  if (function == "boxcox") return box_cox(a, b);
  return function == "min" ? std::min(a, b) : std::max(a, b);
}

void keep_finite(Numbers& values) {
  for (double& value : values)
    if (!std::isfinite(value)) value = kMissing;
}

// A product in which a slope of 0 stands still whatever it is multiplied by.
double times(double factor, double slope) {
  return slope == 0 ? 0 : factor * slope;
}

// d (a op b) where a and b move by da and db.
double slope_of(Operator op, double a, double b, double da, double db) {
  switch (op) {
    case Operator::add:
      return da + db;
    case Operator::subtract:
      return da - db;
    case Operator::multiply:
      return times(b, da) + times(a, db);
    case Operator::divide:
      return times(1 / b, da) - times(a / (b * b), db);
    case Operator::power:
      return times(b == 0 ? 0 : b * std::pow(a, b - 1), da) + times(std::pow(a, b) * std::log(a), db);
    default:
      return 0;
  }
}

double slope_of(const std::string& function, double a, double b, double da, double db) {
  if (function == "log") return times(1 / a, da);
  if (function == "exp") return times(std::exp(a), da);
  if (function == "sqrt") return times(0.5 / std::sqrt(a), da);
  if (function == "abs") return a > 0 ? da : a < 0 ? -da : 0;
  if (function == "boxcox") return times(std::pow(a, b - 1), da);
  if (a == b) return 0.5 * (da + db);
  return (function == "min") == (a < b) ? da : db;
}

class Evaluator {
 public:
  Evaluator(const std::string& expression, const Table& table, std::span<const Column> derived)
      : expression_(expression), table_(table), derived_(derived) {}

  Numbers numbers(const ExpressionNode& node) const {
    switch (node.kind) {
      case Kind::number:
        return Numbers(rows(), node.number);
      case Kind::text:
        fail(node, "a text can only be compared with a column of texts");
      case Kind::column: {
        const Column& column = find(node);
        if (column.raw == RawType::text)
          fail(node, "column " + in_quotes(node.text) + " holds texts" + stray_text(column) +
                         "; compare it with one, as in " + node.text + " == 'red'");
        return Numbers(column.numbers.begin(), column.numbers.end());
      }
      case Kind::binary:
        return binary(node);
      case Kind::in_list:
        return in_list(node);
      default:
        return function(node);
    }
  }

  // The derivative, where the columns `of` move with these slopes.
  Numbers slopes(const ExpressionNode& node, std::span<const Column> of) const {
    if (node.kind == Kind::column)
      for (const Column& column : of)
        if (column.name == node.text) return Numbers(column.numbers.begin(), column.numbers.end());
    if (node.kind != Kind::binary && node.kind != Kind::function) return Numbers(rows(), 0.0);
    if (compares(node)) return Numbers(rows(), 0.0);
    Numbers values = numbers(*node.children[0]), out = slopes(*node.children[0], of);
    if (node.children.size() == 1)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = slope_of(node.text, values[i], 0, out[i], 0);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      const Numbers other = numbers(*node.children[k]), moved = slopes(*node.children[k], of);
      const bool binary = node.kind == Kind::binary;
      if (node.text == "boxcox" && std::any_of(moved.begin(), moved.end(), [](double d) { return d != 0; }))
        fail(*node.children[k], "the exponent of boxcox may not depend on what is changed");
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = binary ? slope_of(node.op, values[i], other[i], out[i], moved[i])
                        : slope_of(node.text, values[i], other[i], out[i], moved[i]);
        values[i] = binary ? apply(node.op, values[i], other[i]) : apply(node.text, values[i], other[i]);
      }
    }
    return out;
  }

 private:
  static bool compares(const ExpressionNode& node) {
    return node.kind == Kind::binary && node.op > Operator::power;
  }

  // Where a column of numbers has one cell that is none, that cell and its line.
  std::string stray_text(const Column& column) const {
    std::vector<bool> number;
    for (const std::string& level : column.levels)
      number.push_back(parse_number(level, false).kind == NumberKind::finite);
    if (std::find(number.begin(), number.end(), true) == number.end()) return "";
    for (std::size_t i = 0; i < column.codes.size(); ++i)
      if (column.codes[i] != kMissingCode && !number[static_cast<std::size_t>(column.codes[i])])
        return ", such as " + in_quotes(column.cell_text(static_cast<Index>(i))) + " in " +
               table_.place(static_cast<Index>(i));
    return "";
  }

  std::size_t rows() const { return static_cast<std::size_t>(table_.rows); }

  [[noreturn]] void fail(const ExpressionNode& node, const std::string& message) const {
    fail_in_expression(expression_, node.place, message);
  }

  const Column& find(const ExpressionNode& node) const {
    for (const Column& column : derived_)
      if (column.name == node.text) return column;
    if (const Column* column = table_.find(node.text)) return *column;
    auto names = table_.names();
    for (const Column& column : derived_) names.push_back(column.name);
    throw DataError(table_.source + ": there is no column " + in_quotes(node.text) +
                    did_you_mean(node.text, names) + "\n  " + expression_ + "\n  " +
                    std::string(node.place, ' ') + "^");
  }

  bool is_text_column(const ExpressionNode& node) const {
    return node.kind == Kind::column && find(node).raw == RawType::text;
  }

  // 1 where the cell is this text.
  Numbers equals_text(const ExpressionNode& column_node, const ExpressionNode& text) const {
    if (!is_text_column(column_node)) fail(text, "a text can only be compared with a column of texts");
    const Column& column = find(column_node);
    const auto level = std::find(column.levels.begin(), column.levels.end(), text.text);
    const auto code = level == column.levels.end() ? column.levels.size()
                                                   : static_cast<std::size_t>(level - column.levels.begin());
    Numbers values(rows());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = column.codes[i] == kMissingCode ? kMissing
                                                  : truth(static_cast<std::size_t>(column.codes[i]) == code);
    return values;
  }

  Numbers binary(const ExpressionNode& node) const {
    const ExpressionNode *left = node.children[0].get(), *right = node.children[1].get();
    if (left->kind == Kind::text) std::swap(left, right);
    if (right->kind == Kind::text) {
      if (node.op != Operator::equal && node.op != Operator::not_equal)
        fail(node, "texts can only be compared by == and !=");
      Numbers values = equals_text(*left, *right);
      if (node.op == Operator::not_equal)
        for (double& value : values) value = 1 - value;
      return values;
    }
    Numbers values = numbers(*node.children[0]);
    const Numbers other = numbers(*node.children[1]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = apply(node.op, values[i], other[i]);
    keep_finite(values);
    return values;
  }

  Numbers in_list(const ExpressionNode& node) const {
    const ExpressionNode& left = *node.children[0];
    const bool texts = is_text_column(left);
    const Numbers values = texts ? Numbers() : numbers(left);
    Numbers result(rows(), 0.0);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      const ExpressionNode& item = *node.children[k];
      if (texts && item.kind != Kind::text)
        fail(item, "column " + in_quotes(left.text) + " holds texts; write this in quotes");
      const Numbers one = texts ? equals_text(left, item) : numbers(item);
      for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == 1) continue;
        const double match = texts ? one[i] : apply(Operator::equal, values[i], one[i]);
        if (match != 0) result[i] = match;  // 1 or missing
      }
    }
    return result;
  }

  Numbers function(const ExpressionNode& node) const {
    Numbers values = numbers(*node.children[0]);
    if (node.children.size() == 1)
      for (double& value : values) value = apply(node.text, value, 0);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      const Numbers other = numbers(*node.children[k]);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = apply(node.text, values[i], other[i]);
    }
    keep_finite(values);
    return values;
  }

  const std::string& expression_;
  const Table& table_;
  std::span<const Column> derived_;
};

void collect_columns(const ExpressionNode& node, std::vector<std::string>& names) {
  if (node.kind == Kind::column && std::find(names.begin(), names.end(), node.text) == names.end())
    names.push_back(node.text);
  for (const auto& child : node.children) collect_columns(*child, names);
}

}  // namespace

Expression Expression::parse(const std::string& text) {
  Expression expression;
  expression.text_ = text;
  expression.root_ = parse_expression(text);
  return expression;
}

std::vector<double> Expression::evaluate(const Table& table, std::span<const Column> derived) const {
  return Evaluator(text_, table, derived).numbers(*root_);
}

std::vector<double> Expression::slope(const Table& table, std::span<const Column> of) const {
  return Evaluator(text_, table, {}).slopes(*root_, of);
}

std::vector<std::string> Expression::columns() const {
  std::vector<std::string> names;
  collect_columns(*root_, names);
  return names;
}

std::vector<Index> rows_where(const Expression& filter, const Table& table, std::span<const Column> derived) {
  const std::vector<double> values = filter.evaluate(table, derived);
  std::vector<Index> rows;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0 && !std::isnan(values[i])) rows.push_back(static_cast<Index>(i));
  return rows;
}

}  // namespace bl
