// Rows read by several ranks, each from its part of the files, are those of one table: cells, types, levels,
// lines, digest and messages. Several files are one table.
#include "data/shared_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/read_table.hpp"
#include "data_helpers.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

void expect_equal(const Table& a, const Table& b) {
  ASSERT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.names(), b.names());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].raw, b.columns[c].raw) << a.columns[c].name;
    EXPECT_EQ(a.columns[c].levels, b.columns[c].levels) << a.columns[c].name;
    EXPECT_EQ(a.columns[c].codes, b.columns[c].codes) << a.columns[c].name;
    for (Index row = 0; row < a.rows; ++row)
      EXPECT_EQ(a.columns[c].cell_text(row), b.columns[c].cell_text(row));
  }
  for (Index row = 0; row < a.rows; ++row) EXPECT_EQ(a.place(row), b.place(row));
  EXPECT_EQ(table_digest(a), table_digest(b));
}

// Every rank of several numbers of them gathers what one reader reads.
void expect_shared(const std::vector<std::string>& files) {
  const Table expected = files.size() == 1 ? read_table(files[0]) : read_files(files, {});
  for (const std::size_t size : {2U, 3U, 4U, 8U}) {
    test::run_ranks(size, [&](std::size_t rank) {
      SCOPED_TRACE(std::to_string(rank) + " of " + std::to_string(size));
      const ReadOptions options;
      const auto shared = read_shared_table(files, options, current_ranks());
      ASSERT_TRUE(shared);
      EXPECT_EQ(shared->own.rows, shared->begins[rank + 1] - shared->begins[rank]);
      EXPECT_LE(shared->own.rows, expected.rows / static_cast<Index>(size) + 4 * expected.rows / 10 + 2);
      for (Index row = 0; row < shared->own.rows; ++row)
        EXPECT_EQ(shared->own.place(row), expected.place(shared->first() + row));
      expect_equal(shared->gathered(), expected);
      EXPECT_EQ(table_digest(*shared), table_digest(expected));
    });
  }
}

std::string rows_of(int from, int to, const std::string& end = "\n") {
  std::string text;
  const std::vector<std::string> towns = {"north", "south", "", "west", "far away"};
  for (int i = from; i < to; ++i)
    text += std::to_string(i * 7 % 31) + "." + std::to_string(i % 10) + "," +
            towns[static_cast<std::size_t>(i * i % 5)] + "," + (i % 6 == 0 ? "NA" : std::to_string(-i)) + end;
  return text;
}

class SharedRows : public testing::Test {
 protected:
  test::TemporaryFolder folder;
};

TEST_F(SharedRows, OfPlainFiles) {
  expect_shared({folder.write("lf.csv", "a,b,c\n" + rows_of(0, 60))});
  expect_shared({folder.write("crlf.csv", "a,b,c\r\n" + rows_of(0, 60, "\r\n"))});
  expect_shared({folder.write("cr.csv", "a,b,c\r" + rows_of(0, 60, "\r"))});
  expect_shared({folder.write("blank.csv",
                              "\xEF\xBB\xBF"
                              "a;b;c\n\n1;2;x\n\n\n3;4;y\n5;6;x")});
  expect_shared({folder.write("few.csv", "a,b\n1,2\n3,4\n")});
  expect_shared({folder.write("one column.csv", "a\n1\n\n3\n4\n")});
}

TEST_F(SharedRows, OfQuotedCells) {
  std::string text = "a,b\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + ",\"line one\n" + std::to_string(i % 3) + ",5\n\"\"x\"\n";
  expect_shared({folder.write("quoted.csv", text)});
}

TEST_F(SharedRows, TypesAreThoseOfAllRows) {
  // Text in the first, in the last and in a middle part of columns that hold numbers elsewhere; a column that
  // begins empty.
  std::string text = "a,b,c,d\nx,1,1,\n";
  for (int i = 0; i < 50; ++i)
    text += "07,2.0," + std::string(i == 25 ? "?!" : "3e1") + "," + (i > 40 ? "late" : "") + "\n";
  expect_shared({folder.write("types.csv", text + "1,end,1,\n")});
  expect_shared({folder.write("inf.csv", "a,b\ninf,1\n" + std::string("2,3\n4,5\n6,7\n") + "word,1\n")});
}

TEST_F(SharedRows, OfSeveralFiles) {
  const std::vector<std::string> files = {folder.write("rows-1.csv", "a,b,c\n" + rows_of(0, 20)),
                                          folder.write("rows-2.csv", "a,b,c\n" + rows_of(20, 23)),
                                          folder.write("rows-3.csv", "a;b;c\n1;late level;2\n3;north;4\n"),
                                          folder.write("rows-4.csv", "a,b,c\n" + rows_of(25, 60))};
  EXPECT_EQ(files_of({folder.file("rows-*.csv")}), files);
  const Table table = read_files(files, {});
  EXPECT_EQ(table.rows, 60);
  EXPECT_EQ(table.column("c").cell_text(22), "-22");
  EXPECT_EQ(table.column("b").cell_text(23), "late level");
  EXPECT_THAT(table.place(23),
              HasSubstr("rows-1.csv and 3 more files:27"));  // 21 + 4 lines are before it, and names
  expect_equal(read_table(folder.file("rows-*.csv")), table);
  expect_shared(files);
}

TEST_F(SharedRows, ErrorsAreSaidByAllRanksAlike) {
  const auto expect_error = [&](const std::vector<std::string>& files, const std::string& message) {
    for (const std::size_t size : {2U, 3U, 8U})
      test::run_ranks(size, [&](std::size_t) {
        try {
          read_shared_table(files, {}, current_ranks());
          ADD_FAILURE() << "no error: " << message;
        } catch (const DataError& error) {
          EXPECT_THAT(error.what(), HasSubstr(message));
        }
      });
  };
  expect_error({folder.write("short.csv", "a,b,c\n" + rows_of(0, 57) + "1,2\n" + rows_of(0, 3))},
               "short.csv:59: the row has 2 cells");
  expect_error({folder.write("infinite.csv", "a,b,c\n" + rows_of(0, 57) + "inf,2,3\n")},
               "infinite.csv:59: column 'a'");
  expect_error({folder.write("empty.csv", "a,b,c\n")}, "no rows");
  expect_error({folder.write("one.csv", "a,b\n1,2\n"), folder.write("two.csv", "a,c\n1,2\n")},
               "two.csv: column 2 is 'c'");
}

TEST_F(SharedRows, NotOfFilesThatCannotBeCut) {
  test::run_ranks(2, [&](std::size_t rank) {
    const std::string name = "packed" + std::to_string(rank) + ".csv.gz";
    EXPECT_FALSE(read_shared_table({folder.write(name, test::gzip("a,b\n1,2\n"))}, {}, current_ranks()));
  });
  EXPECT_THROW(files_of({folder.file("none-*.csv")}), DataError);
}

}  // namespace
}  // namespace bl
