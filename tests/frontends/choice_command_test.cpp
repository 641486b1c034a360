// Choices through the program: one way in by bl fit --choice, and the same commands as for tables after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "frontends/altered_checkpoint.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// 300 trips by bus or car, as a wide file by prefix, by suffix, and as a long one; times and costs in a fixed
// pattern, the choice follows them but for every fifth.
struct Files {
  std::string prefix = "who,mode,bus_t,car_t,bus_c,car_c,bus_av,car_av,age\n",
              suffix = "who,mode,t.bus,t.car,c.bus,c.car,av.bus,av.car,age\n",
              lines = "trip,who,mode,t,c,picked,there,age\n";

  explicit Files(int count = 300) {
    for (int i = 0; i < count; ++i) {
      const int tb = 20 + i % 13, tc = 15 + (i * 7) % 17, cb = 2 + i % 3, cc = 3 + (i * 5) % 6,
                age = 20 + i % 40;
      const bool car_there = i % 9 != 0;
      const bool bus = !car_there || ((tb + 3 * cb < tc + 3 * cc) != (i % 5 == 0));
      const auto n = [](int value) { return "," + std::to_string(value); };
      const std::string row = std::to_string(i / 3) + (bus ? ",1" : ",2") + n(tb) + n(tc) + n(cb) + n(cc) +
                              ",1" + n(car_there ? 1 : 0) + n(age) + "\n";
      prefix += row;
      suffix += row;
      lines += std::to_string(i) + n(i / 3) + ",bus" + n(tb) + n(cb) + n(bus ? 1 : 0) + ",1" + n(age) + "\n";
      lines += std::to_string(i) + n(i / 3) + ",car" + n(tc) + n(cc) + n(bus ? 0 : 1) + n(car_there ? 1 : 0) +
               n(age) + "\n";
    }
  }
};

constexpr const char* kSchema =
    "[data]\nchoice = \"mode\"\nperson = \"who\"\n[attributes]\ntime = \"{}_t\"\ncost = \"{}_c\"\n"
    "[[alternatives]]\nname = \"bus\"\ncode = 1\navailable = \"bus_av\"\n[[alternatives]]\nname = "
    "\"car\"\ncode = "
    "2\navailable = \"car_av\"\n";

class ChoiceCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Files files;
    folder_.write("wide.csv", files.prefix);
    folder_.write("suffix.csv", files.suffix);
    folder_.write("long.csv", files.lines);
    folder_.write("schema.toml", kSchema);
  }
  Outcome run(const std::vector<std::string>& arguments) const { return bl_command(folder_, arguments); }
  std::string output(const std::string& line) const {
    const Outcome outcome = run(words(line));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    for (const std::string& one : lines_of(outcome.out)) {
      const bool data = line.find("json") != std::string::npos || line.starts_with("predict");
      EXPECT_TRUE(one.size() <= 80 || data) << one;
    }
    return outcome.out;
  }
  json fitted(const std::string& line) const { return json::parse(output(line + " --json")); }

  const TemporaryFolder folder_;
};

TEST_F(ChoiceCommand, OptionsDeclareWhatTheSchemaDoes) {
  const json schema = fitted("fit wide.csv --choice schema.toml -o model.bl");
  const std::string of_wide =
      "--chosen mode --alternatives bus=1,car=2 --attributes time=t,cost=c --available av --group who ";
  for (const std::string& line :
       {"fit wide.csv --choice wide " + of_wide + "-o wide.bl",
        "fit suffix.csv --choice wide --columns {attribute}.{alternative} " + of_wide + "-o suffix.bl",
        std::string(
            "fit long.csv --choice long --situation trip --alternative mode --chosen picked --available "
            "there --attributes time=t,cost=c --group who -o long.bl")}) {
    const json one = fitted(line);
    EXPECT_NEAR(one["train"]["log_likelihood"], schema["train"]["log_likelihood"].get<double>(), 1e-9)
        << line;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(one["coefficients"][k]["name"], schema["coefficients"][k]["name"]);
      EXPECT_NEAR(one["coefficients"][k]["clustered_error"],
                  schema["coefficients"][k]["clustered_error"].get<double>(), 1e-9);
    }
  }
  const json specific = fitted("fit wide.csv --choice wide " + of_wide +
                               "--specific time --positive cost --reference car -o specific.bl");
  ASSERT_EQ(specific["coefficients"].size(), 4U);
  EXPECT_EQ(specific["coefficients"][0]["name"], "constant[bus]");
  EXPECT_EQ(specific["coefficients"][1]["estimate"], 0);  // cost lowers utility, so it stays at its bound
  EXPECT_EQ(specific["coefficients"][3]["name"], "time[car]");
  EXPECT_THAT(output("fit wide.csv --choice wide " + of_wide +
                     "--context age --negative time,cost --layers 4 --epochs 3 -o network.bl"),
              HasSubstr("network, layers [4]"));
  EXPECT_THAT(output("inspect network.bl"), HasSubstr("signs       time, cost never raise utility"));
}

