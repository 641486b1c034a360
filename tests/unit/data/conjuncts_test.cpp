#include "data/conjuncts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bl {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> out;
  for (const Expression& one : conjuncts(Expression::parse(text))) {
    const std::string& found = one.text();
    const std::size_t from = found.find_first_not_of(' '), to = found.find_last_not_of(' ');
    out.push_back(found.substr(from, to - from + 1));
  }
  return out;
}

TEST(Conjuncts, AreCutAtTheOutermostAnds) {
  EXPECT_THAT(parts("a > 1 and b == 2 and c != 3"), ElementsAre("a > 1", "b == 2", "c != 3"));
  EXPECT_THAT(parts("(a > 1 and (b == 2 and c != 3))"), ElementsAre("a > 1", "b == 2", "c != 3"));
}

TEST(Conjuncts, TheWholeWhereThereIsNone) {
  EXPECT_THAT(parts("a > 1 or b == 2 and c != 3"), ElementsAre("a > 1 or b == 2 and c != 3"));
  EXPECT_THAT(parts("color == 'this and that'"), ElementsAre("color == 'this and that'"));
}

}  // namespace
}  // namespace bl
