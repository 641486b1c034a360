#include "features/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/encoder.hpp"

namespace bl {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table read(const std::string& text) {
  return read_table_from_memory(text, "t.csv");
}

TEST(Levels, NumbersAreSortedByValueTextsByBytes) {
  std::vector<std::string> numbers = {"10", "9", "-1"}, texts = {"10", "9", "x"};
  sort_levels(numbers);
  sort_levels(texts);
  EXPECT_THAT(numbers, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(texts, ElementsAre("10", "9", "x"));
}

// 2^53 and 2^53 + 1 are one double: as numbers these two classes would be one.
TEST(Levels, WholeNumbersThatDoublesMergeAreRefused) {
  std::string text = "x,id\n", letters = "x,id\n";
  for (int i = 0; i < 20; ++i) {
    const std::string row = std::to_string(i % 7) + ",",
                      id = i % 2 == 0 ? "9007199254740993" : "9007199254740992";
    text += row + id + "\n";
    letters += row + "u" + id + "\n";
  }
  RoleOptions roles;
  roles.targets = {"id"};
  const auto fit = [&](const Table& table) {
    return Encoder::fit(table, infer_schema(table, roles), {}, all_rows(table.rows), Context(1));
  };
  try {
    fit(read(text));
    FAIL() << "the classes merged";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'id'"), HasSubstr("2^53"), HasSubstr("write them as text")));
  }
  EXPECT_EQ(fit(read(letters)).responses()[0].levels.size(), 2);
}

TEST(Levels, TheLargestThatAreToldApartStay) {
  std::string text = "x,id\n";
  for (int i = 0; i < 20; ++i)
    text += std::to_string(i % 7) + (i % 2 == 0 ? ",9007199254740991\n" : ",9007199254740990\n");
  const Table table = read(text);
  EXPECT_THAT(distinct_levels(table.column("id"), all_rows(table.rows)),
              ElementsAre("9007199254740990", "9007199254740991"));
}

}  // namespace
}  // namespace bl
