// From settings and a table to its rows and responses: which rows are trained on, which fold has them, what
// the classes are.
#include "plan/table_plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bl/errors.hpp"
#include "unit/data/data_helpers.hpp"
#include "unit/plan/planned.hpp"

namespace bl {
namespace {

using test::Planned;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ResponseSpace, SeveralClassesAreOneWithALevelForEveryCombination) {
  const Planned p("y,s,v");
  EXPECT_EQ(p.space.classes(), 6);
  EXPECT_EQ(p.space.values(), 1);
  EXPECT_EQ(p.space.class_name, "y, s");
  EXPECT_THAT(p.space.class_labels, ElementsAre("y=blue, s=off", "y=blue, s=on", "y=green, s=off",
                                                "y=green, s=on", "y=red, s=off", "y=red, s=on"));
  const auto combined = p.space.combine(p.encoder.encode<double>(p.table, all_rows(p.table.rows)).classes);
  EXPECT_THAT(combined, ElementsAre(5, 0, 3, 4));  // red on, blue off, green on, red off
}

TEST(ResponseSpace, OneClassKeepsItsNames) {
  const Planned p("y");
  EXPECT_EQ(p.space.class_name, "y");
  EXPECT_THAT(p.space.class_labels, ElementsAre("blue", "green", "red"));
  EXPECT_TRUE(Planned("v").space.class_labels.empty());
}

TEST(ResponseSpace, TooManyCombinationsAreRefused) {
  std::string text = "x,a,b\n";
  for (int i = 0; i < 150; ++i)
    text += std::to_string(i) + ",a" + std::to_string(i) + ",b" + std::to_string(i) + "\n";
  const Table table = read_table_from_memory(text, "t.csv");
  Settings settings;
  settings.target = "a,b";
  const Encoder encoder =
      Encoder::fit(table, plan_schema(table, settings),
                   encode_options(settings, plan_schema(table, settings)), all_rows(table.rows), Context(1));
  EXPECT_THAT(test::message_of<DataError>([&] { ResponseSpace space(encoder); }),
              HasSubstr("10000 combinations"));
}

TEST(PlanSchema, WithoutATargetEveryFeatureIsAResponse) {
  const Planned p("");
  EXPECT_TRUE(p.encoder.features().empty());
  EXPECT_EQ(p.encoder.responses().size(), 2U);  // x and c; the others are ignored
}

TEST(PlanSplit, RowsWithoutAResponseAreInNoPart) {
  std::string text = "x,y,z\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", i, i % 5 == 2 ? "" : i % 2 == 0 ? "a" : "b", i % 7 == 1 ? "" : "1.5");
  const Table table = read_table_from_memory(text, "t.csv");
  Settings settings;
  settings.target = "y,z";
  set(settings, "continuous", "z");
  const Schema schema = plan_schema(table, settings);
  std::vector<Index> expected;
  for (Index i = 0; i < 60; ++i)
    if (i % 5 != 2 && i % 7 != 1) expected.push_back(i);
  EXPECT_EQ(rows_with_responses(table, schema, all_rows(60)), expected);
  EXPECT_EQ(rows_of_all_parts(plan_split(table, schema, settings)), expected);
  settings.missing = "error";  // the encoder will refuse them
  EXPECT_EQ(rows_of_all_parts(plan_split(table, schema, settings)), all_rows(60));
}

TEST(PlanSplit, DependsOnSettingsAndTableAlone) {
  Planned p("y");
  const Schema schema = plan_schema(p.table, p.settings);
  const Split first = plan_split(p.table, schema, p.settings),
              again = plan_split(p.table, schema, p.settings);
  EXPECT_EQ(first.train, again.train);
  EXPECT_EQ(first.test, again.test);
  EXPECT_EQ(first.train.size() + first.validation.size() + first.test.size(), 4U);
  set(p.settings, "fractions", "1:0:0");
  EXPECT_EQ(plan_split(p.table, schema, p.settings).train.size(), 4U);
  set(p.settings, "split", "order");
  set(p.settings, "fractions", "2:1:1");
  EXPECT_THAT(plan_split(p.table, schema, p.settings).train, ElementsAre(0, 1));
  for (const char* bad : {"1:1", "a:1:1", "0:1:1", "-1:1:1", ""}) {
    set(p.settings, "fractions", bad);
    EXPECT_THROW(plan_split(p.table, schema, p.settings), UsageError) << bad;
  }
}

std::string persons(int rows) {
  std::string text = "x,person,v\n";
  for (int i = 0; i < rows; ++i) text += fmt::format("{},p{},{}\n", i, i / 3, i * i);
  return text;
}

// Rows 0 ... 47 of a table in which three neighbours are a person.
std::vector<std::vector<Index>> folds_of(const std::vector<std::pair<std::string, std::string>>& chosen,
                                         Index count) {
  const Table table = read_table_from_memory(persons(60), "t.csv");
  Settings s;
  s.target = "v";
  for (const auto& [name, value] : chosen) set(s, name, value);
  std::vector<Index> rows(48);
  std::iota(rows.begin(), rows.end(), Index{0});
  return plan_folds(table, plan_schema(table, s), s, rows, count);
}

TEST(PlanFolds, EveryRowIsInOneFoldAndFoldsHaveNearlyOneSize) {
  for (const auto& chosen : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {}, {{"split", "order"}}, {{"group", "person"}}}) {
    std::vector<Index> all;
    for (const auto& fold : folds_of(chosen, 5)) {
      EXPECT_TRUE(std::is_sorted(fold.begin(), fold.end()));
      EXPECT_GE(fold.size(), 9U);
      EXPECT_LE(fold.size(), 12U);
      all.insert(all.end(), fold.begin(), fold.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<Index> expected(48);
    std::iota(expected.begin(), expected.end(), Index{0});
    EXPECT_EQ(all, expected);
  }
}

TEST(PlanFolds, GroupsStayTogetherAndRowsInOrderAreNeighbours) {
  for (const auto& fold : folds_of({{"group", "person"}}, 4))
    for (const Index row : fold)
      EXPECT_TRUE(std::binary_search(fold.begin(), fold.end(), row / 3 * 3 + (row + 1) % 3));
  for (const auto& fold : folds_of({{"split", "order"}}, 4))
    EXPECT_EQ(fold.back() - fold.front() + 1, static_cast<Index>(fold.size()));
  EXPECT_NE(folds_of({}, 4), folds_of({{"split", "order"}}, 4));
  EXPECT_NE(folds_of({}, 4), folds_of({{"seed", "1"}}, 4));
}

TEST(PlanFolds, TooFewRowsMakeNone) {
  EXPECT_TRUE(folds_of({}, 49).empty());
  EXPECT_TRUE(folds_of({{"group", "person"}}, 17).empty());
  EXPECT_EQ(folds_of({{"group", "person"}}, 16).size(), 16U);
}

}  // namespace
}  // namespace bl
