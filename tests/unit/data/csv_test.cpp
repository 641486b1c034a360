#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "data/csv_records.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

Table read(std::string_view text, const ReadOptions& options = {}) {
  return read_table_from_memory(text, "t.csv", options);
}

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < column.codes.size(); ++i)
    result.push_back(column.cell_text(static_cast<Index>(i)));
  return result;
}

TEST(Csv, NumbersTextAndMissing) {
  const Table table = read("a,b,c\n1,x,\n-2.5e1,NA,3\n?,y,nan\n+4, x ,5.\n");
  ASSERT_EQ(table.rows, 4);
  ASSERT_THAT(table.names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(table.columns[0].raw, RawType::numeric);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, -25, IsNan(), 4));
  EXPECT_EQ(table.columns[1].raw, RawType::text);
  EXPECT_THAT(table.columns[1].levels, ElementsAre("x", "y"));
  EXPECT_THAT(table.columns[1].codes, ElementsAre(0, kMissingCode, 1, 0));
  EXPECT_THAT(table.columns[2].numbers, ElementsAre(IsNan(), 3, IsNan(), 5));
  EXPECT_EQ(table.place(2), "t.csv:4");
}

TEST(Csv, QuotesKeepDelimitersLineEndsSpacesAndQuotes) {
  const Table table =
      read("a,\"b,c\"\n\"x\"\"y\",1\n\"two\nlines\r\nand\", 2\n \" kept \" ,3\n5\" pipe,4\n\"\"\"\",5\n");
  ASSERT_THAT(table.names(), ElementsAre("a", "b,c"));
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("x\"y", "two\nlines\r\nand", " kept ", "5\" pipe", "\""));
  EXPECT_EQ(table.lines[0], 2);
  EXPECT_EQ(table.lines[1], 3);
  EXPECT_EQ(table.lines[2], 6);  // the record before it covers three lines
  EXPECT_EQ(table.lines[4], 8);
}

TEST(Csv, AllLineEndsAndNoneAtTheEnd) {
  for (const char* text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4", "a,b\n1,2\n3,4",
                           "\xEF\xBB\xBF"
                           "a,b\n1,2\n\n3,4\n\n"}) {
    const Table table = read(text);
    ASSERT_THAT(table.names(), ElementsAre("a", "b")) << text;
    EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 3)) << text;
    EXPECT_THAT(table.columns[1].numbers, ElementsAre(2, 4)) << text;
  }
  EXPECT_EQ(read("a,b\n1,2\n\n\n3,4\n").lines[1], 5);
}

TEST(Csv, BlankLineOfAOneColumnTableIsAMissingValue) {
  EXPECT_THAT(read("a\n1\n\n3\n").columns[0].numbers, ElementsAre(1, IsNan(), 3));
}

TEST(Csv, DelimiterIsFoundOut) {
  EXPECT_EQ(find_delimiter("a,b\n1,2\n", false), ',');
  EXPECT_EQ(find_delimiter("a;b\n1,5;2,5\n", false), ';');
  EXPECT_EQ(find_delimiter("a, in EUR;b, in kg\n1,5;2,5\n", false), ';');
  EXPECT_EQ(find_delimiter("a\tb\n1\t2", false), '\t');
  EXPECT_EQ(find_delimiter("\"a;x\",b\n1,2\n", false), ',');
  EXPECT_EQ(find_delimiter("a,b;c\n1,2\n3,4\n", false), ',');
  EXPECT_EQ(find_delimiter("a\n1\n", false), ',');
  EXPECT_EQ(find_delimiter("a\n1,5\n", true), ';');
  EXPECT_EQ(read("a;b\n1;2\n").columns.size(), 2U);
  EXPECT_EQ(read("a\tb\n1\t2\n").columns.size(), 2U);
  ReadOptions options;
  options.delimiter = '|';
  EXPECT_EQ(read("a|b\n1|2\n", options).columns.size(), 2U);
}

TEST(Csv, EmptyCellsAtTheEndOfTabSeparatedRows) {
  const Table table = read("a\tb\tc\n1\t\t\n\t2\t\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, IsNan()));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(IsNan(), 2));
}

TEST(Csv, DecimalComma) {
  ReadOptions options;
  options.decimal_comma = true;
  const Table table = read("a;b\n1,5;1.5\n-2,25e1;x\n", options);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1.5, -22.5));
  EXPECT_EQ(table.columns[1].raw, RawType::text);
  options.delimiter = ',';
  EXPECT_THROW(read("a,b\n1,2\n", options), UsageError);
}

