// bl explain and bl whatif through the real program: every option, every form, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "frontends/command.hpp"
#include "frontends/newcomer_data.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Three small models: `model.bl` of a class (two layers), `single.bl` of a number (one block), `mixed.bl` of
// both.
class ExplainCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("data.csv", class_table(200));
    folder_.write("numbers.csv", number_table(200));
    bl("fit data.csv --target choice --id id --layers 3,2 --epochs 10 --quiet --output model.bl");
    bl("fit numbers.csv --target y --ignore z,w,c --single --epochs 10 --quiet --output single.bl");
    bl("fit numbers.csv --target y,c --ignore z,w --layers 2 --epochs 5 --quiet --output mixed.bl");
  }

  std::string bl(const std::vector<std::string>& arguments) {
    const Outcome outcome = bl_command(folder_, arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  std::string bl(const std::string& line) { return bl(words(line)); }
  // Exit code 2 and a message that has the text.
  void refuses(const std::string& line, const std::string& message, int code = 2) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, code) << line;
    EXPECT_EQ(outcome.out, "") << line;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
  }
  static void expect_narrow(const std::string& text) {
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
  }
  // The header of a table, and the number of its rows.
  static void expect_table(const std::string& text, const std::string& header, std::size_t rows) {
    const std::vector<std::string> lines = lines_of(text);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines[0], header);
    EXPECT_EQ(lines.size(), rows + 1);
  }

  const TemporaryFolder folder_;
};

TEST_F(ExplainCommand, ResponseCurvesAreOnePicture) {
  const std::string all = bl("explain model.bl data.csv --response-curves");
  EXPECT_THAT(all, StartsWith("<svg xmlns"));
  EXPECT_THAT(all, HasSubstr("average over rows"));
  EXPECT_THAT(all, Not(HasSubstr("var(")));  // colours stand in the file
  EXPECT_EQ(bl("explain single.bl numbers.csv --response-curves --columns a --output curves.svg"), "");
  const std::string one = read_file(folder_.file("curves.svg"));
  EXPECT_THAT(one, HasSubstr("mean of y"));
  EXPECT_THAT(one, HasSubstr("class=\"band s0\""));
  EXPECT_THAT(bl("explain single.bl numbers.csv --response-curves --row 3"), HasSubstr("row 3"));
  refuses("explain single.bl numbers.csv --response-curves --columns aa", "no column is called");
  refuses("explain mixed.bl numbers.csv --response-curves", "response curves can be drawn for a class");
  refuses("explain model.bl --response-curves", "--response-curves needs data");
  refuses("explain model.bl data.csv --importance --columns a", "--columns");
  refuses("explain model.bl data.csv --economics --seed 3", "--seed is for models of choices");
  refuses("explain model.bl data.csv --economics --attribute a", "--attribute is for models of choices");
  refuses("explain model.bl data.csv --economics --row 2 --part test", "leave out --part");
}

TEST_F(ExplainCommand, EveryForm) {
  const std::string text = bl("explain model.bl");
  expect_narrow(text);
  EXPECT_THAT(text, HasSubstr("The problem behind choice, in the data's own units"));
  EXPECT_THAT(text, HasSubstr("Strongest way up: "));
  EXPECT_THAT(text, Not(HasSubstr("\033"))) << "no color where there is no terminal";
  const json problem = json::parse(bl("explain model.bl --format json"));
  EXPECT_EQ(problem["layers"].size(), 2U);
  EXPECT_EQ(problem["hierarchy"][0].size(), 3U);
  EXPECT_TRUE(problem["hierarchy"][0][0].contains("in_words"));
  EXPECT_TRUE(problem.contains("readings"));
  EXPECT_THAT(bl("explain model.bl --format latex"), HasSubstr("\\end{document}"));
  EXPECT_THAT(bl("explain model.bl --format markdown"), HasSubstr("| Variable | L1.B1.U1 |"));
  EXPECT_THAT(bl("explain model.bl --format dot"), StartsWith("digraph"));
  EXPECT_THAT(bl("explain model.bl --format svg"), HasSubstr("From the data to the utility of choice"));
  EXPECT_THAT(bl("explain model.bl --format svg --block L1.B2"),
              HasSubstr("L1.B2: the problem behind choice"));
  EXPECT_THAT(bl("explain single.bl --format svg"), HasSubstr("L1.B1: the problem behind y"));
}

