// The way from a file to a model and back, through the real program, on small tables with a planted relation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "frontends/command.hpp"
#include "frontends/newcomer_data.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using Rows = std::vector<std::vector<std::string>>;

// Cells of a CSV text without quotes, the header first.
Rows cells(const std::string& text) {
  Rows rows;
  for (const std::string& line : lines_of(text)) {
    rows.emplace_back();
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t to = std::min(line.find(',', from), line.size());
      rows.back().push_back(line.substr(from, to - from));
      from = to + 1;
    }
  }
  return rows;
}

// The whole cell as a number; NaN for anything else, which no comparison passes.
double number(const std::vector<std::string>& row, std::size_t column) {
  const std::string& cell = row.at(column);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0' ? value : std::nan("");
}

class NewcomerTest : public ::testing::Test {
 protected:
  // Standard output of a command that must succeed.
  std::string bl(const std::string& line, const std::string& input = "") {
    const Outcome outcome = bl_command(folder_, words(line), input);
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  }
  void expect_narrow(const std::string& text) {
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
  }
  std::string file(const std::string& name) const { return read_file(folder_.file(name)); }

  const TemporaryFolder folder_;
};

const std::string kSmall = " --layers 3,2 --epochs 5 --quiet ";

TEST_F(NewcomerTest, AClassFromFileToPredictions) {
  folder_.write("data.csv", class_table(300));
  const std::string fitted =
      bl("fit data.csv --target choice --id id --layers 6,2 --epochs 40 --output model.bl");
  expect_narrow(fitted);
  EXPECT_THAT(fitted, HasSubstr("choice (2 classes)"));
  EXPECT_THAT(fitted, HasSubstr("210 training, 30 validation, 60 test"));
  EXPECT_THAT(fitted, HasSubstr("missing training values"));
  EXPECT_EQ(names_in(folder_.file("")), (std::vector<std::string>{"data.csv", "model.bl"}));

  const std::string inspected = bl("inspect model.bl");
  expect_narrow(inspected);
  EXPECT_THAT(inspected, HasSubstr("classes buy, wait"));
  EXPECT_TRUE(json::parse(bl("inspect model.bl --json")).contains("architecture"));

  // The test rows give what the fit printed, digit by digit, and a model that has learned something.
  const std::string evaluated = bl("evaluate model.bl data.csv --part test");
  expect_narrow(evaluated);
  EXPECT_THAT(fitted, HasSubstr(evaluated));
  const json figures = json::parse(bl("evaluate model.bl data.csv --part test --json"));
  EXPECT_EQ(figures["rows"], 60);
  EXPECT_GT(figures["auc"], 0.75);

  const Rows rows = cells(bl("predict model.bl data.csv --carry id,age --digits full"));
  ASSERT_EQ(rows.size(), 301U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"id", "age", "choice", "p(buy)", "p(wait)"}));
  const Rows data = cells(file("data.csv"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], data[i][0]);
    EXPECT_EQ(number(rows[i], 1), number(data[i], 2));
    EXPECT_NEAR(number(rows[i], 3) + number(rows[i], 4), 1, 1e-12);
    EXPECT_EQ(rows[i][2], number(rows[i], 3) > number(rows[i], 4) ? "buy" : "wait");
  }
  EXPECT_EQ(cells(bl("predict model.bl data.csv --part test")).size(), 61U);
}

TEST_F(NewcomerTest, JsonLinesSayWhatTheCsvSays) {
  folder_.write("data.csv", class_table(60));
  bl("fit data.csv --target choice --id id -o model.bl" + kSmall);
  const Rows csv = cells(bl("predict model.bl data.csv --carry id"));
  bl("predict model.bl data.csv --carry id --format jsonl --output p.jsonl");
  const auto lines = lines_of(file("p.jsonl"));
  ASSERT_EQ(lines.size() + 1, csv.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json one = json::parse(lines[i]);
    EXPECT_EQ(one["id"], csv[i + 1][0]);
    EXPECT_EQ(one["choice"], csv[i + 1][1]);
    EXPECT_EQ(one["p(buy)"].get<double>(), number(csv[i + 1], 2));
  }
}

TEST_F(NewcomerTest, UtilitiesAndTemperatureAgreeWithTheProbabilities) {
  folder_.write("data.csv", class_table(60));
  bl("fit data.csv --target choice --id id -o model.bl" + kSmall);
  const Rows trained = cells(bl("predict model.bl data.csv --utilities --digits full"));
  const Rows hot = cells(bl("predict model.bl data.csv --utilities --temperature 2.5 --digits full"));
  EXPECT_EQ(trained[0].back(), "utility(wait)");
  for (std::size_t i = 1; i < trained.size(); ++i) {
    const double difference =
        number(trained[i], 3) - number(trained[i], 4);  // utility of buy less that of wait
    EXPECT_NEAR(number(trained[i], 1), 1 / (1 + std::exp(-difference)), 1e-10);
    EXPECT_NEAR(number(hot[i], 1), 1 / (1 + std::exp(-difference / 2.5)), 1e-10);
  }
}

