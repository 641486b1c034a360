// Classes decided from probabilities by an aim, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// One row in eight is "rare", hardly ever the likelier class.
std::string unbalanced_table(std::uint64_t rows) {
  const RandomStream random(5, Purpose::test);
  std::ostringstream out;
  out << "a,b,kind\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double a = random.normal(i, 0), b = random.normal(i, 1);
    const bool rare = random.uniform(i, 2) < 1 / (1 + std::exp(2.6 - 1.2 * a));
    out << a << "," << b << "," << (rare ? "rare" : "common") << "\n";
  }
  return out.str();
}

class DecideCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("data.csv", unbalanced_table(2400));
    folder_.write("costs.csv", "truth,common,rare\nrare,8,0\ncommon,0,1\n");
    bl("fit data.csv --target kind --quiet --output model.bl");
  }
  std::string bl(const std::string& line) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  }
  json evaluated(const std::string& options) {
    return json::parse(bl("evaluate model.bl data.csv --part test --json " + options));
  }
  void refuses(const std::string& line, const std::string& message) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
  }
  const TemporaryFolder folder_;
};

TEST_F(DecideCommand, MacroF1IsHigherAndTheProbabilitiesStay) {
  const json plain = evaluated(""), same = evaluated("--decide accuracy"),
             f1 = evaluated("--decide macro_f1");
  EXPECT_EQ(plain, same);
  EXPECT_GT(f1["macro_f1"], plain["macro_f1"]);
  EXPECT_EQ(f1["log_loss"], plain["log_loss"]);
}

TEST_F(DecideCommand, CostsDecideByTheirExpectation) {
  for (const std::string& line : lines_of(bl("predict model.bl data.csv --decide cost costs.csv"))) {
    if (line.starts_with("kind")) continue;
    const std::string kind = line.substr(0, line.find(','));
    const std::string rest = line.substr(line.find(',') + 1);
    const double common = std::stod(rest), rare = std::stod(rest.substr(rest.find(',') + 1));
    EXPECT_EQ(kind, 8 * rare > common ? "rare" : "common") << line;
  }
  const json cost = evaluated("--decide cost costs.csv");
  EXPECT_GT(cost["mean_cost"], 0);
  EXPECT_LT(cost["mean_cost"], 1);  // of always deciding for the rare one, about 0.88
}

TEST_F(DecideCommand, WhatIsRefused) {
  refuses("predict model.bl data.csv --decide f1", "expected accuracy, macro_f1 or cost");
  refuses("predict model.bl data.csv --decide cost", "--decide cost FILE");
  refuses("predict model.bl data.csv --decide accuracy costs.csv", "takes no file");
  folder_.write("short.csv", "truth,common\nrare,8\ncommon,0\n");
  const Outcome outcome = bl_command(folder_, words("predict model.bl data.csv --decide cost short.csv"));
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("no column for the class 'rare'"));
  bl("fit data.csv --target a --epochs 2 --quiet --output number.bl");
  refuses("predict number.bl data.csv --decide macro_f1", "a class alone");
  bl("fit data.csv --target kind --fractions 1:0:0 --epochs 2 --quiet --output all.bl");
  refuses("predict all.bl data.csv --decide macro_f1", "no weights for macro_f1");
}

}  // namespace
}  // namespace bl::test
