// Any rows of CSV files, read from the nearest one that several ranks have marked, are those of the whole
// table.
#include "data/row_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/csv_parts.hpp"
#include "data/read_table.hpp"
#include "data_helpers.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

ReadOptions texts_of(const std::vector<std::string>& names) {
  ReadOptions options;
  for (const std::string& name : names) options.types[name] = RawType::text;
  return options;
}

// Blocks of this many rows from every `step`th row on, by ranks in turn.
void expect_rows(const std::vector<std::string>& files, const ReadOptions& options, Index step) {
  const Table expected = files.size() == 1 ? read_table(files[0], options) : read_files(files, options);
  for (const std::size_t size : {2U, 3U, 8U})
    test::run_ranks(size, [&](std::size_t rank) {
      const auto index = RowIndex::of(files, options, *current_ranks());
      ASSERT_TRUE(index);
      ASSERT_EQ(index->rows(), expected.rows) << size << " ranks";
      for (Index from = static_cast<Index>(rank) * step; from < expected.rows;
           from += static_cast<Index>(size) * step) {
        const RowMark& mark = index->mark(from);
        EXPECT_LE(mark.row, from);
        TableReader reader(files, options, mark);
        reader.skip(from - mark.row);
        const auto block = reader.next(step);
        ASSERT_TRUE(block);
        EXPECT_EQ(block->rows, std::min(step, expected.rows - from));
        for (Index row = 0; row < block->rows; ++row) {
          EXPECT_EQ(block->place(row), expected.place(from + row));
          for (const Column& column : block->columns)
            EXPECT_EQ(column.cell_text(row), expected.column(column.name).cell_text(from + row));
        }
      }
    });
}

std::string lines(int from, int to, const std::string& end = "\n") {
  std::string text;
  for (int i = from; i < to; ++i) text += std::to_string(i) + ",t" + std::to_string(i * i % 17) + end;
  return text;
}

class RowIndexes : public testing::Test {
 protected:
  test::TemporaryFolder folder;
};

TEST_F(RowIndexes, OfPlainFiles) {
  const ReadOptions options = texts_of({"a", "b"});
  expect_rows({folder.write("lf.csv", "a,b\n" + lines(0, 3000))}, options, 300);
  expect_rows({folder.write("crlf.csv", "\xEF\xBB\xBF" + ("a,b\r\n" + lines(0, 700, "\r\n")))}, options, 100);
  expect_rows({folder.write("blank.csv", "a,b\n\n\n" + lines(0, 5) + "\n\n" + lines(5, 9) + "9,last")},
              options, 2);
}

TEST_F(RowIndexes, WithoutALineOfNames) {
  ReadOptions options = texts_of({"column_1", "column_2"});
  options.header = false;
  expect_rows({folder.write("bare.csv", lines(0, 900))}, options, 128);
}

TEST_F(RowIndexes, OfLineEndsInsideQuotes) {
  std::string text = "a,b\n";
  for (int i = 0; i < 900; ++i) text += std::to_string(i) + ",\"one\n" + std::to_string(i) + ",two\n\"\"\"\n";
  expect_rows({folder.write("quoted.csv", text)}, texts_of({"a", "b"}), 100);
}

TEST_F(RowIndexes, OfSeveralFiles) {
  expect_rows({folder.write("1.csv", "a,b\n" + lines(0, 500)), folder.write("2.csv", "a;b\n500;x\n"),
               folder.write("3.csv", "a,b\n" + lines(501, 1200))},
              texts_of({"a", "b"}), 200);
}

TEST_F(RowIndexes, ErrorsNameTheirLine) {
  const std::string file = folder.write("bad.csv", "a,b\n" + lines(0, 900) + "1,2,3\n" + lines(0, 900));
  test::run_ranks(3, [&](std::size_t) {
    EXPECT_THAT(test::message_of<DataError>([&] { RowIndex::of({file}, {}, *current_ranks()); }),
                HasSubstr("bad.csv:902: the row has 3 cells"));
  });
  const std::string empty = folder.write("empty.csv", "a,b\n");
  test::run_ranks(2, [&](std::size_t) {
    EXPECT_THAT(test::message_of<DataError>([&] { RowIndex::of({empty}, {}, *current_ranks()); }),
                HasSubstr("no rows"));
  });
}

TEST_F(RowIndexes, AnInfiniteValueIsOfItsFile) {
  const std::vector<std::string> files = {folder.write("1.csv", "a\n1\ninf\n"),
                                          folder.write("2.csv", "a\n2\n3\n")};
  EXPECT_THAT(test::message_of<DataError>([&] { read_files(files, {}); }), HasSubstr("1.csv:3: column 'a'"));
}

}  // namespace
}  // namespace bl
