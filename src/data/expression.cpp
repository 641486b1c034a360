#include "data/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/expression_node.hpp"

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

double apply(const std::string& function, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kMissing;
  if (function == "log") return std::log(a);
  if (function == "exp") return std::exp(a);
  if (function == "sqrt") return std::sqrt(a);
  if (function == "abs") return std::abs(a);
  return function == "min" ? std::min(a, b) : std::max(a, b);
}

void keep_finite(Numbers& values) {
  for (double& value : values)
    if (!std::isfinite(value)) value = kMissing;
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
          fail(node, "column " + in_quotes(node.text) + " holds texts; compare it with one, as in " +
                         node.text + " == 'red'");
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

 private:
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
        fail(node, "texts are compared by == and != alone");
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
