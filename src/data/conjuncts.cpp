#include "data/conjuncts.hpp"

#include "data/expression_node.hpp"

namespace bl {

namespace {

constexpr std::string_view kAnd = "and", kBlank = " \t\n";

// Without the parentheses around the whole; the text must have them.
std::string inside(const std::string& text) {
  const std::size_t from = text.find_first_not_of(kBlank), to = text.find_last_not_of(kBlank);
  return text.substr(from + 1, to - from - 1);
}

bool in_parentheses(const std::string& text) {
  const std::size_t from = text.find_first_not_of(kBlank);
  if (text[from] != '(') return false;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') quote = c;
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return text.find_first_not_of(kBlank, i + 1) == std::string::npos;
  }
  return false;
}

void collect(const std::string& text, std::vector<Expression>& out) {
  if (in_parentheses(text)) return collect(inside(text), out);
  const auto root = parse_expression(text);
  if (root->kind != ExpressionNode::Kind::binary || root->op != ExpressionNode::Operator::both) {
    out.push_back(Expression::parse(text));
    return;
  }
  collect(text.substr(0, root->place), out);
  collect(text.substr(root->place + kAnd.size()), out);
}

}  // namespace

std::vector<Expression> conjuncts(const Expression& expression) {
  std::vector<Expression> out;
  collect(expression.text(), out);
  return out;
}

}  // namespace bl
