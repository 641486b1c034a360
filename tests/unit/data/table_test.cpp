#include "data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table read(std::string_view text, const std::string& name = "t.csv") {
  return read_table_from_memory(text, name);
}

TEST(LineNumbers, JumpsAndRuns) {
  LineNumbers lines;
  const std::vector<std::int64_t> expected = {2, 3, 4, 9, 10, 10, 11, 2};
  for (const auto line : expected) lines.append(line);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(lines[static_cast<Index>(i)], expected[i]);
}

TEST(Table, UnknownColumnNamesTheNearest) {
  const Table table = read("age,income\n1,2\n");
  EXPECT_EQ(&table.column("income"), &table.columns[1]);
  EXPECT_EQ(table.find("Age"), nullptr);
  EXPECT_THAT(
      test::message_of<DataError>([&] { table.column("incmoe"); }),
      ::testing::AllOf(HasSubstr("t.csv"), HasSubstr("'incmoe'"), HasSubstr("did you mean 'income'?")));
}

TEST(CategoryCodes, InOrderOfAppearance) {
  const Table table = read("n,t\n7,b\n3,a\n7,b\n");
  EXPECT_THAT(category_codes(table, table.columns[0]), ElementsAre(0, 1, 0));
  EXPECT_THAT(category_codes(table, table.columns[1]), ElementsAre(0, 1, 0));
  const Table gap = read("n,t\n7,b\n3,\n");
  EXPECT_THAT(test::message_of<DataError>([&] { category_codes(gap, gap.columns[1]); }),
              HasSubstr("t.csv:3: column 't'"));
}

TEST(Digest, DependsOnNamesTypesValuesAndOrderOnly) {
  const std::string base = table_digest(read("a,b\n1,x\n2,\n"));
  EXPECT_EQ(base.size(), 16U);
  EXPECT_EQ(base.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(base, table_digest(read("a,b\n\n1.0, x\n2e0,NA\n", "other.csv")));
  for (const char* other : {"c,b\n1,x\n2,\n", "a,b\n1,y\n2,\n", "a,b\n1,x\n3,\n", "a,b\n2,\n1,x\n",
                            "b,a\nx,1\n,2\n", "a,b\n1,x\n2,x\n", "a,b\n1,x\n"}) {
    EXPECT_NE(base, table_digest(read(other))) << other;
  }
  EXPECT_NE(table_digest(read("a,b\n,1\n1,\n")), table_digest(read("a,b\n1,\n,1\n")));
}

}  // namespace
}  // namespace bl
