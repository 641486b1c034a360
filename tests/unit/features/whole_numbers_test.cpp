#include "features/whole_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/read_table.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;

// Five rows of each value.
Table table_of(const std::vector<int>& values) {
  std::string text = "x,y\n";
  for (int i = 0; i < 5; ++i)
    for (const int value : values) text += std::to_string(i) + ".5," + std::to_string(value) + "\n";
  return read_table_from_memory(text, "t.csv");
}

Schema schema_of(const Table& table, std::optional<ColumnType> type = {}) {
  RoleOptions roles;
  roles.targets = {"y"};
  if (type) roles.columns["y"].type = type;
  return infer_schema(table, roles);
}

ColumnType type_of(const std::vector<int>& values) {
  return schema_of(table_of(values)).find("y")->type;
}

std::vector<std::string> notes_of(const std::vector<int>& values,
                                  const std::vector<std::string>& declared = {}) {
  const Table table = table_of(values);
  return numbered_class_notes(table, schema_of(table), declared);
}

const std::vector<int> kVisits = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 48};

TEST(WholeNumbers, ManyWithGapsAreANumber) {
  EXPECT_EQ(type_of(kVisits), ColumnType::continuous);
  EXPECT_THAT(notes_of(kVisits), IsEmpty());
}

TEST(WholeNumbers, FewOrWithoutGapsAreClasses) {
  EXPECT_EQ(type_of({0, 1, 2, 3, 7, 12}), ColumnType::nominal);
  EXPECT_EQ(type_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), ColumnType::nominal);
}

TEST(WholeNumbers, ANoteSaysThatClassesHaveNoOrder) {
  EXPECT_THAT(notes_of({0, 1, 2, 3, 7, 12}),
              ElementsAre("'y' holds 6 different whole numbers from 0 to 12 and is learned as classes, which "
                          "have no order; give `continuous` y to learn a number (a count), or `nominal` y if "
                          "classes are meant"));
  EXPECT_THAT(notes_of({3, 4, 5, 6, 7, 8}), ElementsAre(HasSubstr("6 different whole numbers from 3 to 8")));
  EXPECT_THAT(notes_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), ElementsAre(HasSubstr("11 different")));
}

TEST(WholeNumbers, NothingIsSaidOfWhatPeopleCallClasses) {
  EXPECT_THAT(notes_of({0, 1}), IsEmpty());
  EXPECT_THAT(notes_of({-1, 1}), IsEmpty());
  EXPECT_THAT(notes_of({1, 2, 3}), IsEmpty());
  EXPECT_THAT(notes_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), IsEmpty());
  EXPECT_THAT(notes_of({0, 1, 2, 3, 7, 12}, {"y"}), IsEmpty());  // declared
}

TEST(WholeNumbers, NothingIsSaidOfNumbers) {
  const Table table = table_of({0, 1, 2, 3, 7, 12});
  EXPECT_THAT(numbered_class_notes(table, schema_of(table, ColumnType::continuous), {}), IsEmpty());
}

}  // namespace
}  // namespace bl
