// What the parser makes of an expression and the evaluator walks over.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

struct ExpressionNode {
  enum class Kind { number, text, column, binary, in_list, function };
  enum class Operator {
    add,
    subtract,
    multiply,
    divide,
    power,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    both,
    either
  };

  Kind kind = Kind::number;
  Operator op = Operator::add;  // binary
  double number = 0;
  std::string text;  // of a text, or the name of a column or function
  std::vector<std::unique_ptr<ExpressionNode>> children;
  std::size_t place = 0;  // offset in the expression
};

// UsageError that shows the expression and marks the place.
[[noreturn]] void fail_in_expression(const std::string& expression, std::size_t place,
                                     const std::string& message);

std::unique_ptr<ExpressionNode> parse_expression(const std::string& text);

}  // namespace bl
