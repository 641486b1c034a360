#include "features/near_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/read_table.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre, ::testing::IsEmpty;

// 100 rows of numbers in column a, with these cells in the first of them.
Table table_with(const std::vector<std::string>& cells) {
  std::string text = "a,y\n";
  for (std::size_t i = 0; i < 100; ++i)
    text += (i < cells.size() ? cells[i] : std::to_string(i)) + "," + std::to_string(i % 7) + ".5\n";
  return read_table_from_memory(text, "t.csv");
}

std::vector<std::string> notes(const Table& table, const std::vector<std::string>& declared = {}) {
  RoleOptions roles;
  roles.targets = {"y"};
  return near_number_notes(table, infer_schema(table, roles), declared);
}

TEST(NearNumbers, NamesTheCellsThatMakeLevelsOfNumbers) {
  EXPECT_THAT(
      notes(table_with({"1", "$1", "\"1,000\""})),
      ElementsAre("'a' was read as text with 100 levels: 2 of its 100 cells are not numbers: '$1' (line "
                  "3), '1,000' (line 4); name cells of missing values in `na` or leave them empty, write "
                  "numbers without "
                  "currency signs and thousands separators, or give `nominal` a if this is meant"));
}

TEST(NearNumbers, ShowsThreeOfMany) {
  EXPECT_THAT(notes(table_with({".", "-x", "None.", "?!"})),
              ElementsAre(::testing::HasSubstr("'.' (line 2), '-x' (line 3), 'None.' (line 4), ...;")));
}

TEST(NearNumbers, NumbersTextsAndDeclaredColumnsGetNone) {
  EXPECT_THAT(notes(table_with({})), IsEmpty());
  EXPECT_THAT(notes(table_with(std::vector<std::string>(60, "red"))), IsEmpty());
  EXPECT_THAT(notes(table_with({"$1"}), {"a"}), IsEmpty());
}

}  // namespace
}  // namespace bl
