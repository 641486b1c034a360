#include "base/nesting.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/toml.hpp"

namespace bl {
namespace {

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Nesting, CountsTheBracketsOpenAtOnce) {
  EXPECT_EQ(json_depth("7"), 0U);
  EXPECT_EQ(json_depth(R"({"a":[1,2],"b":[[3]]})"), 3U);
  EXPECT_EQ(json_depth(R"({"[[[[":"\"[[[["})"), 1U);
  EXPECT_EQ(json_depth(repeated("[", 1'000'000)), 1'000'000U);
  EXPECT_EQ(json_depth("]]]["), 1U);
}

TEST(Nesting, FindsTheLineOfALongKey) {
  EXPECT_EQ(line_of_long_toml_key("a = 1\nb.c.d = 2\n", 3), 0U);
  EXPECT_EQ(line_of_long_toml_key("a = 1\nb.c.d.e = 2\n", 3), 2U);
  EXPECT_EQ(line_of_long_toml_key("[a . b . c . d]\n", 3), 1U);
  EXPECT_EQ(line_of_long_toml_key("x = {a.b.c.d = 1}\n", 3), 1U);
  EXPECT_EQ(line_of_long_toml_key("x = [0.1, 0.2, 0.3, 0.4, 0.5]\n", 3), 0U);
}

TEST(Nesting, QuotesAndCommentsHideNoKeyAndMakeNone) {
  EXPECT_EQ(line_of_long_toml_key("x = 'a.b.c.d.e' # f.g.h.i\n", 3), 0U);
  EXPECT_EQ(line_of_long_toml_key("x = \"\"\"\n\"a.b.c.d.e\n\"\"\"\n", 3), 0U);
  EXPECT_EQ(line_of_long_toml_key("# don't\na.b.c.d = 1\n", 3), 2U);
  EXPECT_EQ(line_of_long_toml_key("\"=\".a.\"=\".b.\"=\" = 1\n", 3), 1U);
  EXPECT_EQ(line_of_long_toml_key("x = \"\"\"\"\"\"\na.b.c.d = 1\n", 3), 2U);
  EXPECT_EQ(line_of_long_toml_key("x = '''it''s'''\na.b.c.d = 1\n", 3), 2U);
  EXPECT_EQ(line_of_long_toml_key("x = \"\\\"\"\na.b.c.d = 1\n", 3), 2U);
}

TEST(Nesting, TomlOfManyPartsIsRefusedWithItsLine) {
  for (const std::string& text : {"[" + repeated("a.", 500'000) + "a]\n", repeated("a.", 500'000) + "a = 1\n",
                                  "'x'" + repeated(".'x'", 500'000)}) {
    try {
      parse_toml("\n" + text, "deep.toml");
      ADD_FAILURE() << "taken";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()),
                "deep.toml:2: a key or table name of more than 100 parts; write it shorter");
    }
  }
}

}  // namespace
}  // namespace bl
