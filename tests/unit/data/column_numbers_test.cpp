#include "data/column_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bl {
namespace {

using testing::ElementsAre;

TEST(ColumnNumbers, OwnNumbersGrow) {
  ColumnNumbers numbers{1, 2};
  numbers.push_back(3);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  EXPECT_EQ(numbers.back(), 3);
  EXPECT_TRUE(ColumnNumbers().empty());
}

TEST(ColumnNumbers, OthersAreCopiedWhenTheyGrowAndNotBefore) {
  const auto memory = std::make_shared<std::vector<double>>(std::vector<double>{1, 2});
  ColumnNumbers numbers(*memory, memory);
  EXPECT_EQ(numbers.begin(), memory->data());
  numbers.push_back(3);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  EXPECT_THAT(*memory, ElementsAre(1, 2));
  EXPECT_EQ(memory.use_count(), 1);
  ColumnNumbers changed(*memory, memory);
  changed[1] = 7;
  EXPECT_THAT(changed, ElementsAre(1, 7));
  EXPECT_THAT(*memory, ElementsAre(1, 2));
}

}  // namespace
}  // namespace bl
