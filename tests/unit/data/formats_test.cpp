// ARFF, IDX, gzip, pipes, and reading in blocks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "bl/errors.hpp"
#include "data/byte_source.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using namespace std::string_literals;

TEST(Arff, AllKindsOfAttributesAndQuotes) {
  const Table table = read_table_from_memory(
      "% comment\n@RELATION 'a b'\r\n\n@Attribute x NUMERIC\n@attribute 'size of \\'it' {small, 'very "
      "large', \"q,r\"}\n"
      "@attribute note string\n@attribute d date \"yyyy-MM-dd\"\n@attribute n integer\n@DATA\n"
      "% another\n1.5, 'very large' ,'it\\'s', \"2020-01-01\", ?\n\n?,small,NA,?,3\n  -2 , \"q,r\" , plain "
      "text,x,4\n",
      "t.txt");
  ASSERT_EQ(table.rows, 3);
  EXPECT_THAT(table.names(), ElementsAre("x", "size of 'it", "note", "d", "n"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1.5, IsNan(), -2));
  EXPECT_THAT(table.columns[1].levels, ElementsAre("small", "very large", "q,r"));
  EXPECT_THAT(table.columns[1].codes, ElementsAre(1, 0, 2));
  EXPECT_THAT(table.columns[2].levels, ElementsAre("it's", "NA", "plain text"));  // only ? is missing in ARFF
  EXPECT_THAT(table.columns[3].codes, ElementsAre(0, kMissingCode, 1));
  EXPECT_THAT(table.columns[4].numbers, ElementsAre(IsNan(), 3, 4));
  EXPECT_EQ(table.lines[0], 11);
  EXPECT_EQ(table.lines[1], 13);
}

TEST(Arff, DecimalCommaAndMissingTokensOfCsvDoNotApply) {
  ReadOptions options;
  options.decimal_comma = true;
  options.missing = {"1.5"};
  const Table table =
      read_table_from_memory("@relation r\n@attribute a real\n@data\n1.5\n", "t.arff", options);
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1.5));
}

const std::string kImages = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03"s + "\x01\x02\xFF\0\x10\x20"s;
const std::string kLabels = "\0\0\x08\x01\0\0\0\x02"s + "\x07\x03"s;

TEST(Idx, ImagesAndLabels) {
  const test::TemporaryFolder folder;
  const std::string images = folder.write("t-images-idx3-ubyte", kImages);
  Table table = read_table(images);
  EXPECT_THAT(table.names(), ElementsAre("pixel_0", "pixel_1", "pixel_2"));
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 0));
  EXPECT_THAT(table.columns[2].numbers, ElementsAre(255, 32));

  folder.write("t-labels-idx1-ubyte", kLabels);  // found by its name
  table = read_table(images);
  EXPECT_THAT(table.names(), ElementsAre("pixel_0", "pixel_1", "pixel_2", "label"));
  EXPECT_THAT(table.columns[3].numbers, ElementsAre(7, 3));

  ReadOptions options;
  options.labels = folder.write("other.gz", test::gzip(kLabels));
  table = read_table(folder.write("plain.gz", test::gzip(kImages)), options);
  EXPECT_THAT(table.columns[3].numbers, ElementsAre(7, 3));

  table = read_table_from_memory(kLabels, "labels");
  EXPECT_THAT(table.names(), ElementsAre("label"));
}

TEST(Gzip, SeveralMembersAndLargeFiles) {
  EXPECT_THAT(read_table_from_memory(test::gzip("a\n1\n") + test::gzip("2\n"), "t.gz").columns[0].numbers,
              ElementsAre(1, 2));
  std::string text = "a,b\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + ",word\n";
  text += "late,word\n";  // the column becomes text: unpacked a second time
  const Table table = read_table_from_memory(test::gzip(text), "t.gz");
  ASSERT_EQ(table.rows, 200001);
  EXPECT_EQ(table.columns[0].cell_text(199999), "199999");
  EXPECT_EQ(table.columns[0].cell_text(200000), "late");
}

