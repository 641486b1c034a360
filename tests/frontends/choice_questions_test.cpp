// What a choice economist asks the program beside estimates: single situations, forecasts without choices,
// columns of the person, and mistakes in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWide =
    "--choice wide --chosen mode --alternatives bus,car --attributes t,c --group who -q -o";

class ChoiceQuestions : public ::testing::Test {
 protected:
  void SetUp() override {
    const RandomStream random(8, Purpose::test);
    std::string csv = "mode,bus_t,car_t,bus_c,car_c,who,income\n";
    for (std::uint64_t i = 0; i < 160; ++i) {
      double x[4];
      for (std::uint64_t k = 0; k < 4; ++k) x[k] = 0.5 + std::floor(20 * random.uniform(i, k)) / 10;
      const double income = std::floor(3 * random.uniform(i / 4, 20));
      const double v = x[1] - x[0] + 0.5 * (x[3] - x[2]) + 0.4 * (1 - income);
      const bool bus = random.uniform(i, 9) < 1 / (1 + std::exp(-v));
      csv += bus ? "bus" : "car";
      for (const double one : x) csv += "," + std::to_string(one);
      csv += "," + std::to_string(i / 4) + "," + std::to_string(static_cast<int>(income)) + "\n";
    }
    folder_.write("wide.csv", csv);
  }
  Outcome line(const std::string& text) const { return bl_command(folder_, words(text)); }
  std::string output(const std::string& text) const {
    const Outcome outcome = line(text);
    EXPECT_EQ(outcome.code, 0) << text << "\n" << outcome.err;
    return outcome.out;
  }
  std::string error(const std::string& text) const {
    const Outcome outcome = line(text);
    EXPECT_NE(outcome.code, 0) << text;
    return outcome.err;
  }

  TemporaryFolder folder_;
};

