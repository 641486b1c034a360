// A large model read on one screen, refused where it is too large, and made small, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Ten columns of which x1 (bent), x4 and x7 matter for a class and for a number.
std::string planted_table(std::uint64_t rows) {
  const RandomStream random(11, Purpose::test);
  std::ostringstream out;
  for (int k = 0; k < 10; ++k) out << "x" << k << ",";
  out << "choice,amount\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    double x[10];
    for (std::uint64_t k = 0; k < 10; ++k) {
      x[k] = random.normal(k, i);
      out << x[k] << ",";
    }
    const double utility = 3 * std::abs(x[1]) - 2.4 + 2 * x[4] - 2 * x[7];
    const bool yes = random.uniform(20, i) < 1 / (1 + std::exp(-utility));
    out << (yes ? "yes" : "no") << "," << utility + random.normal(21, i) << "\n";
  }
  return out.str();
}

class SimplifyCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("data.csv", planted_table(1500));
    bl("fit data.csv --target choice --ignore amount --quiet --output large.bl");
  }
  std::string bl(const std::string& line) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  }
  void refuses(const std::string& line, const std::string& message) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
  }
  static void expect_screen(const std::string& text) {
    EXPECT_LE(lines_of(text).size(), 45U) << text;
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
  }

  const TemporaryFolder folder_;
};

TEST_F(SimplifyCommand, LargeModelIsReadOnOneScreen) {
  const std::string text = bl("explain large.bl");
  expect_screen(text);
  EXPECT_THAT(text, HasSubstr("64 blocks with 192 heads"));
  EXPECT_THAT(text, HasSubstr("58 other blocks, "));
  EXPECT_THAT(text, HasSubstr("bl simplify MODEL DATA"));
  // The columns that matter come first, and the bent one is said to be bent.
  const std::size_t noise = std::min({text.find("\n  x0"), text.find("\n  x2"), text.find("\n  x9")});
  for (const char* name : {"\n  x1", "\n  x4", "\n  x7"}) EXPECT_LT(text.find(name), noise) << text;
  EXPECT_THAT(bl("explain large.bl --full"), HasSubstr("\nL1.B64 in U"));
  EXPECT_THAT(bl("explain large.bl --terms 2"), HasSubstr("\nL1.B64 in U"));
  EXPECT_THAT(bl("explain large.bl --format markdown"), HasSubstr("L1.B64.U1"));
}

TEST_F(SimplifyCommand, SummaryOfALargeModelIsRefusedWithAProposal) {
  refuses("summary large.bl data.csv", "bl simplify MODEL DATA");
}

TEST_F(SimplifyCommand, KeepsTheColumnsThatMatter) {
  const std::string text =
      bl("simplify large.bl data.csv --columns 3 --blocks 2 --starts 3 --output small.bl");
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
  std::string columns;
  for (const std::string& line : lines_of(text))
    if (line.starts_with("columns   ")) columns = line;
  for (const char* name : {"x1", "x4", "x7"}) EXPECT_THAT(columns, HasSubstr(name));
  const std::string small = bl("explain small.bl --terms all");
  EXPECT_THAT(small, HasSubstr("L1.B2"));
  for (const char* name : {"x0", "x2", "x3", "x5", "x6", "x8", "x9"})
    EXPECT_THAT(small, Not(HasSubstr(name)));
  // On the rows that chose it, it loses no more than chance allows: two standard errors of the difference.
  // Its parts are the large model's.
  const json sizes =
      json::parse(bl("simplify large.bl data.csv --columns 3 --blocks 2 --starts 3 --json -o again.bl"));
  EXPECT_LT(sizes.back()["difference"].get<double>(), 2 * sizes.back()["difference_error"].get<double>());
  EXPECT_EQ(bl("explain again.bl --format json"), bl("explain small.bl --format json"));
  const json large = json::parse(bl("evaluate large.bl data.csv --part test --json"));
  const json few = json::parse(bl("evaluate small.bl data.csv --part test --json"));
  EXPECT_EQ(few["rows"], large["rows"]);
}

// Three places along x0: one U head has one direction, and small problems of several classes have more where
// rows are many.
TEST_F(SimplifyCommand, SeveralClassesHaveSeveralWants) {
  const RandomStream random(12, Purpose::test);
  for (const auto& [rows, wants] : {std::pair<std::uint64_t, std::size_t>{1500, 6}, {400, 1}}) {
    std::ostringstream table;
    table << "x0,x1,place\n";
    for (std::uint64_t i = 0; i < rows; ++i) {
      const double x = random.normal(0, i);
      table << x << "," << random.normal(1, i) << ","
            << (x < -0.5  ? "left"
                : x > 0.5 ? "right"
                          : "middle")
            << "\n";
    }
    folder_.write("places.csv", table.str());
    bl("fit places.csv --target place --quiet --output places.bl");
    bl("simplify places.bl places.csv --blocks 1 --columns 2 --starts 1 --output small.bl");
    const std::string text = bl("explain small.bl --terms all");
    EXPECT_THAT(text, HasSubstr("\n  max  U1 "));
    EXPECT_EQ(text.find("U" + std::to_string(wants + 1) + " "), std::string::npos);
    EXPECT_THAT(text, HasSubstr("U" + std::to_string(wants) + " "));
  }
}