// A pipe cannot go back, so its bytes are kept aside for the second reading.
TEST(Pipe, IsReadAgainWhenTypesChange) {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text = "a\n";
  for (int i = 0; i < 100000; ++i) text += "007\n";
  text += "x\n";
  std::thread writer([&] { folder.write("pipe", text); });
  const Table table = read_table(pipe);
  writer.join();
  ASSERT_EQ(table.rows, 100001);
  EXPECT_THAT(table.columns[0].levels, ElementsAre("007", "x"));
}

TEST(StandardInput, IsReadUnderItsOwnName) {
  const test::TemporaryFolder folder;
  const int file = ::open(folder.write("t.csv", "a,b\n1,x\n2\n").c_str(), O_RDONLY);
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  const std::string message = test::message_of<DataError>([] { read_table("-"); });
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
  ReadOptions options;
  options.types = {{"a", RawType::numeric}};
  const auto block = TableReader("-", options).next(1);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_THAT(message, HasSubstr("standard input:3: the row has 1 cells"));
  EXPECT_THAT(block->columns[0].numbers, ElementsAre(1));
}

TEST(Pipe, BlocksNeedNoSecondReading) {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { folder.write("pipe", test::gzip("a,b\n1,2\n3,4\n")); });
  ReadOptions options;
  options.types = {{"b", RawType::numeric}};
  TableReader reader(pipe, options);
  const auto block = reader.next(10);
  writer.join();
  ASSERT_TRUE(block);
  EXPECT_THAT(block->columns[0].numbers, ElementsAre(2, 4));
}

TEST(TableReader, GivesDeclaredColumnsInBlocks) {
  const test::TemporaryFolder folder;
  ReadOptions options;
  options.types = {{"x", RawType::numeric}, {"code", RawType::text}};
  TableReader reader(folder.write("t.csv", "code,extra,x\n01,a,1\n2,b,2\n03,c,3\n"), options);
  EXPECT_THAT(reader.names(), ElementsAre("code", "extra", "x"));
  const auto first = reader.next(2);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rows, 2);
  EXPECT_THAT(first->names(), ElementsAre("code", "x"));
  EXPECT_THAT(first->columns[0].levels, ElementsAre("01", "2"));
  const auto second = reader.next(2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->rows, 1);
  EXPECT_THAT(second->columns[0].levels, ElementsAre("03"));
  EXPECT_THAT(second->columns[1].numbers, ElementsAre(3));
  EXPECT_EQ(second->lines[0], 4);
  EXPECT_FALSE(reader.next(2));
  EXPECT_FALSE(reader.next(2));
}

TEST(TableReader, FailsAtTheLineWhereTheTypeDoesNotFit) {
  const test::TemporaryFolder folder;
  ReadOptions options;
  options.types = {{"x", RawType::numeric}};
  TableReader reader(folder.write("t.csv", "x\n1\n2\nabc\n"), options);
  EXPECT_TRUE(reader.next(2));
  EXPECT_THAT(test::message_of<DataError>([&] { reader.next(2); }), HasSubstr("t.csv:4: column 'x': 'abc'"));
  TableReader infinite(folder.write("i.csv", "x\n1\ninf\n"), options);
  EXPECT_THAT(test::message_of<DataError>([&] { infinite.next(2); }),
              HasSubstr("i.csv:3: column 'x': 'inf'"));
  TableReader empty(folder.write("e.csv", "x\n"), options);
  EXPECT_THAT(test::message_of<DataError>([&] { empty.next(2); }), HasSubstr("no rows"));
}

TEST(TableReader, ReadsArffAndIdx) {
  const test::TemporaryFolder folder;
  ReadOptions options;
  options.types = {{"pixel_1", RawType::numeric}, {"c", RawType::text}};
  TableReader idx(folder.write("images", kImages), options);
  EXPECT_THAT(idx.next(1)->columns[0].numbers, ElementsAre(2));
  EXPECT_THAT(idx.next(5)->columns[0].numbers, ElementsAre(16));
  EXPECT_FALSE(idx.next(5));
  TableReader arff(
      folder.write("t.arff", "@relation r\n@attribute a real\n@attribute c {u,v}\n@data\n1,v\n2,u\n"),
      options);
  EXPECT_THAT(arff.next(1)->columns[0].codes, ElementsAre(1));
  EXPECT_THAT(arff.next(1)->columns[0].codes, ElementsAre(0));
}

}  // namespace
}  // namespace bl
