// bl check and bl reproduce identification as a person runs them, on models small enough for seconds.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using nlohmann::json;

// Yes or no, logit 0.4 - 0.8 a + 0.5 b.
std::string logit_csv(std::uint64_t rows) {
  const RandomStream random(8, Purpose::test);
  std::ostringstream out;
  out << "a,b,answer\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double a = random.normal(i, 0), b = random.normal(i, 1);
    const double p = 1 / (1 + std::exp(-(0.4 - 0.8 * a + 0.5 * b)));
    out << a << ',' << b << ',' << (random.uniform(i, 9) < p ? "yes" : "no") << '\n';
  }
  return out.str();
}

class Check : public ::testing::Test {
 protected:
  Check() { std::ofstream(folder_.file("data.csv")) << logit_csv(400); }

  std::string bl(const std::string& line) {
    const Outcome outcome = bl_command(folder_, words(line));
    EXPECT_EQ(outcome.code, 0) << line << '\n' << outcome.err;
    return outcome.out;
  }
  void fit(const std::string& heads) {
    bl("fit data.csv --target answer --single --heads " + heads + " -o m.bl");
  }

  TemporaryFolder folder_;
};

void expect_narrow(const std::string& text) {
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80U) << line;
}

// Information of a logit is known, so a sound model must be found sound.
TEST_F(Check, ALogitIsSound) {
  fit("1,0,0 --utility identity");
  const json report = json::parse(bl("check m.bl data.csv --replications 60 --json"));
  EXPECT_TRUE(report["sound"].get<bool>()) << report.dump(1);
  ASSERT_EQ(report["parameters"].size(), 3U);
  for (const json& one : report["parameters"]) {
    EXPECT_NEAR(one["standard_error"].get<double>() / one["standard_deviation"].get<double>(), 1,
                4 / std::sqrt(120.0));
    EXPECT_GE(one["coverage"].get<double>(), 0.83);
  }
  const std::string text = bl("check m.bl data.csv --replications 60 --threads 1");
  expect_narrow(text);
  EXPECT_THAT(text, HasSubstr("Sound: at 280 rows"));
  EXPECT_EQ(text, bl("check m.bl data.csv --replications 60 --threads 3"));
}

// Two utilities that do the same leave directions open in every refit.
TEST_F(Check, TwoEqualHeadsAreTooMuch) {
  fit("2,0,0 --utility identity");
  const json report = json::parse(bl("check m.bl data.csv --replications 4 --json"));
  EXPECT_FALSE(report["sound"].get<bool>());
  EXPECT_EQ(report["unidentified"].get<int>() + report["at_bound"].get<int>(), 4);
  EXPECT_THAT(report["findings"][0].get<std::string>(), HasSubstr("Too much for 280 rows"));
  expect_narrow(bl("check m.bl data.csv --replications 4"));
}

TEST_F(Check, IdentificationPrintsAndDraws) {
  const std::string line =
      "reproduce identification --models single_class --replications 4 --sizes 200 --coverage-rows 400";
  const std::string text = bl(line + " --plot picture.svg");
  expect_narrow(text);
  EXPECT_THAT(text, HasSubstr("slope -0."));
  EXPECT_THAT(text, HasSubstr("U.distance*[bus]"));
  EXPECT_THAT(read_file(folder_.file("picture.svg")), HasSubstr("1 single class"));
  const json report = json::parse(bl(line + " --json"));
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0]["sizes"][1]["rows"], 400);
  EXPECT_EQ(report[0]["sizes"][1]["parameters"].size(), 10U);
  const Outcome unknown = bl_command(folder_, words("reproduce identification --models nobody"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("single_class"));
  EXPECT_EQ(bl_command(folder_, words("reproduce identification --sizes 5x")).code, 2);
}

}  // namespace
}  // namespace bl