TEST_F(ChoiceCommand, TheCommandsForTablesReadTheFile) {
  EXPECT_THAT(output("fit wide.csv --choice schema.toml -o model.bl"), HasSubstr("log_likelihood"));
  EXPECT_THAT(output("inspect model.bl"), HasSubstr("constant[car]"));
  EXPECT_EQ(json::parse(output("inspect model.bl --json"))["response"]["alternatives"], (json{"bus", "car"}));
  EXPECT_THAT(output("evaluate model.bl wide.csv"), HasSubstr("rho_square"));
  EXPECT_EQ(json::parse(output("evaluate model.bl wide.csv --json"))["situations"], 300);
  EXPECT_THAT(output("predict model.bl wide.csv"), HasSubstr("line,p(bus),p(car),likeliest"));
  EXPECT_THAT(output("predict model.bl wide.csv --format jsonl"), HasSubstr("\"p(bus)\":"));
  EXPECT_THAT(output("predict model.bl wide.csv --utilities"),
              HasSubstr("likeliest,utility(bus),utility(car)"));
  EXPECT_THAT(output("predict model.bl wide.csv --shares"), HasSubstr("alternative,predicted,observed"));
  EXPECT_THAT(output("explain model.bl"), HasSubstr("V[car] = "));
  EXPECT_THAT(output("explain model.bl wide.csv --economics --attribute time --numeraire cost"),
              HasSubstr("value of time in units of cost: "));
  const json economics = json::parse(output("explain model.bl wide.csv --economics --numeraire cost --json"));
  EXPECT_GT(economics["time"]["value"]["standard_error"], 0);
  EXPECT_LT(economics["cost"]["elasticities"][0][0], 0);
  const json changed = json::parse(
      run({"whatif", "model.bl", "wide.csv", "--add", "taxi = car", "--change", "taxi.cost=2 * cost",
           "--change", "bus.time = time + 5", "--withdraw", "car", "--money", "cost", "--json"})
          .out);
  EXPECT_EQ(changed["alternatives"], (json{"bus", "car", "taxi"}));
  EXPECT_EQ(changed["after"][1], 0);
  EXPECT_LT(changed["money_change"], 0);
  EXPECT_GT(changed["money_error"], 0);
  EXPECT_THAT(output("whatif model.bl wide.csv --withdraw car"), HasSubstr("diversion"));
}

TEST_F(ChoiceCommand, WhatMakesNoSenseIsSaid) {
  ASSERT_EQ(run(words("fit wide.csv --choice schema.toml -q -o model.bl")).code, 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"fit wide.csv --chosen mode --target mode -o x.bl", "--chosen goes with --choice"},
      {"fit wide.csv --choice schema.toml --chosen mode -o x.bl", "a schema file says it itself"},
      {"fit wide.csv --choice wide --chosen mode --alternatives bus --attributes t -o x.bl", "two or more"},
      {"fit wide.csv --choice wide --chosen mode --alternatives bus,car --attributes t --columns {attribute} "
       "-o x.bl",
       "{alternative}"},
      {"fit wide.csv --choice schema.toml --target mode -o x.bl", "no meaning for choices"},
      {"fit wide.csv --choice schema.toml --layers 4,2 -o x.bl",
       "--layers = '4,2' has no effect on a linear utility"},
      {"fit wide.csv --choice schema.toml --temperature 2 -o x.bl", "--temperature = '2' has no effect"},
      {"fit wide.csv --choice schema.toml --set momentum=0.5 -o x.bl", "--momentum = '0.5' has no effect"},
      {"predict model.bl wide.csv --quantiles 0.5", "--quantiles has no meaning"},
      {"evaluate model.bl wide.csv --temperature 2", "--temperature has no meaning"},
      {"explain model.bl wide.csv --importance", "--importance has no meaning"},
      {"explain model.bl --economics", "needs data"},
      {"explain model.bl --alternative tram", "'bus', 'car'"},
      {"whatif model.bl wide.csv", "nothing to change"},
      {"whatif model.bl wide.csv --add taxi", "NEW=ALTERNATIVE"},
      {"whatif model.bl wide.csv --add car=bus", "already an alternative"},
      {"whatif model.bl wide.csv --change car.cost", "ALTERNATIVE.ATTRIBUTE=EXPRESSION"}};
  for (const auto& [line, message] : cases) {
    const Outcome outcome = run(words(line));
    EXPECT_EQ(outcome.code, 2) << line << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
  }
  EXPECT_EQ(
      run(words("fit wide.csv --choice wide --chosen mode --alternatives bus,car --attributes tt -o x.bl"))
          .code,
      3);
  EXPECT_EQ(run(words("sample model.bl wide.csv")).code, 2);
}