TEST_F(NewcomerTest, ANumberWithItsQuantilesIntervalsAndDensity) {
  folder_.write("data.csv", number_table(200));
  const std::string fitted =
      bl("fit data.csv --target y --ignore z,w,c --layers 6,2 --epochs 60 --output model.bl");
  expect_narrow(fitted);
  EXPECT_THAT(fitted, HasSubstr("y (continuous)"));
  EXPECT_THAT(fitted, HasSubstr(bl("evaluate model.bl data.csv --part test")));
  EXPECT_GT(json::parse(bl("evaluate model.bl data.csv --part test --json"))["r2"], 0.7);
  expect_narrow(bl("inspect model.bl"));

  const Rows rows =
      cells(bl("predict model.bl data.csv --part test --quantiles 0.05,0.5,0.95 --interval 0.9 --mode "
               "--highest-density 0.5 --density 5 --digits full"));
  const std::vector<std::string> first(rows[0].begin(), rows[0].begin() + 9);
  EXPECT_EQ(first, (std::vector<std::string>{"y", "y sd", "y q5", "y q50", "y q95", "y lower 90%",
                                             "y upper 90%", "y mode", "y region 50%"}));
  ASSERT_EQ(rows[0].size(), 14U);
  EXPECT_THAT(rows[0][9], HasSubstr("density("));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    EXPECT_LT(number(row, 2), number(row, 3));
    EXPECT_LT(number(row, 3), number(row, 4));
    EXPECT_GT(number(row, 1), 0);
    // A central interval of mass 0.9 lies between the quantiles 0.05 and 0.95.
    EXPECT_NEAR(number(row, 5), number(row, 2), 1e-6 * number(row, 1));
    EXPECT_NEAR(number(row, 6), number(row, 4), 1e-6 * number(row, 1));
    EXPECT_GT(number(row, 7), number(row, 2));
    EXPECT_LT(number(row, 7), number(row, 4));
    for (std::size_t g = 9; g < row.size(); ++g) EXPECT_GE(number(row, g), 0);
  }
}

TEST_F(NewcomerTest, TwoNumbersTogether) {
  folder_.write("data.csv", number_table(60));
  const std::string fitted =
      bl("fit data.csv --target y,z --ignore w,c --layers 2 --epochs 3 --panels 2 "
         "--fractions 50:5:5 --output model.bl");
  expect_narrow(fitted);
  EXPECT_THAT(fitted, HasSubstr("r2.z"));
  EXPECT_THAT(fitted, HasSubstr(bl("evaluate model.bl data.csv --part test")));
  folder_.write("rows.csv", "a,b\n0.5,0\n-0.5,1\n");
  const Rows rows = cells(bl("predict model.bl rows.csv --quantiles 0.1,0.9 --mode"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][4], "z");
  for (const std::size_t i : {1U, 2U}) EXPECT_LT(number(rows[i], 2), number(rows[i], 3));
}

