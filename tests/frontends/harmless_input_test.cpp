// What looks wrong and is not.
#include <fmt/format.h>

#include "frontends/bad_input.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HarmlessInputTest : public ::testing::Test {
 protected:
  std::string predictions(const std::string& rows, const std::string& options = "") {
    folder_.write("rows.csv", rows);
    folder_.write("choice_v1.bl", fixture("choice_v1.bl"));
    const Outcome outcome = bl_command(folder_, words("predict choice_v1.bl rows.csv " + options));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  const TemporaryFolder folder_;
};

TEST_F(HarmlessInputTest, ReorderedAndFurtherColumnsChangeNothing) {
  const std::string expected = predictions("age,income,town\n30,1.5,east\n51,,west\n");
  EXPECT_EQ(predictions("town,more,income,age\neast,?,1.5,30\nwest,x,,51\n"), expected);
  EXPECT_EQ(lines_of(expected).size(), 3U);
}

TEST_F(HarmlessInputTest, UnseenLevelCountsAsMissingOnRequest) {
  const std::string option = "--unseen-as-missing";
  EXPECT_EQ(predictions("age,income,town\n30,1.5,atlantis\n", option),
            predictions("age,income,town\n30,1.5,\n", option));
  folder_.write("known.csv", "age,income,town,choice\n30,1.5,,buy\n51,2,,rent\n");
  folder_.write("unseen.csv", "age,income,town,choice\n30,1.5,atlantis,buy\n51,2,atlantis,rent\n");
  const Outcome missing = bl_command(folder_, words("evaluate choice_v1.bl known.csv"));
  const Outcome unseen = bl_command(folder_, words("evaluate choice_v1.bl unseen.csv " + option));
  EXPECT_EQ(unseen.code, 0) << unseen.err;
  EXPECT_EQ(unseen.out, missing.out);
}

// A point for a missing number: text without the word, and a missing value with it, also where the model is
// used.
TEST_F(HarmlessInputTest, NamedCellsCountAsMissing) {
  std::string table = "x,y\n";
  for (int i = 0; i < 60; ++i) table += std::to_string(i % 7) + "," + (i % 2 == 0 ? "a" : "b") + "\n";
  folder_.write("points.csv", table + ".,a\n-99,b\n");
  const std::string fit = "fit points.csv --target y --single --epochs 1 -o points.bl ";
  EXPECT_THAT(bl_command(folder_, words(fit)).out, HasSubstr("was read as text"));
  const Outcome named = bl_command(folder_, words(fit + "--na .,-99"));
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out, Not(HasSubstr("was read as text")));
  const Outcome predicted = bl_command(folder_, words("predict points.bl points.csv"));
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(bl_command(folder_, words("predict points.bl points.csv --na no")).code, 3);
}

// The same model as without them, for every way to split; they are predicted like any others.
TEST_F(HarmlessInputTest, RowsWithoutAResponseAreLeftOutWithANote) {
  std::string some = "a,b,g,y\n", all = some;
  for (int i = 0; i < 120; ++i) {
    const std::string features = fmt::format("{},{},g{}", (i * 37) % 101, (i * 53) % 89, i % 20);
    const bool without = i % 7 == 3;
    const std::string row = fmt::format("{},{}\n", features, without ? "" : i % 3 == 0 ? "yes" : "no");
    all += row;
    if (!without) some += row;
  }
  folder_.write("all.csv", all);
  folder_.write("some.csv", some);
  const auto done = [&](const std::string& command) {
    const Outcome outcome = bl_command(folder_, words(command));
    EXPECT_EQ(outcome.code, 0) << command << outcome.err;
    return outcome.out;
  };
  for (const std::string split : {"random", "stratified", "group --group g", "order"}) {
    const std::string fit = "fit {}.csv --target y --layers 2,1 --epochs 3 --split " + split + " -o {}.bl";
    EXPECT_THAT(done(fmt::format(fmt::runtime(fit), "all", "all")),
                HasSubstr("rows without a response are left out: 17 of 120"));
    done(fmt::format(fmt::runtime(fit), "some", "some"));
    EXPECT_EQ(done("predict all.bl all.csv"), done("predict some.bl all.csv")) << split;
    EXPECT_EQ(lines_of(done("predict all.bl all.csv")).size(), 121U);
    EXPECT_EQ(done("evaluate all.bl all.csv --part test"), done("evaluate some.bl some.csv --part test"));
  }
  const std::string judged = done("evaluate all.bl all.csv"), expected = done("evaluate some.bl some.csv");
  EXPECT_EQ(judged, expected + "note      rows without a response are left out: 17\n");
  EXPECT_EQ(done("evaluate all.bl all.csv --decide accuracy"),
            done("evaluate some.bl some.csv --decide accuracy") +
                "note      rows without a response are left out: 17\n");
  const std::string one_block =
      "fit {}.csv --target y --ignore g --single --heads 1,0,0 --utility identity --quiet -o {}.bl";
  done(fmt::format(fmt::runtime(one_block), "all", "all"));
  done(fmt::format(fmt::runtime(one_block), "some", "some"));
  EXPECT_EQ(done("summary all.bl all.csv"), done("summary some.bl some.csv"));
  const std::string readable = "fit {}.csv --target y --ignore g --readable --quiet -o {}.bl";
  done(fmt::format(fmt::runtime(readable), "all", "all"));
  done(fmt::format(fmt::runtime(readable), "some", "some"));
  EXPECT_EQ(done("explain all.bl"), done("explain some.bl"));
}

TEST_F(HarmlessInputTest, AllMissingColumnIsLeftOutWithANote) {
  folder_.write("data.csv", with_column(0, ""));
  const Outcome outcome =
      bl_command(folder_, words("fit data.csv --target y --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no values"));
  EXPECT_THAT(outcome.out, HasSubstr("'a' is constant and left out"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("inf")));
}

TEST_F(HarmlessInputTest, ASupportThatEndsAtTheDataIsTaken) {
  folder_.write("data.csv", "a,y\n" + repeated("1,0.1\n2,0.7\n3,0.3\n4,0.9\n", 10));
  const Outcome outcome = bl_command(
      folder_, words("fit data.csv --target y --support 0.1:0.9 --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(HarmlessInputTest, ASettingMayStandBeforeTheFile) {
  folder_.write("data.csv", good_table());
  const Outcome outcome =
      bl_command(folder_, words("fit --set seed=1 data.csv --target y --layers 2,1 --epochs 1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(HarmlessInputTest, TheCommandLineWinsOverTheSettingsFile) {
  folder_.write("data.csv", good_table());
  folder_.write("fit.toml", "single = true\nseed = 4\nepochs = 1\nignore = 'z'\n");
  const Outcome outcome = bl_command(
      folder_,
      words("fit data.csv --target y --config fit.toml --no-single --seed 5 --layers 2,1 -o model.bl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("layers [2,1]"));
  EXPECT_THAT(bl_command(folder_, words("inspect model.bl")).out, HasSubstr("seed 5"));
}

// Members that end early leave gaps among the numbers of their checkpoints.
TEST_F(HarmlessInputTest, ACompleteFitLeavesNoCheckpointOfAnyMember) {
  folder_.write("data.csv", good_table());
  folder_.write("model.bl.checkpoint.2", "an older member");
  folder_.write("model.bl.checkpoint.old", "somebody's");
  const Outcome outcome =
      bl_command(folder_, words("fit data.csv --target y --ignore z --epochs 2 -o model.bl --quiet"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(names_in(folder_.file("")),
            (std::vector<std::string>{"data.csv", "model.bl", "model.bl.checkpoint.old"}));
}

}  // namespace
}  // namespace bl::test
