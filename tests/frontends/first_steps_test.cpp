// What a person meets first: `bl` alone, data to try, help in a good order, digits, completion.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "frontends/bad_input.hpp"

namespace bl::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FirstStepsTest : public ::testing::Test {
 protected:
  std::string bl(const std::string& line) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 0) << "bl " << line << "\n" << outcome.err;
    return outcome.out;
  }
  std::string file(const std::string& name) { return read_file(folder_.file(name)); }

  TemporaryFolder folder_;
};

TEST_F(FirstStepsTest, AloneItNamesThreeCommands) {
  const Outcome outcome = bl_command(folder_, {});
  EXPECT_EQ(outcome.code, 2);
  for (const char* command : {"bl fit ", "bl explain ", "bl predict ", "bl data ", "bl --help"})
    EXPECT_THAT(outcome.err, HasSubstr(command));
  EXPECT_LE(lines_of(outcome.err).size(), 10U);
}

TEST_F(FirstStepsTest, EveryDataSetIsFittedByTheCommandItNames) {
  const std::string listed = bl("data");
  for (const std::string name : {"households", "commutes", "purchases"}) {
    EXPECT_THAT(listed, HasSubstr(name));
    std::string said = bl("data " + name);
    EXPECT_EQ(bl("data " + name + " -o -"), file(name + ".csv"));
    EXPECT_EQ(lines_of(file(name + ".csv")).size(), 1001U);
    std::string next = said.substr(said.find("next ") + 10);
    next.erase(std::remove(next.begin(), next.end(), '\\'), next.end());
    std::vector<std::string> typed = words(next);
    ASSERT_EQ(typed.at(0), "bl");
    typed.erase(typed.begin());
    typed.insert(typed.end(), {"--epochs", "3"});
    const Outcome fitted = bl_command(folder_, typed);
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    EXPECT_THAT(fitted.out, HasSubstr("\nnext      bl "));
  }
  const Outcome wrong = bl_command(folder_, {"data", "household"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'households'?"));
}

// Pages and notebooks quote figures of these rows.
TEST_F(FirstStepsTest, DataSetsStayAsTheyAre) {
  const auto ends = [&](const std::string& name) {
    const auto lines = lines_of(bl("data " + name + " -o -"));
    return lines.at(1) + " ... " + lines.back();
  };
  EXPECT_EQ(ends("households"), "4.21,0,2.3 ... 2.07,2,0.54");
  EXPECT_EQ(ends("commutes"), "1,24,3.51,26,3.66,31,2.51,bus ... 250,26,3.46,30,5.47,53,2.93,train");
  EXPECT_EQ(ends("purchases"), "13.5,4,5.16,east,yes,yes ... 48,3,7.11,south,no,no");
}

TEST_F(FirstStepsTest, HelpOfAFitBeginsWithWhatIsCommon) {
  const std::string help = bl("fit --help");
  const auto place = [&](const char* text) {
    const std::size_t at = help.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return at;
  };
  EXPECT_LT(place("Common options:"), place("--target"));
  EXPECT_LT(place("--target"), place("\nData:"));
  EXPECT_LT(place("--quiet"), place("\nData:"));
  EXPECT_LT(place("\nTraining:"), place("Choices among alternatives:"));
}

TEST_F(FirstStepsTest, PredictionsHaveSixDigitsUnlessAskedOtherwise) {
  bl("data households -q");
  bl("fit households.csv --target spending --single --epochs 3 -q -o model.bl");
  folder_.write("new.csv", "income,children,id\n3.123456789,1,123456789\n");
  const auto cells = [&](const std::string& options) {
    std::istringstream line(lines_of(bl("predict model.bl new.csv --carry id,income " + options)).at(1));
    std::vector<std::string> parts;
    for (std::string part; std::getline(line, part, ',');) parts.push_back(part);
    return parts;
  };
  const auto usual = cells(""), full = cells("--digits full"), three = cells("--digits 3");
  EXPECT_EQ(usual[0], "123456789");
  EXPECT_EQ(usual[1], "3.123456789");  // carried columns stay as they are
  EXPECT_LE(usual[2].size(), 8U);
  EXPECT_GT(full[2].size(), 12U);
  EXPECT_NEAR(std::stod(usual[2]), std::stod(full[2]), 5e-6 * std::stod(full[2]));
  EXPECT_NEAR(std::stod(three[2]), std::stod(full[2]), 5e-3 * std::stod(full[2]));
  EXPECT_EQ(bl_command(folder_, words("predict model.bl new.csv --digits many")).code, 2);
}

TEST_F(FirstStepsTest, EveryCommandCanBeQuiet) {
  std::istringstream commands(bl("completion bash"));
  std::size_t checked = 0;
  for (std::string line; std::getline(commands, line);)
    if (line.find(") choices=") != std::string::npos) {
      EXPECT_THAT(line, HasSubstr("--quiet"));
      ++checked;
    }
  EXPECT_GE(checked, 15U);
}

// The script is sourced by a real shell and asked as the shell asks it.
TEST_F(FirstStepsTest, BashCompletesCommandsAndOptions) {
  folder_.write("bl.bash", bl("completion bash"));
  const auto completed = [&](const std::string& typed, int word) {
    const std::string script = "cd '" + folder_.file("") + "' && . ./bl.bash && COMP_WORDS=(" + typed +
                               ") COMP_CWORD=" + std::to_string(word) +
                               " && _bl && printf '%s ' \"${COMPREPLY[@]}\" > completed";
    EXPECT_EQ(std::system(("bash -c \"" +
                           [&] {
                             std::string escaped;
                             for (const char c : script) {
                               if (c == '"' || c == '$' || c == '\\') escaped += '\\';
                               escaped += c;
                             }
                             return escaped;
                           }() +
                           "\"")
                              .c_str()),
              0);
    return file("completed");
  };
  EXPECT_EQ(completed("bl ex", 1), "explain ");
  EXPECT_THAT(completed("bl fit --learning", 2), HasSubstr("--learning-rate"));
  EXPECT_THAT(completed("bl explain bl.b", 2), HasSubstr("bl.bash"));
  EXPECT_THAT(bl("completion fish"), HasSubstr("__fish_seen_subcommand_from predict' -l quantiles"));
  EXPECT_THAT(bl("completion zsh"), HasSubstr("#compdef bl"));
}

// Every shell reads its script, and fish, which can say so from the command line, completes by it.
TEST_F(FirstStepsTest, ShellsReadTheirCompletion) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) {
      std::cout << "SKIPPED: " << shell << " is not installed, so its completion is not checked\n";
      continue;
    }
    const std::string script = folder_.file("bl." + shell);
    folder_.write("bl." + shell, bl("completion " + shell));
    EXPECT_EQ(std::system((shell + " -n '" + script + "'").c_str()), 0) << shell;
    if (shell != "fish") continue;
    const std::string asked = "fish --no-config -c 'source " + script +
                              "; complete -C \"bl pre\"; complete -C \"bl report --ti\"' >'" +
                              folder_.file("completed") + "'";
    EXPECT_EQ(std::system(asked.c_str()), 0);
    EXPECT_THAT(read_file(folder_.file("completed")), AllOf(HasSubstr("predict"), HasSubstr("--title")));
  }
}

