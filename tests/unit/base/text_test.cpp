#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace bl {
namespace {

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook case
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("form", "from"), 1U);  // a swap counts once
  EXPECT_EQ(edit_distance("Income", "income"), 0U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(NearestName, OffersOnlyLikelyNames) {
  const std::vector<std::string> valid = {"age", "income", "education_num"};
  EXPECT_EQ(nearest_name("incme", valid), "income");
  EXPECT_EQ(nearest_name("Education-Num", valid), "education_num");
  EXPECT_EQ(nearest_name("agee", valid), "age");
  EXPECT_EQ(nearest_name("xyz", valid), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), valid), std::nullopt);
  EXPECT_EQ(did_you_mean("incme", valid), "; did you mean 'income'?");
  EXPECT_EQ(did_you_mean("xyz", valid), "");
  const std::vector<std::string> brief = {"x", "y1"};
  EXPECT_EQ(nearest_name("z", brief), std::nullopt);
  EXPECT_EQ(nearest_name("", brief), std::nullopt);
  EXPECT_EQ(nearest_name("xx", brief), "x");
  EXPECT_EQ(nearest_name("X", brief), "x");
}

TEST(InQuotes, EscapesAndCuts) {
  EXPECT_EQ(in_quotes("a b"), "'a b'");
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0Ab'");
  EXPECT_EQ(in_quotes("caf\xC3\xA9"), "'caf\xC3\xA9'");
  EXPECT_EQ(in_quotes("caf\xE9"), "'caf\\xE9'");
  const std::string cut = in_quotes(std::string(59, 'x') + "\xC3\xA9 and more");
  EXPECT_EQ(cut, "'" + std::string(59, 'x') + "...'");
  EXPECT_EQ(quoted_list(std::vector<std::string>{"a", "b"}), "'a', 'b'");
  EXPECT_NE(quoted_list(std::vector<std::string>(12, "a")).find("and 2 more"), std::string::npos);
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("income", 6), "income");
  EXPECT_EQ(shortened("incomes", 6), "inco..");
  EXPECT_EQ(shortened("caf\xC3\xA9 au lait", 6), "caf..");  // not half of the accented letter
  EXPECT_EQ(shortened("caf\xC3\xA9 au lait", 7), "caf\xC3\xA9..");
}

TEST(FormatNumber, IsShortAndExact) {
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(-0.0), "0");
  EXPECT_EQ(format_number(100000), "100000");
  EXPECT_EQ(format_number(0.1), "0.1");
  for (const double value : {1.0 / 3, 1e300, 5e-324, -2.5e-7, 123456789012345678.0, 1e22}) {
    EXPECT_EQ(std::strtod(format_number(value).c_str(), nullptr), value);
  }
}

TEST(IsUtf8, FollowsTheStandard) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_utf8("\xE9t\xE9"));         // Latin-1
  EXPECT_FALSE(is_utf8("\xC3"));              // cut off
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // past U+10FFFF
}

}  // namespace
}  // namespace bl
