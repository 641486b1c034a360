// Files that cannot be used, each with the parts of its message that help: where, what, and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

struct BadInput {
  const char* what;
  std::string bytes;
  std::vector<std::string> expected;
  const char* name = "bad.csv";
};

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, SaysWhereWhatAndWhatToDo) {
  const BadInput& bad = GetParam();
  ReadOptions options;
  options.types = {{"num", RawType::numeric}};
  const std::string message =
      test::message_of<DataError>([&] { read_table_from_memory(bad.bytes, bad.name, options); });
  EXPECT_THAT(message, HasSubstr(bad.name));
  for (const std::string& part : bad.expected) EXPECT_THAT(message, HasSubstr(part));
}

const std::string kImageHeader("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16);

std::vector<BadInput> bad_inputs() {
  return {
      {"empty", "", {"is empty"}},
      {"only_blank_lines", "\n\n\n", {"is empty"}},
      {"header_only", "a,b\n", {"no rows"}},
      {"too_few_cells", "a,b,c\n1,2,3\n4,5\n", {"bad.csv:3:", "2 cells", "3", "'5'", "add the missing"}},
      {"too_many_cells", "a,b\n1,2\n3,4,5\n", {"bad.csv:3:", "3 cells", "'5'", "quote cells"}},
      {"duplicate_names", "a,b,a\n1,2,3\n", {"bad.csv:1:", "columns 1 and 3", "'a'", "rename"}},
      {"open_quote", "a,b\n1,2\n3,\"4\n5,6\n", {"bad.csv:3:", "never closed"}},
      {"open_quote_in_header", "a,\"b\n1,2\n", {"bad.csv:1:", "never closed"}},
      {"text_after_quote", "a,b\n1,\"x\"y\n", {"bad.csv:2:", "cell 2", "closing quote", "'y'"}},
      {"zero_byte", "a,b\n1,2\n3,\0004\n"s, {"bad.csv:3:", "zero byte", "not a text file"}},
      {"zero_byte_in_quotes", "a,b\n1,\"\0\"\n"s, {"bad.csv:2:", "zero byte"}},
      {"binary",
       "\x7F"
       "ELF\x02\x01\x01\0\0\0\0\0"s,
       {"bad.csv:1:", "zero byte"}},
      {"utf16",
       "\xFF\xFE"
       "a\0,\0b\0\n\0"s,
       {"UTF-16", "iconv"}},
      {"latin1_value", "a,b\n1,x\n2,caf\xE9\n", {"bad.csv:3:", "column 'b'", "'caf\\xE9'", "UTF-8"}},
      {"latin1_name", "a,caf\xE9\n1,2\n", {"bad.csv:1:", "column 2", "UTF-8"}},
      {"numbers_as_header", "1,2\n3,4\n", {"bad.csv:1:", "'1', '2'", "column names"}},
      {"infinity", "a,b\n1,2\n2,inf\n", {"bad.csv:3:", "column 'b'", "'inf'", "finite"}},
      {"minus_infinity", "a,b\n1,-Infinity\n", {"bad.csv:2:", "'-Infinity'", "finite"}},
      {"too_large", "a\n1\n1e999\n", {"bad.csv:3:", "'1e999'", "finite"}},
      {"nan_with_payload", "a\n1\nnan(7)\n", {"bad.csv:3:", "'nan(7)'", "finite"}},
      {"text_in_numeric",
       "num,b\n1,2\nabc,3\n",
       {"bad.csv:3:", "column 'num'", "'abc'", "not a number", "nominal"}},
      {"thousands_in_numeric", "num;b\n1.000,5;2\n", {"bad.csv:2:", "'1.000,5'", "not a number"}},
      {"hexadecimal_in_numeric", "num,b\n0x10,2\n", {"bad.csv:2:", "'0x10'"}},
      {"damaged_gzip", "\x1F\x8B\x08\x00garbage here"s, {"gzip", "damaged"}, "bad.csv.gz"},
      {"short_gzip", test::gzip("a,b\n1,2\n").substr(0, 20), {"gzip", "ends too early"}, "bad.csv.gz"},
      {"tail_after_gzip", test::gzip("a,b\n1,2\n") + "tail", {"gzip", "damaged"}, "bad.csv.gz"},
      {"arff_empty", "", {"is empty"}, "bad.arff"},
      {"arff_without_data", "@relation r\n@attribute a numeric\n", {"no @data"}, "bad.arff"},
      {"arff_without_attributes", "@relation r\n@data\n1\n", {"bad.arff:2:", "no attributes"}, "bad.arff"},
      {"arff_no_rows", "@relation r\n@attribute a numeric\n@data\n", {"no rows"}, "bad.arff"},
      {"arff_stray_line", "@relation r\nhello\n", {"bad.arff:2:", "'hello'", "@attribute"}, "bad.arff"},
      {"arff_type",
       "@relation r\n@attribute a relational\n@data\n",
       {"bad.arff:2:", "'relational'", "numeric"},
       "bad.arff"},
      {"arff_open_levels",
       "@relation r\n@attribute a {x, y\n@data\nx\n",
       {"bad.arff:2:", "never closed"},
       "bad.arff"},
      {"arff_level_twice",
       "@relation r\n@attribute a {x, x}\n@data\nx\n",
       {"bad.arff:2:", "'x'", "twice"},
       "bad.arff"},
      {"arff_unknown_level",
       "@relation r\n@attribute a {red, blue}\n@data\nred\nbleu\n",
       {"bad.arff:5:", "column 'a'", "'bleu'", "did you mean 'blue'"},
       "bad.arff"},
      {"arff_sparse",
       "@relation r\n@attribute a numeric\n@data\n{0 1}\n",
       {"bad.arff:4:", "sparse"},
       "bad.arff"},
      {"arff_ragged",
       "@relation r\n@attribute a numeric\n@data\n1,2\n",
       {"bad.arff:4:", "2 values", "'2'"},
       "bad.arff"},
      {"arff_text",
       "@relation r\n@attribute a real\n@data\n1\nx\n",
       {"bad.arff:5:", "'x'", "not a number"},
       "bad.arff"},
      {"arff_infinity",
       "@relation r\n@attribute a real\n@data\ninf\n",
       {"bad.arff:4:", "finite"},
       "bad.arff"},
      {"arff_open_quote",
       "@relation r\n@attribute a string\n@data\n'x\n",
       {"bad.arff:4:", "never closed"},
       "bad.arff"},
      {"arff_after_quote",
       "@relation r\n@attribute a string\n@data\n'x'y\n",
       {"bad.arff:4:", "closing quote"},
       "bad.arff"},
      {"arff_duplicate",
       "@attribute a real\n@attribute a real\n@data\n1,1\n",
       {"bad.arff:2:", "'a'", "rename"},
       "bad.arff"},
      {"arff_zero_byte", "@relation r\n@attribute a\0 real\n"s, {"bad.arff:2:", "zero byte"}, "bad.arff"},
      {"idx_short_header", "\0\0\x08\x03\0\0"s, {"ends within its header"}, "bad-ubyte"},
      {"idx_short", kImageHeader + "abc", {"2 items", "ends within item 2"}, "bad-ubyte"},
      {"idx_long", kImageHeader + "abcde", {"goes on after the 2 items"}, "bad-ubyte"},
      {"idx_huge",
       "\0\0\x08\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s,
       {"4294967295 x 4294967295"},
       "bad-ubyte"},
      {"idx_many",
       "\0\0\x08\x03\xFF\xFF\xFF\xFF\0\0\0\x1C\0\0\0\x1C"s,
       {"4294967295 items", "ends within item 1"},
       "bad-ubyte"},
      {"idx_no_pixels", "\0\0\x08\x03\0\0\0\x01\0\0\0\0\0\0\0\x1C"s, {"0 x 28"}, "bad-ubyte"},
      {"idx_no_items", "\0\0\x08\x01\0\0\0\0"s, {"no rows"}, "bad-ubyte"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, BadInputTest, ::testing::ValuesIn(bad_inputs()),
                         [](const auto& bad) { return std::string(bad.param.what); });

TEST(BadFile, MissingDirectoryAndUnreadable) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(
      test::message_of<DataError>([&] { read_table(folder.file("none.csv")); }),
      ::testing::AllOf(HasSubstr("none.csv"), HasSubstr("No such file"), HasSubstr("check the name")));
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(folder.file("")); }),
              HasSubstr("the folder holds no PNG images"));
  EXPECT_THAT(test::message_of<DataError>([&] { TableReader(folder.file(""), {}); }),
              HasSubstr("the folder holds no PNG images"));
}

TEST(BadFile, LabelsThatDoNotBelongToTheImages) {
  const test::TemporaryFolder folder;
  const std::string images = folder.write("x", kImageHeader + "abcd");
  ReadOptions options;
  options.labels = folder.write("three", "\0\0\x08\x01\0\0\0\x03"s + "abc");
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(images, options); }),
              HasSubstr("3 labels for the 2 images"));
  options.labels = images;
  EXPECT_THAT(test::message_of<DataError>([&] { read_table(images, options); }),
              HasSubstr("images where labels"));
}

}  // namespace
}  // namespace bl