TEST_F(NewcomerTest, AClassAndANumberTogether) {
  folder_.write("data.csv", number_table(120));
  const std::string fitted =
      bl("fit data.csv --target y,c --ignore z,w --layers 3,2 --epochs 60 --output model.bl");
  EXPECT_THAT(fitted, HasSubstr("y (continuous), c (2 classes)"));
  EXPECT_THAT(fitted, HasSubstr(bl("evaluate model.bl data.csv --part test")));
  const Rows rows = cells(bl("predict model.bl data.csv --part test --interval 0.5 --digits full"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_NEAR(number(rows[i], 1) + number(rows[i], 2), 1, 1e-9);
    EXPECT_LT(number(rows[i], 5), number(rows[i], 6));
  }
  const Rows draws = cells(bl("sample model.bl data.csv --draws 2 --quiet"));
  EXPECT_EQ(draws[0], (std::vector<std::string>{"row", "draw", "c", "y"}));
  EXPECT_EQ(draws.size(), 241U);
}

TEST_F(NewcomerTest, TwoClassesTogether) {
  std::string text = "a,size,color\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i % 9) + (i % 9 > 4 ? ",big," : ",small,") + (i % 2 == 0 ? "red\n" : "blue\n");
  folder_.write("data.csv", text);
  bl("fit data.csv --target size,color -o model.bl" + kSmall);
  const auto lines = lines_of(bl("predict model.bl data.csv"));
  EXPECT_EQ(lines[0],
            "\"size, color\",\"p(size=big, color=blue)\",\"p(size=big, color=red)\","
            "\"p(size=small, color=blue)\",\"p(size=small, color=red)\"");
}

TEST_F(NewcomerTest, ThreeNumbersAreDrawnByChains) {
  folder_.write("data.csv", number_table(40));
  bl("fit data.csv --target y,z,w --ignore c --fractions 36:2:2 -o model.bl" + kSmall);
  folder_.write("rows.csv", "a,b\n0.5,0\n-0.5,1\n");
  const Rows rows = cells(bl("predict model.bl rows.csv --quantiles 0.2,0.8 --mode"));
  EXPECT_EQ(rows[0].size(), 3U * 4 + 3 + 2);
  for (const std::size_t i : {1U, 2U}) EXPECT_LT(number(rows[i], 2), number(rows[i], 3));
  const std::string command = "sample model.bl rows.csv --method hmc --draws 40 --warmup 100 ";
  const Outcome drawn = bl_command(folder_, words(command));
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(drawn.err, HasSubstr("method hmc"));
  expect_narrow(drawn.err);
  EXPECT_EQ(cells(drawn.out).size(), 81U);
  EXPECT_EQ(bl(command + "--quiet --threads 2"), drawn.out);
  EXPECT_NE(bl(command + "--quiet --seed 1"), drawn.out);
  // Too few draws for diagnostics: none are made up.
  EXPECT_THAT(bl_command(folder_, words("sample model.bl rows.csv --draws 4")).err, HasSubstr("R-hat nan"));
}

TEST_F(NewcomerTest, ExactDrawsFollowTheProbabilities) {
  folder_.write("data.csv", class_table(60));
  bl("fit data.csv --target choice --id id -o model.bl" + kSmall);
  folder_.write("rows.csv", "income,age,color\n0.5,40,red\n");
  const double p = number(cells(bl("predict model.bl rows.csv"))[1], 1);
  const Rows draws = cells(bl("sample model.bl rows.csv --draws 4000 --quiet"));
  double share = 0;
  for (std::size_t i = 1; i < draws.size(); ++i) share += draws[i][2] == "buy" ? 1.0 / 4000 : 0;
  EXPECT_NEAR(share, p, 4 * std::sqrt(p * (1 - p) / 4000));
}

TEST_F(NewcomerTest, NoTargetMeansTheDistributionOfAllColumns) {
  folder_.write("data.csv", number_table(60));
  const std::string fitted =
      bl("fit data.csv --ignore w,c --layers 3 --epochs 5 --fractions 56:2:2 --output model.bl");
  EXPECT_THAT(fitted, HasSubstr("a (continuous), b (continuous), y (continuous), z (continuous)"));
  EXPECT_EQ(cells(bl("sample model.bl --draws 8 --quiet")).size(), 9U);
  // Given columns stay at their values; the others need not be in the file.
  folder_.write("rows.csv", "a,z\n0.25,-0.5\n");
  const Rows draws = cells(bl("sample model.bl rows.csv --given a,z --draws 8 --quiet"));
  EXPECT_EQ(draws[0], (std::vector<std::string>{"row", "draw", "a", "b", "y", "z"}));
  for (std::size_t i = 1; i < draws.size(); ++i) {
    EXPECT_NEAR(number(draws[i], 2), 0.25, 1e-12);
    EXPECT_NEAR(number(draws[i], 5), -0.5, 1e-12);
    EXPECT_NE(number(draws[i], 3), number(draws[i % 8 + 1], 3));
  }
}

// Two columns of classes: each is a column of the draws, and held ones stay, whether draws are exact or by
// chains.
TEST_F(NewcomerTest, ClassesOfAWholeTableAreDrawnAndHeld) {
  std::string text = "color,size,v,u\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{},{}\n", i % 3 == 0 ? "red" : "blue", i % 2 == 0 ? "small" : "large",
                        0.1 * (i % 7) + i % 2, 0.3 * (i % 5));
  folder_.write("data.csv", text);
  folder_.write("rows.csv", "color,v,u\nred,0.5,1\nblue,0.25,2\n");
  folder_.write("unknown.csv", "color\ngreen\n");
  for (const char* ignored : {"", " --ignore u"}) {
    bl("fit data.csv --continuous v,u --layers 2 --epochs 3 --fractions 56:2:2 --output model.bl" +
       std::string(ignored));
    const Rows all = cells(bl("sample model.bl --draws 8 --quiet"));
    EXPECT_EQ(all[0][2], "color");
    EXPECT_EQ(all[0][3], "size");
    EXPECT_THAT(all[1][3], testing::AnyOf("small", "large"));
    const std::string numbers = *ignored ? "v" : "v,u";
    for (const std::string& given : {std::string("color"), std::string("color,v"), "color," + numbers}) {
      const Rows draws = cells(bl("sample model.bl rows.csv --draws 20 --quiet --given " + given));
      ASSERT_EQ(draws.size(), 41U);
      for (std::size_t i = 1; i < draws.size(); ++i) {
        EXPECT_EQ(draws[i][2], i <= 20 ? "red" : "blue");
        const double held = i <= 20 ? 0.5 : 0.25, v = number(draws[i], 4);
        EXPECT_TRUE(given == "color" || std::abs(v - held) < 1e-12) << v;
      }
    }
    EXPECT_THAT(bl_command(folder_, {"sample", "model.bl", "unknown.csv", "--given", "color"}).err,
                HasSubstr("not a level that the model knows"));
  }
}