TEST_F(ExplainCommand, WhatIsShown) {
  EXPECT_THAT(bl("explain model.bl --units standardised"), HasSubstr("in standardised units"));
  const std::string one = bl("explain model.bl --block L1.B2 --terms 1");
  EXPECT_THAT(one, HasSubstr("L1.B2\n"));
  EXPECT_THAT(one, Not(HasSubstr("L1.B1\n")));
  EXPECT_THAT(one, HasSubstr("R["));
  EXPECT_THAT(bl("explain model.bl --block L1.B2 --terms all"), Not(HasSubstr("R[")));
  EXPECT_THAT(bl("explain model.bl --block L1.B2 --terms all --threshold 0.9"), HasSubstr("R["));
  bl("explain model.bl --output problem.txt");
  EXPECT_EQ(read_file(folder_.file("problem.txt")), bl("explain model.bl"));
}

TEST_F(ExplainCommand, OneRow) {
  const std::string row = bl("explain model.bl data.csv --row 17");
  expect_narrow(row);
  EXPECT_THAT(row, StartsWith("Row 17 (data.csv:18)"));
  EXPECT_THAT(row, HasSubstr("If a variable rises by one unit"));
  EXPECT_THAT(row, HasSubstr("elasticity"));
  EXPECT_THAT(bl("explain single.bl numbers.csv --row 3"), HasSubstr("E[y]"));
  EXPECT_THAT(bl("explain mixed.bl numbers.csv --row 3 --block L1.B1"), HasSubstr("L1.B1"));
}

TEST_F(ExplainCommand, Tables) {
  expect_table(bl("explain model.bl data.csv --economics --numeraire income"),
               "column,value,marginal_utility,rate_for_income,willingness_to_pay_in_income,dp(buy),"
               "elasticity_of_p(buy),dp(wait),elasticity_of_p(wait),rows_at_kink",
               2);
  EXPECT_EQ(bl("explain model.bl data.csv --marginal --row 3"),
            bl("explain model.bl data.csv --economics --row 3"));
  expect_table(bl("explain single.bl numbers.csv --economics --part test"),
               "column,value,marginal_utility,dE[y],elasticity_of_E[y],rows_at_kink", 3);
  expect_table(bl("explain mixed.bl numbers.csv --economics --row 2"),
               "column,value,marginal_utility,dE[y],elasticity_of_E[y],dp(down),elasticity_of_p(down),dp(up),"
               "elasticity_of_p(up),rows_at_kink",
               3);
  const std::string constraints =
      "constraint,relation,weight,slack,binding,violated,slack_q05,slack_q25,slack_median,slack_q75,slack_"
      "q95,"
      "shadow_price";
  expect_table(bl("explain model.bl data.csv --constraints"), constraints, 10);
  expect_table(bl("explain single.bl numbers.csv --constraints --at best --numeraire a --part test"),
               constraints + ",shadow_price_in_a", 5);
  expect_table(bl("explain model.bl data.csv --importance --part test"), "column,log_likelihood_lost", 4);
  expect_table(bl("explain model.bl data.csv --importance --by-head"), "column,head,log_likelihood_lost", 36);
  const json rows = json::parse(bl("explain model.bl data.csv --constraints --json --threads 1"));
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0]["constraint"], "L1.B1.C1");
  bl("explain model.bl data.csv --importance --output importance.csv");
  EXPECT_THAT(read_file(folder_.file("importance.csv")), StartsWith("column,"));
}

std::vector<std::string> split(const std::string& line, char mark) {
  std::vector<std::string> parts = {""};
  for (const char c : line) {
    if (c == mark)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Mean of a column of predictions.
double mean_of(const std::string& csv, const std::string& name) {
  const std::vector<std::string> lines = lines_of(csv);
  const std::vector<std::string> header = split(lines[0], ',');
  const auto at = static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  double sum = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) sum += std::stod(split(lines[i], ',')[at]);
  return sum / static_cast<double>(lines.size() - 1);
}

// Against `bl predict` of a file in which the column is overwritten.
TEST_F(ExplainCommand, ResponsesAreMeansOfPredictions) {
  const auto overwritten = [&](const std::string& file, std::size_t column, const std::string& value) {
    std::string out;
    const std::vector<std::string> lines = lines_of(read_file(folder_.file(file)));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::string> cells = split(lines[i], ',');
      if (i > 0) cells[column] = value;
      for (std::size_t k = 0; k < cells.size(); ++k) out += (k ? "," : "") + cells[k];
      out += "\n";
    }
    folder_.write("overwritten.csv", out);
  };
  for (const auto& [model, file, predicted] :
       {std::array{"model.bl", "data.csv", "p(wait)"}, std::array{"single.bl", "numbers.csv", "y q50"}}) {
    const std::string data = file, name = predicted;
    const std::vector<std::string> header = split(lines_of(read_file(folder_.file(data)))[0], ',');
    const std::vector<std::string> rows =
        lines_of(bl("explain " + std::string(model) + " " + data + " --responses"));
    ASSERT_GT(rows.size(), 6U);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::vector<std::string> cells = split(rows[i], ',');
      const auto column =
          static_cast<std::size_t>(std::find(header.begin(), header.end(), cells[0]) - header.begin());
      overwritten(data, column, cells[1]);
      const std::string predictions = bl("predict " + std::string(model) + " overwritten.csv --digits full" +
                                         (data == "numbers.csv" ? " --quantiles 0.5" : ""));
      EXPECT_NEAR(std::stod(cells[2]), mean_of(predictions, name), 1e-12 * 200) << rows[i];
    }
  }
  const std::string text = bl("explain model.bl data.csv");
  expect_narrow(text);
  EXPECT_THAT(text, StartsWith("What moves p(wait): mean over 200 rows"));
  EXPECT_THAT(text, HasSubstr("The problem behind choice"));
}

