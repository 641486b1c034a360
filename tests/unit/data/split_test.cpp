#include "data/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "bl/errors.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_partition(const Split& split, Index rows) {
  std::vector<Index> all;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    EXPECT_TRUE(std::is_sorted(part->begin(), part->end()));
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  std::vector<Index> expected(static_cast<std::size_t>(rows));
  std::iota(expected.begin(), expected.end(), Index{0});
  EXPECT_EQ(all, expected);
}

TEST(Split, RandomPartsHaveTheAskedSizes) {
  for (const auto& [rows, train, validation, test] :
       std::vector<std::array<std::size_t, 4>>{{10, 7, 1, 2},
                                               {1000, 700, 100, 200},
                                               {3, 1, 1, 1},
                                               {4, 2, 1, 1},
                                               {5, 3, 1, 1},
                                               {506, 354, 51, 101}}) {
    const Split split = split_rows(static_cast<Index>(rows), {SplitKind::random, {0.7, 0.1, 0.2}, 5});
    expect_partition(split, static_cast<Index>(rows));
    EXPECT_EQ(split.train.size(), train) << rows;
    EXPECT_EQ(split.validation.size(), validation) << rows;
    EXPECT_EQ(split.test.size(), test) << rows;
  }
}

TEST(Split, IsAFunctionOfTheSeed) {
  const Split a = split_rows(100, {SplitKind::random, {7, 1, 2}, 1});
  const Split b = split_rows(100, {SplitKind::random, {0.7, 0.1, 0.2}, 1});
  const Split c = split_rows(100, {SplitKind::random, {7, 1, 2}, 2});
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.test, b.test);
  EXPECT_NE(a.train, c.train);
}

// Each row lands in the test part in 20 % of the seeds: within 4.5 standard errors.
TEST(Split, RandomRowsAreTreatedAlike) {
  constexpr int kSeeds = 2000;
  std::vector<int> tested(20, 0);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const Index row : split_rows(20, {SplitKind::random, {7, 1, 2}, seed}).test)
      ++tested[static_cast<std::size_t>(row)];
  }
  for (const int count : tested) EXPECT_NEAR(count, 0.2 * kSeeds, 4.5 * std::sqrt(0.2 * 0.8 * kSeeds));
}

TEST(Split, OrderKeepsTheOrder) {
  const Split split = split_rows(10, {SplitKind::order, {7, 1, 2}, 9});
  EXPECT_THAT(split.train, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(split.validation, ElementsAre(7));
  EXPECT_THAT(split.test, ElementsAre(8, 9));
}

TEST(Split, PartsOfFractionZeroAreEmpty) {
  const Split split = split_rows(10, {SplitKind::random, {0.8, 0.2, 0}, 1});
  expect_partition(split, 10);
  EXPECT_EQ(split.train.size(), 8U);
  EXPECT_TRUE(split.test.empty());
}

TEST(Split, StratifiedKeepsTheSharesOfClasses) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 1000; ++i) labels.push_back(i % 10 == 0 ? 1 : 0);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Split split = split_rows(1000, {SplitKind::stratified, {7, 1, 2}, seed}, labels);
    expect_partition(split, 1000);
    const auto ones = [&](const std::vector<Index>& part) {
      return std::count_if(part.begin(), part.end(),
                           [&](Index row) { return labels[static_cast<std::size_t>(row)] == 1; });
    };
    EXPECT_EQ(split.train.size(), 700U);
    EXPECT_EQ(ones(split.train), 70);
    EXPECT_EQ(ones(split.validation), 10);
    EXPECT_EQ(ones(split.test), 20);
  }
}

// Fifty classes of one to five rows: shares hold in total, and no class is without training rows.
TEST(Split, StratifiedWithManySmallClasses) {
  std::vector<std::int32_t> labels;
  for (std::int32_t label = 0; label < 50; ++label)
    labels.insert(labels.end(), static_cast<std::size_t>(1 + label % 5), label);
  const auto rows = static_cast<Index>(labels.size());
  const Split split = split_rows(rows, {SplitKind::stratified, {7, 1, 2}, 3}, labels);
  expect_partition(split, rows);
  std::set<std::int32_t> trained;
  for (const Index row : split.train) trained.insert(labels[static_cast<std::size_t>(row)]);
  EXPECT_EQ(trained.size(), 50U);
  EXPECT_NEAR(static_cast<double>(split.train.size()), 105, 3);
  EXPECT_NEAR(static_cast<double>(split.validation.size()), 15, 3);
  EXPECT_NEAR(static_cast<double>(split.test.size()), 30, 3);
}

TEST(Split, StratifiedOfVeryFewRowsHasNoEmptyPart) {
  for (const auto& labels :
       std::vector<std::vector<std::int32_t>>{{0, 1, 0}, {0, 1, 2, 3}, {0, 0, 0, 1, 1}}) {
    const auto rows = static_cast<Index>(labels.size());
    const Split split = split_rows(rows, {SplitKind::stratified, {7, 1, 2}, 1}, labels);
    expect_partition(split, rows);
    EXPECT_FALSE(split.train.empty() || split.validation.empty() || split.test.empty());
  }
}

TEST(Split, GroupsStayTogether) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 900; ++i) labels.push_back((i * 37) % 100);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Split split = split_rows(900, {SplitKind::group, {7, 1, 2}, seed}, labels);
    expect_partition(split, 900);
    std::map<std::int32_t, std::set<int>> parts_of;
    int number = 0;
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      for (const Index row : *part) parts_of[labels[static_cast<std::size_t>(row)]].insert(number);
      ++number;
    }
    for (const auto& [label, parts] : parts_of) EXPECT_EQ(parts.size(), 1U) << label;
    EXPECT_NEAR(static_cast<double>(split.train.size()), 630, 9);  // to within one group
    EXPECT_NEAR(static_cast<double>(split.test.size()), 180, 9);
  }
  EXPECT_NE(split_rows(900, {SplitKind::group, {7, 1, 2}, 1}, labels).test,
            split_rows(900, {SplitKind::group, {7, 1, 2}, 2}, labels).test);
}

TEST(Split, ThreeGroupsGiveThreeParts) {
  const std::vector<std::int32_t> labels = {0, 0, 0, 0, 1, 1, 2};
  const Split split = split_rows(7, {SplitKind::group, {7, 1, 2}, 4}, labels);
  expect_partition(split, 7);
  EXPECT_FALSE(split.train.empty() || split.validation.empty() || split.test.empty());
}

TEST(Split, Errors) {
  const std::vector<std::int32_t> two_groups = {0, 0, 1, 1};
  EXPECT_THAT(test::message_of<DataError>([] { split_rows(2, {}); }), HasSubstr("2 rows for 3 parts"));
  EXPECT_THAT(test::message_of<DataError>([&] {
                split_rows(4, {SplitKind::group, {7, 1, 2}, 0}, two_groups);
              }),
              HasSubstr("2 groups for 3 parts"));
  EXPECT_THROW(split_rows(10, {SplitKind::random, {0, 1, 2}, 0}), UsageError);
  EXPECT_THROW(split_rows(10, {SplitKind::random, {1, -1, 2}, 0}), UsageError);
  EXPECT_THROW(split_rows(10, {SplitKind::random, {1, NAN, 2}, 0}), UsageError);
  EXPECT_THROW(split_rows(10, {SplitKind::stratified, {7, 1, 2}, 0}), UsageError);
}

}  // namespace
}  // namespace bl