TEST(Csv, MissingTokensReplaceTheDefaults) {
  ReadOptions options;
  options.missing = {"-999", ""};
  const Table table = read("a,b\n-999,NA\n-99,x\n", options);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(IsNan(), -99));
  EXPECT_THAT(texts(table.columns[1]), ElementsAre("NA", "x"));
}

TEST(Csv, DeclaredTypesWin) {
  ReadOptions options;
  options.types = {{"zip", RawType::text}, {"absent", RawType::numeric}};
  const Table table = read("zip,b\n00501,1\n10001,2\n", options);
  EXPECT_THAT(texts(table.columns[0]), ElementsAre("00501", "10001"));
}

// The spelling of numbers that came before the text must survive, also far behind the first look at the rows.
TEST(Csv, LateTextMakesTheWholeColumnText) {
  for (const int rows : {10, 5000}) {
    std::string text = "a,b\n";
    for (int i = 0; i < rows; ++i) text += "01.50,7\n";
    text += "n/a,8\n";
    const Table table = read(text);
    ASSERT_EQ(table.rows, rows + 1);
    EXPECT_THAT(table.columns[0].levels, ElementsAre("01.50", "n/a"));
    EXPECT_EQ(table.columns[1].raw, RawType::numeric);
    EXPECT_EQ(table.columns[1].numbers.back(), 8);
    EXPECT_EQ(table.lines[rows], rows + 2);
  }
}

TEST(Csv, InfinityIsTextAmongText) {
  EXPECT_THAT(texts(read("a\ninf\nsup\n").columns[0]), ElementsAre("inf", "sup"));
}

TEST(Csv, NumbersAtTheEdgesOfTheRange) {
  const Table table =
      read("a\n1e-999\n4.9e-324\n1.7976931348623157e308\n0.1\n0." + std::string(400, '0') + "1\n");
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(0, 4.9e-324, 1.7976931348623157e308, 0.1, 0));
}

TEST(Csv, UnnamedColumnsAndFilesWithoutHeader) {
  EXPECT_THAT(read(",b\n1,2\n").names(), ElementsAre("column_1", "b"));
  ReadOptions options;
  options.header = false;
  const Table table = read("1,2\n3,4\n", options);
  EXPECT_THAT(table.names(), ElementsAre("column_1", "column_2"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 3));
  EXPECT_EQ(table.lines[0], 1);
  options.header = true;
  EXPECT_THAT(read("2001,2002\n3,4\n", options).names(), ElementsAre("2001", "2002"));
}

// Records across the borders of the reader's blocks, with quotes and CR LF, against a plain construction.
TEST(Csv, BlockBordersDoNotShow) {
  std::string text = "id,text\r\n";
  std::vector<std::string> expected;
  for (int i = 0; i < 40000; ++i) {
    const std::string filler(static_cast<std::size_t>(i % 37), 'z');
    text += std::to_string(i) + ",\"" + filler + "\"\"\r\n" + std::to_string(i % 11) + "\"\r\n";
    expected.push_back(filler + "\"\r\n" + std::to_string(i % 11));
  }
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  const Table table = read(text);
  ASSERT_EQ(table.rows, 40000);
  for (Index i = 0; i < table.rows; ++i) {
    ASSERT_EQ(table.columns[0].numbers[static_cast<std::size_t>(i)], static_cast<double>(i));
    ASSERT_EQ(table.columns[1].cell_text(i), expected[static_cast<std::size_t>(i)]);
    ASSERT_EQ(table.lines[i], 2 + 2 * i);
  }
}

// Three lengths of the header put each byte of "7 CR LF" at the border once.
TEST(Csv, LineEndsAcrossBlockBorders) {
  for (const char* header : {"a", "ab", "abc"}) {
    std::string text = std::string(header) + "\r\n";
    for (int i = 0; i < 200000; ++i) text += "7\r\n";
    const Table table = read(text);
    ASSERT_EQ(table.rows, 200000) << header;
    EXPECT_EQ(table.lines[199999], 200001) << header;
  }
}

TEST(Csv, CellLongerThanTheBlock) {
  const std::string cell(3 << 20, 'q');
  const Table table = read("a,b\n\"" + cell + "\",1\nshort,2\n");
  EXPECT_EQ(table.columns[0].levels[0], cell);
  EXPECT_EQ(table.columns[1].numbers[1], 2);
}

}  // namespace
}  // namespace bl