// Several classes, long names, characters of several bytes: 80 columns, and whole characters.
TEST_F(ExplainCommand, ResponsesOfSeveralClassesAreNarrow) {
  Sequence s(4);
  std::string table = "größenverhältnisse des jahres,b,outcome\n";
  for (int i = 0; i < 200; ++i) {
    const double a = -1234.5678 * s.uniform();
    table += fmt::format("{:.4f},{:.4f},{}\n", a, s.noise(),
                         a < -800   ? "a very long level"
                         : a < -400 ? "überlänge"
                                    : "c");
  }
  folder_.write("three.csv", table);
  bl("fit three.csv --target outcome --layers 2 --epochs 5 --quiet --output three.bl");
  const std::string text = bl("explain three.bl three.csv");
  const std::string top = text.substr(0, text.find("The problem behind"));
  for (const std::string& line : lines_of(top)) {
    const auto characters =
        std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(characters, 80) << line;
  }
  EXPECT_NO_THROW(static_cast<void>(json(top).dump())) << "not UTF-8";
}

TEST_F(ExplainCommand, WhatIsRefused) {
  refuses("explain model.bl --format pdf", "--format 'pdf'");
  refuses("explain model.bl --units metric", "--units 'metric'");
  refuses("explain model.bl --terms many", "--terms 'many'");
  refuses("explain model.bl --threshold 2", "--threshold = 2");
  refuses("explain model.bl --block L9.B1", "there is no block 'L9.B1'");
  refuses("explain model.bl --row 3", "--row needs data");
  refuses("explain model.bl data.csv --format json", "data is read for");
  refuses("explain mixed.bl numbers.csv --responses", "one number or of classes");
  refuses("explain model.bl data.csv --economics --importance", "exclude each other");
  refuses("explain model.bl data.csv --row 0", "--row");
  refuses("explain model.bl data.csv --row 3 --constraints", "exclude each other");
  refuses("explain model.bl data.csv --row 201", "rows 1 to 200");
  refuses("explain model.bl data.csv --economics --row 201", "rows 1 to 200");
  refuses("explain model.bl data.csv --economics --numeraire incom", "did you mean 'income'?");
  refuses("explain model.bl data.csv --row 3 --numeraire income", "--numeraire is for");
  refuses("explain model.bl data.csv --row 3 --part test", "--part is for");
  refuses("explain model.bl data.csv --economics --at best", "--at is for");
  refuses("explain model.bl data.csv --constraints --at worst", "--at 'worst'");
  refuses("explain model.bl data.csv --economics --by-head", "--by-head is for");
  refuses("explain model.bl --json", "--json is for");
  refuses("explain model.bl data.csv --economics --part most", "--part 'most'");
  refuses("explain data.csv", "data.csv: not a model file: it begins with 'id,income,age", 4);
  refuses("explain nowhere.bl", "nowhere.bl", 4);
}