// A response that is carried along does not take the name of its prediction.
TEST_F(NewcomerTest, TheObservedResponseCanStandBesideThePrediction) {
  folder_.write("data.csv", class_table(60));
  bl("fit data.csv --target choice --id id -o model.bl" + kSmall);
  const Outcome predicted = bl_command(folder_, {"predict", "model.bl", "data.csv", "--carry", "id, choice"});
  EXPECT_EQ(lines_of(predicted.out).at(0), "id,observed choice,choice,p(buy),p(wait)") << predicted.err;
  const Rows data = cells(file("data.csv")), rows = cells(predicted.out);
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i][1], data[i][4]);
  EXPECT_EQ(lines_of(bl("sample model.bl data.csv --carry choice --draws 1 --quiet"))[0],
            "observed choice,row,draw,choice");
}

TEST_F(NewcomerTest, SameSeedSameBytesForAnyNumberOfThreads) {
  folder_.write("data.csv", class_table(120));
  const std::string fit = "fit data.csv --target choice --id id" + kSmall;
  bl(fit + "--threads 1 -o one.bl");
  bl(fit + "--threads 2 -o two.bl");
  bl(fit + "--threads 2 -o again.bl");
  bl(fit + "--seed 1 -o other.bl");
  EXPECT_EQ(file("one.bl"), file("two.bl"));
  EXPECT_EQ(file("two.bl"), file("again.bl"));
  EXPECT_NE(file("one.bl"), file("other.bl"));
  const std::string predictions = bl("predict one.bl data.csv --threads 1");
  EXPECT_EQ(bl("predict one.bl data.csv --threads 2"), predictions);
  EXPECT_NE(bl("predict other.bl data.csv"), predictions);
}

TEST_F(NewcomerTest, StandardInputAndGzipReadLikeTheFile) {
  folder_.write("data.csv", class_table(80));
  folder_.write("data.csv.gz", gzip(class_table(80)));
  const std::string rest = " --target choice --id id" + kSmall;
  bl("fit data.csv -o plain.bl" + rest);
  bl("fit data.csv.gz -o packed.bl" + rest);
  bl("fit - -o piped.bl" + rest, file("data.csv"));
  EXPECT_EQ(file("plain.bl"), file("packed.bl"));
  EXPECT_EQ(file("plain.bl"), file("piped.bl"));
  const std::string predictions = bl("predict plain.bl data.csv --carry id");
  EXPECT_EQ(bl("predict plain.bl data.csv.gz --carry id"), predictions);
  EXPECT_EQ(bl("predict plain.bl - --carry id", file("data.csv")), predictions);
}

// Files are predicted in blocks of some thousand rows.
TEST_F(NewcomerTest, ALongFileIsPredictedLikeItsPieces) {
  const std::string table = class_table(9000);
  const auto lines = lines_of(table);
  folder_.write("data.csv", class_table(80));
  bl("fit data.csv --target choice --id id -o model.bl" + kSmall);
  folder_.write("long.csv", table);
  std::string expected;
  for (int piece = 0; piece < 3; ++piece) {
    std::string part = lines[0] + "\n";
    for (std::size_t i = 1; i <= 3000; ++i) part += lines[static_cast<std::size_t>(piece) * 3000 + i] + "\n";
    folder_.write("part.csv", part);
    const std::string one = bl("predict model.bl part.csv --carry id");
    expected += piece == 0 ? one : one.substr(one.find('\n') + 1);
  }
  EXPECT_EQ(bl("predict model.bl long.csv --carry id"), expected);
}

