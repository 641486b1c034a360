#include "data/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "bl/errors.hpp"
#include "data/read_table.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

Table people() {
  return read_table_from_memory("a,b,color,odd name\n1,2,red,5\n-3,,blue,6\n4,0,,7\n", "people.csv");
}

std::vector<double> value(const std::string& text) {
  return Expression::parse(text).evaluate(people());
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Every row of the table gives the same constant.
double constant(const std::string& text) {
  return value(text).at(0);
}

TEST(Expression, BindsAsInArithmetic) {
  EXPECT_EQ(constant("1 + 2 * 3"), 7);
  EXPECT_EQ(constant("(1 + 2) * 3"), 9);
  EXPECT_EQ(constant("7 - 2 - 1"), 4);
  EXPECT_EQ(constant("8 / 4 / 2"), 1);
  EXPECT_EQ(constant("-2 * -3 - -1"), 7);
  EXPECT_EQ(constant("1 + 1 == 2"), 1);
  EXPECT_EQ(constant("not 1 == 2 and 0 or 1"), 1);
  EXPECT_EQ(constant("1 or 0 and 0"), 1);
  EXPECT_EQ(constant("1.5e1 / 3"), 5);
}

TEST(Expression, ComparesAndCounts) {
  EXPECT_THAT(value("a < 1"), ElementsAre(0, 1, 0));
  EXPECT_THAT(value("a <= 1"), ElementsAre(1, 1, 0));
  EXPECT_THAT(value("a >= 4"), ElementsAre(0, 0, 1));
  EXPECT_THAT(value("a != 4"), ElementsAre(1, 1, 0));
  EXPECT_THAT(value("a in (1, 2 + 2)"), ElementsAre(1, 0, 1));
  EXPECT_THAT(value("a not in (1, 4)"), ElementsAre(0, 1, 0));
  EXPECT_THAT(value("a * (a > 0) / 100"), ElementsAre(0.01, -0.0, 0.04));
  EXPECT_THAT(value("`odd name` - 5"), ElementsAre(0, 1, 2));
}

TEST(Expression, HasFunctions) {
  EXPECT_THAT(value("abs(a)"), ElementsAre(1, 3, 4));
  EXPECT_THAT(value("max(a, 0, 2)"), ElementsAre(2, 2, 4));
  EXPECT_THAT(value("min(a, 2)"), ElementsAre(1, -3, 2));
  EXPECT_DOUBLE_EQ(constant("log(exp(2)) + sqrt(9)"), 5);
}

TEST(Expression, RaisesToPowers) {
  EXPECT_THAT(value("a ^ 2"), ElementsAre(1, 9, 16));
  EXPECT_THAT(value("-a ^ 2"), ElementsAre(-1, -9, -16));
  EXPECT_DOUBLE_EQ(constant("2 ^ 3 ^ 2"), 512);
  EXPECT_DOUBLE_EQ(constant("2 ^ -1 * 4"), 2);
  EXPECT_THAT(value("a ^ 0.5"), ElementsAre(1, IsNan(), 2));
  EXPECT_NEAR(constant("boxcox(`odd name`, 0.5)"), (std::sqrt(5.0) - 1) / 0.5, 1e-14);
  EXPECT_THAT(value("boxcox(a, 0)"), ElementsAre(0, IsNan(), std::log(4.0)));
  EXPECT_NEAR(constant("boxcox(3, 1e-9)"), std::log(3.0), 1e-8);
}

// Against central differences of the values.
TEST(Expression, HasDerivatives) {
  const auto table = [](double change) {
    Table out;
    out.rows = 3;
    for (const auto& [name, values] : {std::pair("x", std::vector<double>{0.7, 1.3, 2.9}),
                                       std::pair("z", std::vector<double>{2, 0.5, 1})}) {
      out.columns.emplace_back();
      out.columns.back().name = name;
      for (const double one : values)
        out.columns.back().numbers.push_back(one + (name == std::string("x") ? change : 0));
    }
    return out;
  };
  Column moving;
  moving.name = "x";
  moving.numbers = {1, 1, 1};
  for (const char* text :
       {"x", "3 * x - z / x", "x ^ 3 + z ^ x", "log(x) * exp(-x)", "sqrt(x * z)", "abs(1 - x)",
        "max(x - 1, 0) + min(x, z, 2)", "boxcox(x, 0.3) * (z > 0.7)", "x * (x > 1)", "(x in (1, 2)) + z"}) {
    const Expression expression = Expression::parse(text);
    const double h = 1e-5;
    const auto up = expression.evaluate(table(h)), down = expression.evaluate(table(-h));
    const auto slope = expression.slope(table(0), std::span(&moving, 1));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(slope[i], (up[i] - down[i]) / (2 * h), 1e-8) << text;
  }
  // At a kink the mean of both sides.
  EXPECT_DOUBLE_EQ(Expression::parse("max(x - 0.7, 0)").slope(table(0), std::span(&moving, 1))[0], 0.5);
}

TEST(Expression, MissingStaysMissingUnlessTheOtherSideDecides) {
  EXPECT_THAT(value("a + b"), ElementsAre(3, IsNan(), 4));
  EXPECT_THAT(value("b == 0"), ElementsAre(0, IsNan(), 1));
  EXPECT_THAT(value("not b"), ElementsAre(0, IsNan(), 1));
  EXPECT_THAT(value("b in (0, 5)"), ElementsAre(0, IsNan(), 1));
  EXPECT_THAT(value("b > 0 and a > 0"), ElementsAre(1, 0, 0));
  EXPECT_THAT(value("b > 0 or a < 0"), ElementsAre(1, 1, 0));
  EXPECT_THAT(value("max(a, b)"), ElementsAre(2, IsNan(), 4));
  EXPECT_THAT(value("a / b"), ElementsAre(0.5, IsNan(), IsNan()));  // 4 / 0 is no number
  EXPECT_THAT(value("log(a)"), ElementsAre(0, IsNan(), std::log(4.0)));
}

TEST(Expression, ComparesTexts) {
  EXPECT_THAT(value("color == 'red'"), ElementsAre(1, 0, IsNan()));
  EXPECT_THAT(value("\"red\" != color"), ElementsAre(0, 1, IsNan()));
  EXPECT_THAT(value("color in ('blue', 'green')"), ElementsAre(0, 1, IsNan()));
  EXPECT_THAT(message([] { value("color + 1"); }), HasSubstr("'color' holds texts"));
  EXPECT_THAT(message([] { value("color in (1)"); }), HasSubstr("in quotes"));
  EXPECT_THAT(message([] { value("color < 'red'"); }), HasSubstr("== and !="));
  EXPECT_THAT(message([] { value("a == 'red'"); }), HasSubstr("column of texts"));
}

TEST(Expression, DerivedColumnsComeFirst) {
  const Column derived{
      .name = "a", .raw = RawType::numeric, .numbers = {10, 20, 30}, .codes = {}, .levels = {}};
  EXPECT_THAT(Expression::parse("a + 1").evaluate(people(), {&derived, 1}), ElementsAre(11, 21, 31));
  EXPECT_THAT(Expression::parse("a + b * a").columns(), ElementsAre("a", "b"));
}

TEST(Expression, FilterKeepsWhatIsTrue) {
  EXPECT_THAT(rows_where(Expression::parse("a > 0"), people()), ElementsAre(0, 2));
  EXPECT_THAT(rows_where(Expression::parse("b >= 0"), people()), ElementsAre(0, 2));  // missing is not true
  EXPECT_THAT(rows_where(Expression::parse("color == 'none'"), people()), ElementsAre());
}

TEST(Expression, ErrorsMarkThePlace) {
  EXPECT_THAT(message([] { value("1 + * 2"); }), HasSubstr("  1 + * 2\n      ^"));
  EXPECT_THAT(message([] { value("(1 + 2"); }), HasSubstr("expected ')'"));
  EXPECT_THAT(message([] { value("a = 1"); }), HasSubstr("write '=='"));
  EXPECT_THAT(message([] { value("a b"); }), HasSubstr("  a b\n    ^"));
  EXPECT_THAT(message([] { value("lgo(a)"); }), HasSubstr("did you mean 'log'"));
  EXPECT_THAT(message([] { value("log(1, 2)"); }), HasSubstr("takes one value"));
  EXPECT_THAT(message([] { value("a in 3"); }), HasSubstr("needs a list"));
  EXPECT_THAT(message([] { value("'red"); }), HasSubstr("not closed"));
  EXPECT_THAT(message([] { value(""); }), HasSubstr("ends where a value"));
  EXPECT_THAT(message([] { value(std::string(1000, '(')); }), HasSubstr("too deeply"));
  EXPECT_THAT(message([] { value(std::string(1000, '-') + "1"); }), HasSubstr("too deeply"));
  const std::string unknown = message([] { value("1 + colr"); });
  EXPECT_THAT(unknown, HasSubstr("people.csv: there is no column 'colr'; did you mean 'color'?"));
  EXPECT_THAT(unknown, HasSubstr("\n  1 + colr\n      ^"));
}

}  // namespace
}  // namespace bl