TEST_F(SimplifyCommand, LadderIsATableWithOneChoice) {
  bl("fit data.csv --target amount --ignore choice --quiet --output number.bl");
  expect_screen(bl("explain number.bl"));
  const json sizes = json::parse(bl("simplify number.bl data.csv --blocks 3 --starts 1 --json -o small.bl"));
  ASSERT_EQ(sizes.size(), 9U);  // 1, 2, 3 blocks of 4, 8, 10 columns
  int chosen = 0;
  for (const json& size : sizes) {
    EXPECT_GT(size["standard_error"], 0);
    chosen += size["chosen"].get<int>();
    EXPECT_TRUE(size["chosen"] == 0 || size["blocks"] == 3);
  }
  EXPECT_EQ(chosen, 1);
  // Three columns matter, so that four are enough.
  EXPECT_LT(sizes[2]["difference"].get<double>(), 3 * sizes[2]["difference_error"].get<double>() + 0.05);
}

// Three products of bent columns: one head of a kind has too few directions, and the large model says so.
TEST_F(SimplifyCommand, ABlockGetsMoreHeadsWhereTheLargeModelKnowsMore) {
  const RandomStream random(12, Purpose::test);
  std::ostringstream out;
  out << "a,b,c,d,e,f,y\n";
  for (std::uint64_t i = 0; i < 6000; ++i) {
    double x[6];
    for (std::uint64_t k = 0; k < 6; ++k) out << (x[k] = 4 * random.uniform(k, i) - 2) << ",";
    double utility = 0;
    for (int k = 0; k < 6; k += 2) utility += 4 * std::sin(2 * x[k]) * std::sin(2 * x[k + 1]);
    out << (random.uniform(20, i) < 1 / (1 + std::exp(-utility)) ? "yes" : "no") << "\n";
  }
  folder_.write("pairs.csv", out.str());
  bl("fit pairs.csv --target y --quiet --output pairs.bl");
  const json sizes = json::parse(bl("simplify pairs.bl pairs.csv --blocks 1 --starts 1 --json -o small.bl"));
  ASSERT_GE(sizes.size(), 3U) << sizes;  // 4 and 6 columns, then more heads
  EXPECT_EQ(sizes[1]["heads"], 3);
  EXPECT_EQ(sizes[2]["heads"], 8);
  EXPECT_LT(sizes[2]["loss"].get<double>(), sizes[1]["loss"].get<double>() - 0.02);
  EXPECT_EQ(sizes[0]["chosen"].get<int>() + sizes[1]["chosen"].get<int>(), 0);
  // Heads that were asked for stay.
  bl("fit pairs.csv --target y --heads 2,1,0 --quiet --output asked.bl");
  const json asked = json::parse(bl("simplify asked.bl pairs.csv --blocks 1 --starts 1 --json -o small.bl"));
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1]["heads"], 3);
}

TEST_F(SimplifyCommand, AHeadReadsNoMoreColumnsThanAsked) {
  bl("simplify large.bl data.csv --blocks 2 --columns 10 --head-columns 3 --starts 1 -o small.bl");
  const json problem = json::parse(bl("explain small.bl --format json"));
  std::set<std::string> all;
  for (const json& block : problem["layers"][0])
    for (const json& head : block["heads"]) {
      std::set<std::string> read;
      for (const json& term : head["terms"])
        for (const json& factor : term["factors"])
          if (const auto name = factor["variable"].get<std::string>(); name.starts_with("x"))
            read.insert(name);
      EXPECT_EQ(read.size(), 3U);
      all.insert(read.begin(), read.end());
    }
  for (const char* name : {"x1", "x4", "x7"}) EXPECT_TRUE(all.contains(name)) << name;
  // What is printed is the model: its probabilities are still those of a good one.
  const json large = json::parse(bl("evaluate large.bl data.csv --part validation --json"));
  const json few = json::parse(bl("evaluate small.bl data.csv --part validation --json"));
  EXPECT_LT(few["log_loss"].get<double>(), large["log_loss"].get<double>() + 0.1);
}

TEST_F(SimplifyCommand, FitKeepsAReadableProblem) {
  const std::string text = bl("fit data.csv --target choice --ignore amount --readable --output small.bl");
  EXPECT_THAT(text, HasSubstr("in place of the large model"));
  EXPECT_THAT(bl("inspect small.bl"), Not(HasSubstr("[64]")));
  refuses("fit data.csv --target choice --readable --json -o s.bl", "--readable is for tables");
}

TEST_F(SimplifyCommand, WhatIsRefused) {
  refuses("simplify large.bl data.csv", "--output");
  refuses("simplify large.bl data.csv --blocks 0 -o s.bl", "--blocks");
  refuses("simplify large.bl data.csv --columns 11 -o s.bl", "columns = 11: the model has 10 features");
  bl("fit data.csv --target amount --ignore choice --single --epochs 2 --quiet --output single.bl");
  refuses("simplify single.bl data.csv -o s.bl", "nothing to simplify");
  bl("fit data.csv --target choice --ignore amount --layers 2 --fractions 1:0:0 --epochs 2 -q -o all.bl");
  refuses("simplify all.bl data.csv -o s.bl", "validation rows");
}

}  // namespace
}  // namespace bl::test