TEST_F(NewcomerTest, SettingsFileRoundTrip) {
  folder_.write("data.csv", class_table(80));
  bl("settings --output all.toml");
  std::string settings = file("all.toml");
  const std::string line = "\n#seed = 0\n";
  settings.replace(settings.find(line), line.size(), "\nseed = 3\n");
  folder_.write("all.toml", settings);
  const std::string rest = " --target choice --id id" + kSmall;
  bl("fit data.csv --config all.toml -o from_file.bl" + rest);
  bl("fit data.csv --seed 3 -o from_option.bl" + rest);
  bl("fit data.csv --set seed=3 -o from_set.bl" + rest);
  EXPECT_EQ(file("from_file.bl"), file("from_option.bl"));
  EXPECT_EQ(file("from_file.bl"), file("from_set.bl"));
}

// Red after a change of settings.def: run `bl settings --markdown --output docs/settings.md`.
TEST_F(NewcomerTest, ThePageOfSettingsIsCurrent) {
  std::ifstream in(std::string(BL_TEST_DATA) + "/../../docs/settings.md", std::ios::binary);
  std::ostringstream page;
  page << in.rdbuf();
  EXPECT_EQ(bl("settings --markdown"), page.str());
}

// The library names settings; here they are options, in notes as in errors.
TEST_F(NewcomerTest, NotesNameOptions) {
  std::string table = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    const std::string x = std::to_string(i % 7);
    table += x + "," + x + (i % 3 == 0 ? ",u\n" : ",v\n");
  }
  folder_.write("data.csv", table);
  const std::string fit = "fit data.csv --target y --layers 2 --epochs 2 -o model.bl";
  EXPECT_THAT(bl(fit), HasSubstr("consider --ignore"));
  EXPECT_THAT(bl(fit + " --json"), HasSubstr("consider --ignore"));
}

TEST_F(NewcomerTest, SchemaFileRoundTrip) {
  folder_.write("data.csv", class_table(80));
  bl("schema data.csv --target choice --id id --output schema.toml");
  bl("fit data.csv --schema schema.toml -o by_schema.bl" + kSmall);
  bl("fit data.csv --target choice --id id -o by_options.bl" + kSmall);
  EXPECT_EQ(bl("predict by_schema.bl data.csv"), bl("predict by_options.bl data.csv"));
  EXPECT_EQ(bl("schema data.csv --schema schema.toml"), file("schema.toml"));
}

TEST_F(NewcomerTest, TheResultIsJsonOnRequest) {
  folder_.write("data.csv", class_table(80));
  const json fitted = json::parse(
      bl("fit data.csv --target choice --id id --layers 3,2 --epochs 5 --json --output model.bl"));
  EXPECT_EQ(fitted["rows"]["train"], 56);
  EXPECT_EQ(fitted["epochs"], 5);
  const json evaluated = json::parse(bl("evaluate model.bl data.csv --part test --json"));
  for (const auto& [name, value] : fitted["test"].items()) EXPECT_EQ(evaluated[name], value) << name;
}

// Joining divides by the number of networks: what is evaluated must be what single precision can store.
TEST_F(NewcomerTest, JoinedNetworksAreEvaluatedAsTheyAreStored) {
  folder_.write("data.csv", class_table(80));
  const json fitted = json::parse(bl(
      "fit data.csv --target choice --id id --layers 3,2 --members 3 --epochs 5 --json --output model.bl"));
  const json evaluated = json::parse(bl("evaluate model.bl data.csv --part test --json"));
  for (const auto& [name, value] : fitted["test"].items()) EXPECT_EQ(evaluated[name], value) << name;
}

TEST_F(NewcomerTest, TheDemoShowsTheTruthAndWhatWasLearned) {
  const std::string text = bl("demo");
  expect_narrow(text);
  EXPECT_THAT(text, HasSubstr("learned"));
  const json report = json::parse(bl("demo --json"));
  EXPECT_LT(report["total_variation"], 0.02);
}

class HelpTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HelpTest, HasAnExampleAndFitsATerminal) {
  const TemporaryFolder folder;
  const Outcome outcome = bl_command(folder, words(std::string(GetParam()) + " --help"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Example"));
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80U) << line;
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpTest,
                         ::testing::Values("", "fit", "predict", "evaluate", "inspect", "sample", "schema",
                                           "settings", "demo", "reproduce", "reproduce constraint",
                                           "reproduce identification", "check", "data", "completion",
                                           "explain", "summary", "whatif", "canonical", "simplify"),
                         [](const auto& command) {
                           std::string name = *command.param == '\0' ? "bl" : command.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace bl::test
