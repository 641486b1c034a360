// Rows that ranks have in memory are one table: types, levels, lines and digest of the rows one after the
// other.
#include "data/rows_in_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bl/errors.hpp"
#include "data/table_hash.hpp"
#include "data_helpers.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Table table_of(std::vector<double> numbers, std::vector<std::int32_t> codes,
               std::vector<std::string> levels) {
  Table table;
  table.source = "rows";
  table.rows = static_cast<Index>(numbers.size());
  table.columns.resize(codes.empty() ? 1 : 2);
  table.columns[0].name = "a";
  table.columns[0].numbers = numbers;
  if (!codes.empty()) {
    table.columns[1].name = "b";
    table.columns[1].raw = RawType::text;
    table.columns[1].codes.assign(codes.begin(), codes.end());
    table.columns[1].levels = std::move(levels);
  }
  for (Index row = 0; row < table.rows; ++row) table.lines.append(row);
  return table;
}

TEST(RowsInMemory, AreOneTable) {
  const Table all = table_of({1, 2, kMissing, 4, 5}, {0, -1, 1, 0, 2}, {"north", "south", "west"});
  test::run_ranks(2, [&](std::size_t rank) {
    const Table own = rank == 0 ? table_of({1, 2, kMissing}, {0, -1, 1}, {"north", "south"})
                                : table_of({4, 5}, {0, 1}, {"north", "west"});
    const SharedTable shared = shared_table(own, current_ranks());
    EXPECT_EQ(shared.begins, (std::vector<Index>{0, 3, 5}));
    EXPECT_EQ(table_digest(shared), table_digest(all));
    const Table gathered = shared.gathered();
    EXPECT_EQ(gathered.columns[1].levels, all.columns[1].levels);
    for (Index row = 0; row < all.rows; ++row) {
      EXPECT_EQ(gathered.columns[1].cell_text(row), all.columns[1].cell_text(row));
      EXPECT_EQ(gathered.place(row), all.place(row));
    }
    EXPECT_EQ(shared.own.place(0), all.place(shared.first()));
  });
}

TEST(RowsInMemory, AColumnWithoutValuesHoldsWhatTheOthersHold) {
  test::run_ranks(2, [](std::size_t rank) {
    Table own = rank == 0 ? table_of({1}, {0}, {"north"}) : table_of({2, 3}, {}, {});
    if (rank == 1) {
      Column nothing;
      nothing.name = "b";
      nothing.numbers = std::vector<double>{kMissing, kMissing};
      own.columns.push_back(nothing);
    }
    const Column b = shared_table(own, current_ranks()).whole("b");
    EXPECT_EQ(b.raw, RawType::text);
    EXPECT_EQ(b.cell_text(0), "north");
    EXPECT_TRUE(b.missing(1) && b.missing(2));
  });
}

TEST(RowsInMemory, ColumnsHaveToBeTheSame) {
  const auto expect_error = [](const Table& first, const Table& second, const std::string& message) {
    test::run_ranks(2, [&](std::size_t rank) {
      EXPECT_THAT(
          test::message_of<DataError>([&] { shared_table(rank == 0 ? first : second, current_ranks()); }),
          testing::HasSubstr(message));
    });
  };
  const Table two = table_of({1}, {0}, {"x"});
  expect_error(two, table_of({1}, {}, {}), "rank 0 has 2 columns, rank 1 has 1");
  Table other = two;
  other.columns[0].name = "c";
  expect_error(two, other, "column 'a' differs between rank 0 and rank 1");
  Table ordered = two, reversed = two;
  for (Table* table : {&ordered, &reversed}) table->columns[1].ordered = true;
  ordered.columns[1].levels = {"x", "y"};
  reversed.columns[1].levels = {"y", "x"};
  expect_error(ordered, reversed, "column 'b' differs");
}

}  // namespace
}  // namespace bl