// The mean of the column is the log-likelihood that `bl evaluate` finds by itself.
TEST_F(FirstStepsTest, LogDensitiesOfRowsAverageToTheLogLikelihood) {
  for (const std::string response : {"--continuous", "--nominal"}) {
    folder_.write("homes.csv", fixture("price.csv"));
    bl("fit homes.csv --target " + std::string(response == "--nominal" ? "rooms" : "price") + " " + response +
       " " + (response == "--nominal" ? "rooms" : "price") + " --epochs 3 --layers 2 --quiet -o m.bl");
    const auto lines = lines_of(bl("predict m.bl homes.csv --log-density --digits full --carry size"));
    EXPECT_EQ(lines[0].substr(0, 5), "size,");
    EXPECT_EQ(lines[0].substr(lines[0].rfind(',')), ",log_density");
    double sum = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) sum += std::stod(lines[i].substr(lines[i].rfind(',') + 1));
    const auto found = nlohmann::json::parse(bl("evaluate m.bl homes.csv --json"));
    const double mean = found.contains("log_likelihood") ? found["log_likelihood"].get<double>()
                                                         : -found["log_loss"].get<double>();
    EXPECT_NEAR(sum / static_cast<double>(lines.size() - 1), mean, 1e-12);  // the same sums in another order
  }
  EXPECT_EQ(bl_command(folder_, words("predict m.bl homes.csv --log-density --part test")).code, 2);
}

// The observed response keeps its cells; the predicted one, which has its name, is rounded.
TEST_F(FirstStepsTest, ThePredictionIsRoundedBesideTheObservedResponse) {
  folder_.write("homes.csv", "size,price\n1.23456789,275.123456789\n2,300\n3,310\n4,330\n5,390\n");
  bl("fit homes.csv --target price --continuous price --epochs 2 --layers 1 --quiet -o m.bl");
  const std::string first = lines_of(bl("predict m.bl homes.csv --carry price"))[1];
  EXPECT_EQ(first.substr(0, first.find(',')), "275.123456789");
  const std::size_t begin = first.find(',') + 1;
  EXPECT_LE(first.find(',', begin) - begin, 7U) << first;  // six digits and a point
}

}  // namespace
}  // namespace bl::test
