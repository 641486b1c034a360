// Recursive descent, one function per level of binding: or, and, not, comparison, sum, product, sign, power,
// primary.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/expression_node.hpp"

namespace bl {

void fail_in_expression(const std::string& expression, std::size_t place, const std::string& message) {
  throw UsageError(message + "\n  " + expression + "\n  " + std::string(place, ' ') + "^");
}

namespace {

using Node = std::unique_ptr<ExpressionNode>;
using Kind = ExpressionNode::Kind;
using Operator = ExpressionNode::Operator;

constexpr int kDeepest = 200;  // nested parentheses and signs: a bound on the recursion
constexpr std::size_t kLongest = 10000;
const std::vector<std::string> kFunctions = {"log", "exp", "sqrt", "abs", "min", "max", "boxcox"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Node whole() {
    if (text_.size() > kLongest) throw UsageError("an expression of more than 10000 characters");
    Node root = disjunction();
    skip_spaces();
    if (at_ < text_.size()) fail(at_, "expected an operator or the end");
    return root;
  }

 private:
  struct Depth {
    explicit Depth(Parser& parser) : level(parser.depth_) {
      if (++level > kDeepest) parser.fail(parser.at_, "too deeply nested");
    }
    ~Depth() { --level; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& level;
  };

  [[noreturn]] void fail(std::size_t place, const std::string& message) const {
    fail_in_expression(text_, place, message);
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  // Takes the symbol if it comes next.
  bool take(std::string_view symbol) {
    skip_spaces();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }

  bool take_word(std::string_view word) {
    skip_spaces();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  Node make(Kind kind, std::size_t place) const {
    auto node = std::make_unique<ExpressionNode>();
    node->kind = kind;
    node->place = place;
    return node;
  }

  Node binary(Operator op, Node left, Node right, std::size_t place) const {
    Node node = make(Kind::binary, place);
    node->op = op;
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return node;
  }

  // x is not true where it equals 0.
  Node logical_not(Node operand, std::size_t place) const {
    return binary(Operator::equal, std::move(operand), make(Kind::number, place), place);
  }

  Node disjunction() {
    Node left = conjunction();
    while (take_word("or")) {
      const std::size_t place = at_ - 2;
      left = binary(Operator::either, std::move(left), conjunction(), place);
    }
    return left;
  }

  Node conjunction() {
    Node left = negation();
    while (take_word("and")) {
      const std::size_t place = at_ - 3;
      left = binary(Operator::both, std::move(left), negation(), place);
    }
    return left;
  }

  Node negation() {
    const Depth depth(*this);
    if (!take_word("not")) return comparison();
    const std::size_t place = at_ - 3;
    return logical_not(negation(), place);
  }

  Node comparison() {
    static constexpr std::array<std::pair<std::string_view, Operator>, 6> kSymbols = {
        {{"==", Operator::equal},
         {"!=", Operator::not_equal},
         {"<=", Operator::less_equal},
         {">=", Operator::greater_equal},
         {"<", Operator::less},
         {">", Operator::greater}}};
    Node left = sum();
    for (const auto& [symbol, op] : kSymbols) {
      if (!take(symbol)) continue;
      const std::size_t place = at_ - symbol.size();
      return binary(op, std::move(left), sum(), place);
    }
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '=') fail(at_, "'=' compares nothing; write '=='");
    const std::size_t place = at_;
    if (take_word("in")) return list(std::move(left), place);
    if (take_word("not")) {
      if (!take_word("in")) fail(place, "expected 'not in (...)'");
      return logical_not(list(std::move(left), place), place);
    }
    return left;
  }

  Node list(Node left, std::size_t place) {
    if (!take("(")) fail(at_, "'in' needs a list: in (1, 3)");
    Node node = make(Kind::in_list, place);
    node->children.push_back(std::move(left));
    do node->children.push_back(sum());
    while (take(","));
    if (!take(")")) fail(at_, "expected ',' or ')'");
    return node;
  }

  Node sum() {
    Node left = product();
    for (;;) {
      const bool plus = take("+");
      if (!plus && !take("-")) return left;
      const std::size_t place = at_ - 1;
      left = binary(plus ? Operator::add : Operator::subtract, std::move(left), product(), place);
    }
  }

  Node product() {
    Node left = sign();
    for (;;) {
      const bool times = take("*");
      if (!times && !take("/")) return left;
      const std::size_t place = at_ - 1;
      left = binary(times ? Operator::multiply : Operator::divide, std::move(left), sign(), place);
    }
  }

  Node sign() {
    const Depth depth(*this);
    if (!take("-")) return power();
    const std::size_t place = at_ - 1;
    return binary(Operator::subtract, make(Kind::number, place), sign(), place);
  }

  // To the right, and before the sign: -x ^ 2 is -(x ^ 2), 2 ^ 3 ^ 2 is 2 ^ 9, 2 ^ -1 is a half.
  Node power() {
    Node base = primary();
    if (!take("^")) return base;
    const std::size_t place = at_ - 1;
    return binary(Operator::power, std::move(base), sign(), place);
  }

  Node primary() {
    skip_spaces();
    const std::size_t place = at_;
    if (at_ == text_.size()) fail(place, "the expression ends where a value should stand");
    const char c = text_[at_];
    if (take("(")) {
      Node inside = disjunction();
      if (!take(")")) fail(at_, "expected ')'");
      return inside;
    }
    if (is_digit(c) || c == '.') return number();
    if (c == '\'' || c == '"') return quoted(Kind::text, c);
    if (c == '`') return quoted(Kind::column, c);
    if (is_letter(c)) return word();
    fail(place, "expected a number, a column, a function or '('");
  }

  Node number() {
    Node node = make(Kind::number, at_);
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, node->number);
    if (error != std::errc()) fail(at_, "not a number");
    at_ = static_cast<std::size_t>(stop - text_.data());
    return node;
  }

  Node quoted(Kind kind, char mark) {
    Node node = make(kind, at_);
    const std::size_t end = text_.find(mark, at_ + 1);
    if (end == std::string::npos) fail(at_, std::string("the quote ") + mark + " is not closed");
    node->text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return node;
  }

  Node word() {
    const std::size_t place = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string name = text_.substr(place, at_ - place);
    if (name == "and" || name == "or" || name == "in")
      fail(place, "'" + name + "' stands where a value should stand");
    Node node = make(Kind::column, place);
    node->text = name;
    if (!take("(")) return node;
    if (std::find(kFunctions.begin(), kFunctions.end(), name) == kFunctions.end())
      fail(place, "there is no function " + in_quotes(name) + " among " + quoted_list(kFunctions) +
                      did_you_mean(name, kFunctions));
    node->kind = Kind::function;
    do node->children.push_back(disjunction());
    while (take(","));
    if (!take(")")) fail(at_, "expected ',' or ')'");
    check_count(name, node->children.size(), place);
    return node;
  }

  void check_count(const std::string& name, std::size_t count, std::size_t place) const {
    const bool several = name == "min" || name == "max", two = name == "boxcox";
    if (several && count < 2) fail(place, in_quotes(name) + " takes two or more values");
    if (two && count != 2) fail(place, "'boxcox' takes a value and its exponent, as in boxcox(cost, 0.5)");
    if (!several && !two && count != 1) fail(place, in_quotes(name) + " takes one value");
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<ExpressionNode> parse_expression(const std::string& text) {
  return Parser(text).whole();
}

}  // namespace bl