// Nobody wrote a schema, so nobody can look up a line of it.
TEST_F(ChoiceCommand, WhatAnOptionGotWrongIsSaidOfTheOption) {
  const std::vector<std::string> wide =
      words("fit wide.csv --choice wide --chosen mode --alternatives bus=1,car=2 --attributes t,c -o x.bl");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--reference", "tram"}, "--reference: there is no alternative 'tram' among 'bus', 'car'"},
      {{"--negative", "tt"}, "--negative: there is no attribute 'tt' among 't', 'c'"},
      {{"--specific", "tt"}, "--specific: there is no attribute 'tt'"},
      {{"--positive", "t,t"}, "--positive names 't' twice"},
      {{"--filter", "age >"}, "--filter: "},
      {{"--nominal", "who"}, "--nominal: 'who' is not in context"},
      {{"--weight", "age +"}, "--weight: "},
      {{"--context", "age", "--reference", "bus"}, "--reference: 'reference' is for form = \"linear\""}};
  const auto refused = [&](std::vector<std::string> line, const std::string& message) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::StartsWith("bl: " + message));
  };
  for (const auto& [more, message] : cases) {
    std::vector<std::string> line = wide;
    line.insert(line.end(), more.begin(), more.end());
    refused(line, message);
  }
  refused(words("fit wide.csv --choice wide --chosen mode --alternatives bus=1,bus=2 --attributes t -o x.bl"),
          "--alternatives: two alternatives are called 'bus'");
  refused(
      words("fit wide.csv --choice wide --chosen mode --alternatives bus=1,car=2 --attributes t,t -o x.bl"),
      "--attributes names 't' twice");
  refused(words("fit long.csv --choice long --chosen picked --alternative mode --attributes t -o x.bl"),
          "--choice long: [data] needs situation");
}

// The same bytes as a run that nobody disturbed, also with another number of threads; and from the
// checkpoint, for an altered one ends elsewhere.
TEST_F(ChoiceCommand, AKilledFitIsResumedToTheSameBytes) {
  const auto fit = [](long epochs, const std::string& rest) {
    return words(
        "fit wide.csv --choice wide --chosen mode --alternatives bus=1,car=2 --attributes time=t,cost=c "
        "--context age --negative cost --layers 12,4 --members 2 --batch-size 32 --patience 1000000 "
        "--epochs " +
        std::to_string(epochs) + " " + rest);
  };
  long epochs = 4000;
  for (;; epochs *= 2) {
    Process process(fit(epochs, "--threads 1 -q -o model.bl"), folder_.file(""));
    while (process.running() && !std::filesystem::exists(folder_.file("model.bl.checkpoint")))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (std::filesystem::exists(folder_.file("model.bl.checkpoint"))) process.send(SIGKILL);
    if (process.wait().code == -SIGKILL) break;
  }
  const Outcome other = Process(fit(epochs, "--seed 1 --resume -o model.bl"), folder_.file("")).wait();
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, HasSubstr("other settings"));
  std::filesystem::copy_file(folder_.file("model.bl.checkpoint"), folder_.file("altered.bl.checkpoint"));
  alter_checkpoint(folder_.file("altered.bl.checkpoint"));
  const Outcome resumed =
      Process(fit(epochs, "--threads 2 --resume -q -o model.bl"), folder_.file("")).wait();
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("model.bl.checkpoint")));
  EXPECT_EQ(Process(fit(epochs, "-q -o whole.bl"), folder_.file("")).wait().code, 0);
  EXPECT_TRUE(read_file(folder_.file("model.bl")) == read_file(folder_.file("whole.bl")));
  EXPECT_EQ(Process(fit(epochs, "--resume -q -o altered.bl"), folder_.file("")).wait().code, 0);
  EXPECT_FALSE(read_file(folder_.file("altered.bl")) == read_file(folder_.file("whole.bl")));
}

}  // namespace
}  // namespace bl::test