TEST_F(ChoiceQuestions, SituationsImportanceRowsAndCarriedColumns) {
  output(std::string("fit wide.csv ") + kWide + " m.bl");
  const std::string row = output("explain m.bl wide.csv --row 3");
  EXPECT_THAT(row, HasSubstr("Situation 3"));
  EXPECT_THAT(row, HasSubstr("probability"));
  EXPECT_THAT(error("explain m.bl wide.csv --row 161"), HasSubstr("situations 1 to 160"));
  const std::string importance = output("explain m.bl wide.csv --importance");
  EXPECT_THAT(importance, HasSubstr("\nt,"));
  EXPECT_THAT(importance, HasSubstr("(the alternative alone)"));
  const std::string carried = output("predict m.bl wide.csv --carry income,mode --utilities");
  EXPECT_THAT(carried.substr(0, carried.find('\n')),
              ::testing::EndsWith("utility(bus),utility(car),income,mode"));
  const std::string rows = output("whatif m.bl wide.csv --change car.c=c*1.2 --rows -");
  EXPECT_THAT(rows, HasSubstr("p(car) after"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 161);
  const json economics = json::parse(
      output("summary m.bl wide.csv --economics --numeraire c --covariance cluster --format json"));
  const json explained =
      json::parse(output("explain m.bl wide.csv --economics --numeraire c --covariance cluster --json"));
  EXPECT_NEAR(economics["economics"]["t"]["value"]["standard_error"],
              explained["t"]["value"]["standard_error"], 1e-6);
  const std::string drawn = output("whatif m.bl wide.csv --change car.c=c*1.2 --draws 50");
  EXPECT_THAT(drawn, HasSubstr("Krinsky-Robb"));
}

TEST_F(ChoiceQuestions, EconomicsTakeTheErrorsAndTestsThatAreAskedFor) {
  output(std::string("fit wide.csv ") + kWide + " m.bl");
  output(std::string("fit wide.csv --attributes t ") + "--choice wide --chosen mode --alternatives bus,car " +
         "--group who -q -o small.bl");
  const auto error = [&](const std::string& more) {
    return json::parse(output("summary m.bl wide.csv --economics --numeraire c --format json " +
                              more))["economics"]["t"]["value"]["standard_error"]
        .get<double>();
  };
  EXPECT_NEAR(error("--cluster who"), error("--covariance cluster"), 1e-9);
  EXPECT_GT(std::abs(error("--cluster income") - error("")), 1e-4);
  const std::string text =
      output("summary m.bl wide.csv --economics --cluster income --test t=0 --compare small.bl");
  EXPECT_THAT(text, HasSubstr("delta method, by income"));
  EXPECT_THAT(text, HasSubstr("H0: t=0"));
  EXPECT_EQ(lines_of(text).size(),
            lines_of(output("summary m.bl wide.csv --economics --cluster income")).size() + 5);
}

TEST_F(ChoiceQuestions, NetworksHaveConstraintsAtTheChosenAlternative) {
  output(std::string("fit wide.csv ") + kWide +
         " n.bl --network --single --heads 1,1,0 --degree 1 --epochs 30 --fractions 1:0:0");
  const std::string at = output("explain n.bl wide.csv --constraints");
  EXPECT_THAT(at, HasSubstr("<= 0"));
  EXPECT_THAT(output("explain n.bl wide.csv --constraints --at best"), HasSubstr("<= 0"));
  EXPECT_THAT(output("explain n.bl wide.csv --row 1"), HasSubstr("Situation 1"));
}

TEST_F(ChoiceQuestions, AFilterThatNamesTheChoiceLetsOthersForecast) {
  const Outcome fit = bl_command(
      folder_, {"fit", "wide.csv", "--choice", "wide", "--chosen", "mode", "--alternatives", "bus,car",
                "--attributes", "t,c", "--filter", "(mode != 'x' and income < 2)", "-q", "-o", "m.bl"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  std::string all = read_file(folder_.file("wide.csv")), without;
  std::istringstream lines(all);
  std::size_t kept = 0;
  for (std::string one; std::getline(lines, one);) {
    without += one.substr(one.find(',') + 1) + "\n";
    kept += one.back() == '0' || one.back() == '1' ? 1U : 0U;
  }
  folder_.write("new.csv", without);
  const std::string forecast = output("predict m.bl new.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(forecast.begin(), forecast.end(), '\n')), kept + 1);
  EXPECT_EQ(forecast, output("predict m.bl wide.csv").substr(0, forecast.size()));
}

TEST_F(ChoiceQuestions, AColumnOfThePersonHasAReference) {
  const Outcome fit = bl_command(
      folder_, {"fit", "wide.csv", "--choice", "wide", "--chosen", "mode", "--alternatives", "bus,car",
                "--attributes", "t,c", "--term", "inc = income", "--specific", "inc", "-o", "m.bl"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("inc[car]"));
  EXPECT_THAT(fit.out, Not(HasSubstr("inc[bus]")));
  EXPECT_THAT(fit.out, HasSubstr("inc is the same for all"));
  EXPECT_THAT(output("explain m.bl"), HasSubstr("inc = income"));
  output(std::string("fit wide.csv --no-constants ") + kWide + " none.bl");
  EXPECT_THAT(output("explain none.bl"), HasSubstr("V[car] = -"));
}

TEST_F(ChoiceQuestions, MistakesAreNamed) {
  EXPECT_THAT(error(std::string("fit wide.csv ") + kWide +
                    " b.bl --context income --identifiable --single --degree 1"),
              HasSubstr("context never meets an attribute"));
  std::string csv = read_file(folder_.file("wide.csv"));
  const std::size_t line = csv.find('\n', csv.find('\n') + 1) + 1, cell = csv.find(',', line) + 1;
  csv.replace(cell, csv.find(',', cell) - cell, "none yet");
  folder_.write("stray.csv", csv);
  EXPECT_THAT(error(std::string("fit stray.csv ") + kWide + " x.bl"), HasSubstr("'none yet' in stray.csv:3"));
  EXPECT_THAT(error(std::string("fit wide.csv --term cost ") + kWide + " x.bl"),
              HasSubstr("NAME=EXPRESSION"));
  EXPECT_THAT(error("explain gone.bl wide.csv --economics --attribute t"),
              HasSubstr("cannot read 'gone.bl'"));
}

// No option is passed over in silence.
TEST_F(ChoiceQuestions, OptionsWithoutEffectAreRefused) {
  output(std::string("fit wide.csv ") + kWide + " m.bl");
  for (const auto& [line, named] : std::vector<std::pair<std::string, std::string>>{
           {"predict m.bl wide.csv --shares --carry income", "--carry"},
           {"predict m.bl wide.csv --shares --utilities", "--utilities"},
           {"predict m.bl wide.csv --shares --quantiles 0.5", "--quantiles"},
           {"predict m.bl wide.csv --posterior --carry income", "--carry"},
           {"predict m.bl wide.csv --log-density", "no meaning"},
           {"predict m.bl wide.csv --decide macro_f1", "no meaning"},
           {"evaluate m.bl wide.csv --decide accuracy", "no meaning"},
           {"evaluate m.bl wide.csv --unseen-as-missing", "--unseen-as-missing"},
           {"whatif m.bl wide.csv --change car.c=c*2 --level 0.9", "--level"},
           {"whatif m.bl wide.csv --change car.c=c*2 --seed 3", "--seed"},
           {"whatif m.bl wide.csv --change car.c=c*2 --rows - --draws 9", "--draws"},
           {"whatif m.bl wide.csv --set income+=1", "--set"},
           {"explain m.bl wide.csv --economics --level 0.9", "--level"},
           {"explain m.bl wide.csv --economics --row 3", "--row"},
           {"explain m.bl wide.csv --economics --part test", "--part"},
           {"explain m.bl wide.csv --shapley", "no meaning"},
           {"explain m.bl wide.csv --responses", "are of tables"},
           {"explain m.bl wide.csv", "are of tables"},
           {"summary m.bl wide.csv --economics --units original", "--units"},
           {"summary m.bl wide.csv --economics --format latex", "--economics"},
           {"summary m.bl wide.csv --covariance classical --cluster who", "--cluster"},
           {"summary m.bl --device cuda", "--device"},
           {"summary m.bl --bootstrap 5", "--bootstrap"}})
    EXPECT_THAT(error(line), HasSubstr(named)) << line;
}

TEST_F(ChoiceQuestions, RowsOfAScenarioAreThoseThatAreAskedForAlone) {
  output(std::string("fit wide.csv ") + kWide + " m.bl");
  const std::string scenario = "whatif m.bl wide.csv --change car.c=c*1.2 --rows ";
  output(scenario + "rows.csv");
  EXPECT_EQ(read_file(folder_.file("rows.csv")), output(scenario + "-"));
}

TEST_F(ChoiceQuestions, LatexOfALogitHasEveryTerm) {
  output(std::string("fit wide.csv --term tt=t*t --term cc=c*c --term tc=t*c --term lt=log(t) ") + kWide +
         " m.bl");
  const std::string latex = output("explain m.bl --format latex");
  for (const char* term : {"tt", "cc", "tc", "lt"})
    EXPECT_THAT(latex, HasSubstr(std::string("{") + term + "}"));
}

}  // namespace
}  // namespace bl::test