// A terminal gets color, unless NO_COLOR says otherwise; without its escapes it is the same text.
TEST_F(ExplainCommand, ColorOnATerminal) {
  const auto on_terminal = [&](bool refused) {
    int main_end = -1;
    const pid_t child = ::forkpty(&main_end, nullptr, nullptr, nullptr);
    if (child == 0) {
      ::setenv("TERM", "xterm", 1);
      if (refused)
        ::setenv("NO_COLOR", "1", 1);
      else
        ::unsetenv("NO_COLOR");
      std::string command = BL_COMMAND;
      if (::chdir(folder_.file("").c_str()) == 0)
        ::execl(command.c_str(), command.c_str(), "explain", "model.bl", nullptr);
      ::_exit(127);
    }
    std::string out;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(main_end, buffer, sizeof buffer)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(main_end);
    EXPECT_EQ(status, 0);
    return std::regex_replace(out, std::regex("\r\n"), "\n");
  };
  const std::string plain = bl("explain model.bl"), color = on_terminal(false);
  EXPECT_THAT(color, HasSubstr("\033[1mL1.B1\033[0m"));
  EXPECT_EQ(std::regex_replace(color, std::regex("\033\\[[0-9]+m"), ""), plain);
  EXPECT_EQ(on_terminal(true), plain);
}

TEST_F(ExplainCommand, WhatIf) {
  const std::string text = bl({"whatif", "model.bl", "data.csv", "--set", "income += 1"});
  expect_narrow(text);
  EXPECT_THAT(text, HasSubstr("Mean over 200 rows"));
  EXPECT_THAT(text, HasSubstr("p(buy)"));
  EXPECT_THAT(text, HasSubstr("rows change their most likely choice"));
  const json summary = json::parse(bl({"whatif", "model.bl", "data.csv", "--set", "income*=1.1", "--set",
                                       "color = 'red'", "--json", "--threads", "1"}));
  EXPECT_EQ(summary["rows"], 200);
  ASSERT_EQ(summary["summary"].size(), 2U);
  EXPECT_EQ(summary["summary"][0]["quantity"], "p(buy)");
  EXPECT_NEAR(summary["summary"][0]["before"].get<double>() + summary["summary"][0]["change"].get<double>(),
              summary["summary"][0]["after"].get<double>(), 1e-12);
  bl({"whatif", "single.bl", "numbers.csv", "--drop-constraint", "L1.B1.C1", "--scale-lambda", "L1.B1.T1=2",
      "--rows", "rows.csv"});
  const auto rows = lines_of(read_file(folder_.file("rows.csv")));
  EXPECT_EQ(rows[0],
            "row,y before,y after,y change,y sd before,y sd after,y sd change,y mode before,"
            "y mode after,y mode change");
  EXPECT_EQ(rows.size(), 201U);
  const auto lines = lines_of(
      bl({"whatif", "mixed.bl", "numbers.csv", "--set", "a = b", "--rows", "-", "--format", "jsonl"}));
  ASSERT_EQ(lines.size(), 200U);
  EXPECT_TRUE(json::parse(lines[0]).contains("p(up) change"));
}

TEST_F(ExplainCommand, WhatIfRefuses) {
  refuses("whatif model.bl data.csv", "nothing is changed");
  refuses("whatif model.bl", "data is required");
  refuses("whatif model.bl data.csv --set income", "expected column = expression");
  refuses("whatif model.bl data.csv --set incom*=2", "did you mean 'income'?");
  refuses("whatif model.bl data.csv --set choice='buy'", "is the response");
  refuses("whatif model.bl data.csv --set income=1/0", "is not a number", 3);
  refuses("whatif model.bl data.csv --set color=3", "holds texts");
  refuses("whatif model.bl data.csv --set color='pink'", "pink", 3);
  refuses("whatif model.bl data.csv --drop-constraint L1.B1.U1", "only constraints");
  refuses("whatif model.bl data.csv --drop-constraint L1.B1.C2", "did you mean 'L1.B1.C1'?");
  refuses("whatif model.bl data.csv --scale-lambda L1.B1.C1", "expected HEAD=FACTOR");
  refuses("whatif model.bl data.csv --scale-lambda L1.B1.C1=two", "expected numbers");
  refuses("whatif model.bl data.csv --scale-lambda L1.B1.C1=-1", "at least 0");
  refuses("whatif model.bl data.csv --set income=1 --rows r.csv --format xml", "--format 'xml'");
  refuses("whatif model.bl data.csv --set income=1 --format jsonl", "--format is for --rows");
  refuses("whatif model.bl data.csv --set income=1 --rows - --json", "--json is for");
}

TEST_F(ExplainCommand, HelpIsNarrowAndHasExamples) {
  for (const char* line : {"explain --help", "whatif --help"}) {
    const std::string help = bl(line);
    expect_narrow(help);
    EXPECT_THAT(help, HasSubstr("Example"));
  }
}

}  // namespace
}  // namespace bl::test
