#include "base/markup.hpp"

#include <gtest/gtest.h>

namespace bl {
namespace {

TEST(Markup, LatexTakesNamesAsTheyAre) {
  EXPECT_EQ(latex_escaped("cost_high & 50%"), "cost\\_high \\& 50\\%");
  EXPECT_EQ(latex_escaped("a\\b ~ x^2"), "a\\textbackslash{}b \\textasciitilde{} x\\textasciicircum{}2");
  EXPECT_EQ(latex_escaped("#{$}"), "\\#\\{\\$\\}");
  EXPECT_EQ(latex_escaped("age < 30"), "age \\ensuremath{<} 30");
  EXPECT_EQ(latex_escaped("two\nlines"), "two lines");
}

TEST(Markup, MarkdownTakesNamesAsTheyAre) {
  EXPECT_EQ(markdown_escaped("a|b*c_d"), "a\\|b\\*c\\_d");
  EXPECT_EQ(markdown_escaped("[x]`<b>"), "\\[x\\]\\`\\<b>");
  EXPECT_EQ(markdown_escaped("two\r\nlines"), "two  lines");
}

}  // namespace
}  // namespace bl
