// `bl report`: one file that holds what it should, escapes what it must, and computes the library's values.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "<script>alert(1)</script>";

// A class and a number that depend on a number with far values, one with gaps and a text; names that HTML
// would read.
std::string hostile_table(std::uint64_t rows) {
  const RandomStream random(5, Purpose::test);
  std::ostringstream out;
  out << kHostile << ",\"a \"\"b\"\" & 'c' 🚲\",town,verdict,amount,count\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double a = std::exp(random.normal(0, i)), b = random.normal(1, i);
    const auto town = random.below(3, 2, i);
    const double utility = 1.5 * std::abs(b) - 1 + 0.7 * std::log(a) + 0.5 * static_cast<double>(town);
    const bool yes = random.uniform(3, i) < 1 / (1 + std::exp(-utility));
    out << a << ",";
    if (i % 17 != 0) out << b;
    out << "," << std::string("XYZ").substr(town, 1) << "</td>," << (yes ? "yes" : "<b>no</b>") << ","
        << std::exp(0.5 * utility + 0.4 * random.normal(4, i)) << ","
        << std::max(0.0, std::floor(2 + utility + random.normal(5, i))) << "\n";
  }
  return out.str();
}

std::string choice_table(std::uint64_t situations) {
  const RandomStream random(6, Purpose::test);
  std::ostringstream out;
  out << "situation,alternative,price,quality,chosen,age\n";
  for (std::uint64_t i = 0; i < situations; ++i) {
    const std::uint64_t available = i % 5 == 0 ? 2 : 3;
    const double age = 20 + 50 * random.uniform(9, i);
    double best = -1e9;
    std::size_t chosen = 0;
    double price[3], quality[3];
    for (std::uint64_t k = 0; k < available; ++k) {
      price[k] = 1 + 2 * random.uniform(10 + k, i);
      quality[k] = random.normal(20 + k, i);
      const double u = -1.5 * price[k] + quality[k] + 0.01 * age * static_cast<double>(k) -
                       std::log(-std::log(random.uniform(30 + k, i)));
      if (u > best) best = u, chosen = k;
    }
    for (std::uint64_t k = 0; k < available; ++k)
      out << "s" << i << ","
          << "abc"[k] << "," << price[k] << "," << quality[k] << "," << (k == chosen ? 1 : 0) << "," << age
          << "\n";
  }
  return out.str();
}

class ReportCommand : public ::testing::Test {
 protected:
  std::string bl(const std::vector<std::string>& line) {
    const Outcome outcome = bl_command(folder_, line);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
  std::string bl(const std::string& line) { return bl(words(line)); }

  // Fits with these arguments, writes the report and returns it.
  std::string report_of(const std::string& fit_arguments, const std::string& more = "") {
    bl("fit data.csv --quiet --output model.bl " + fit_arguments);
    bl("report model.bl data.csv --output report.html " + more);
    return read_file(folder_.file("report.html"));
  }

  // The largest difference between values computed by the page's script and those of `bl predict`.
  void expect_same_values(const std::string& predict_arguments, const std::string& weights = "") {
    if (std::system("node --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "node is not installed: the page's own values are not checked";
    bl("predict model.bl data.csv --digits full --output predictions.csv " + predict_arguments);
    const std::string command = "cd '" + folder_.file("") +
                                "' && node '" BL_TEST_DATA
                                "/../frontends/report_values.js' report.html data.csv predictions.csv " +
                                weights + " >values.json 2>errors.txt";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_file(folder_.file("errors.txt"));
    const json values = json::parse(read_file(folder_.file("values.json")));
    EXPECT_GT(values["rows"].get<int>(), 50);
    EXPECT_LT(values["difference"].get<double>(), 1e-6) << values;
  }

  static void expect_whole_and_safe(const std::string& page) {
    EXPECT_THAT(page, HasSubstr("</html>"));
    EXPECT_THAT(page, Not(HasSubstr(kHostile)));
    EXPECT_THAT(page, Not(HasSubstr("<b>no</b>")));
    EXPECT_THAT(page, Not(HasSubstr("</td>,")));
    for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import", "fetch("})
      EXPECT_THAT(page, Not(HasSubstr(outside)));
    EXPECT_LT(page.size(), 3'000'000U);
  }

  const TemporaryFolder folder_;
};

TEST_F(ReportCommand, ClassesAreEscapedAndComputedInThePage) {
  folder_.write("data.csv", hostile_table(400));
  const std::string page = report_of("--target verdict --ignore amount,count --missing impute --epochs 20");
  expect_whole_and_safe(page);
  for (const char* part :
       {"id=\"what-if\"", "id=\"importance\"", "id=\"curves\"", "id=\"quality\"", "id=\"problem\"",
        "id=\"constraints\"", "id=\"coefficients\"", "id=\"record\"", "Calibration", "ROC"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  expect_same_values("");
}

TEST_F(ReportCommand, JoinedMembersOfSeveralLayersAreComputedInThePage) {
  folder_.write("data.csv", hostile_table(400));
  for (const std::string skip : {"none", "dense", "residual"}) {
    SCOPED_TRACE(skip);
    report_of(
        "--target verdict --ignore amount,count --missing impute --epochs 8 --members 3 --layers 5,4 "
        "--skip " +
        skip);
    expect_same_values("");
  }
}

TEST_F(ReportCommand, PolynomialsAreComputedInThePage) {
  folder_.write("data.csv", hostile_table(300));
  report_of("--target verdict --ignore amount,count --missing impute --epochs 20 --single --curves none");
  expect_same_values("");
}

TEST_F(ReportCommand, NumbersAreComputedInThePage) {
  folder_.write("data.csv", hostile_table(400));
  const std::string page = report_of("--target amount --ignore verdict,count --missing impute --epochs 20");
  expect_whole_and_safe(page);
  for (const char* part : {"PIT", "Coverage", "CRPS"}) EXPECT_THAT(page, HasSubstr(part));
  expect_same_values("--quantiles 0.05,0.5,0.95");
}

TEST_F(ReportCommand, WholeNumbersAreComputedInThePage) {
  folder_.write("data.csv", hostile_table(400));
  report_of("--target count --continuous count --ignore verdict,amount --missing impute --epochs 20");
  expect_same_values("--quantiles 0.05,0.5,0.95");
}

TEST_F(ReportCommand, NumbersOfASmoothUtilityAreComputedInThePage) {
  folder_.write("data.csv", hostile_table(300));
  report_of(
      "--target amount --ignore verdict,count --missing impute --epochs 8 --utility tanh --inequality "
      "softplus "
      "--equality square --layers 6 --members 1 --curves none");
  expect_same_values("--quantiles 0.05,0.5,0.95 --tolerance 1e-9");
}

TEST_F(ReportCommand, ChoicesAreComputedInThePage) {
  folder_.write("data.csv", choice_table(300));
  const std::string declared =
      "--choice long --situation situation --alternative alternative --chosen chosen --attributes "
      "price,quality ";
  for (const std::string& form :
       {std::string(), std::string("--context age --layers 6 --members 2 --epochs 15")}) {
    SCOPED_TRACE(form);
    const std::string page = report_of(declared + form);
    expect_whole_and_safe(page);
    for (const char* part : {"id=\"market\"", "Elasticities", "Trade-offs", "surplus", "Hits"})
      EXPECT_THAT(page, HasSubstr(part));
    expect_same_values("");
  }
}

// A price that also counts squared: scenarios of the page are those of bl whatif, and no slider moves one
// without the other.
TEST_F(ReportCommand, ScenariosOfChoicesFollowTheirTerms) {
  folder_.write("data.csv", choice_table(300));
  std::vector<std::string> fit = words(
      "fit data.csv --quiet --output model.bl --choice long --situation situation --alternative alternative "
      "--chosen "
      "chosen --attributes price,quality");
  fit.insert(fit.end(), {"--term", "squared = price^2"});
  bl(fit);
  bl("report model.bl data.csv --output report.html");
  const std::string page = read_file(folder_.file("report.html"));
  expect_whole_and_safe(page);
  EXPECT_THAT(page, Not(HasSubstr("id=\"what-if-controls\"")));
  const std::size_t from = page.find('>', page.find("application/json")) + 1;
  const json document = json::parse(page.substr(from, page.find("</script>", from) - from));
  EXPECT_FALSE(document.contains("model"));
  bool found = false;
  for (const json& entry : document["scenarios"]["entries"]) {
    EXPECT_NE(entry["attribute"], "squared");
    if (entry["attribute"] != "price" || entry["alternative"] != 0) continue;
    found = true;
    const json after = json::parse(
        bl({"whatif", "model.bl", "data.csv", "--change", "a.price=price*1.5", "--json"}))["after"];
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(entry["shares"].back()[a].get<double>(), after[a].get<double>(), 1e-6);
  }
  EXPECT_TRUE(found);
  const Outcome refused =
      bl_command(folder_, {"explain", "model.bl", "data.csv", "--response-curves", "--output", "curves.svg"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("follows the terms"));
}

TEST_F(ReportCommand, ConstraintsAndImportanceOfChoicesAreThere) {
  folder_.write("data.csv", choice_table(300));
  const std::string declared =
      "--choice long --situation situation --alternative alternative --chosen chosen --attributes "
      "price,quality ";
  EXPECT_THAT(report_of(declared), HasSubstr("This model has no constraints"));
  const std::string page = report_of(declared + "--context age --layers 3 --members 1 --epochs 15");
  for (const char* part : {"id=\"constraints\"", "id=\"importance\"", "at the chosen alternatives"})
    EXPECT_THAT(page, HasSubstr(part));
  // The table of the page is that of bl explain: the weight of every constraint stands in it.
  const std::vector<std::string> lines = lines_of(bl("explain model.bl data.csv --constraints --part all"));
  ASSERT_GT(lines.size(), 1U);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_THAT(page, HasSubstr(">" + lines[i].substr(0, lines[i].find(',')) + "</a>"));
}

TEST_F(ReportCommand, ShadowPricesOfChoicesAreThoseOfExplain) {
  folder_.write("data.csv", choice_table(200));
  const std::string page = report_of(
      "--choice long --situation situation --alternative alternative --chosen chosen --attributes "
      "price,quality --context age --layers 1 --members 1 --epochs 15");
  const json rows = json::parse(bl("explain model.bl data.csv --constraints --part test --json"));
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    const std::string price = fmt::format("{:.4g}", row["shadow_price"].get<double>());
    EXPECT_THAT(page, HasSubstr(price[0] == '-' ? "−" + price.substr(1) : price)) << row;
  }
}

TEST_F(ReportCommand, NoRowIsInTheFileUnlessAsked) {
  folder_.write(
      "data.csv", "x,y\n" + [] {
        std::ostringstream rows;
        for (int i = 0; i < 200; ++i)
          rows << (i == 100 ? "987.654321" : std::to_string(0.013 * i)) << "," << (i % 3 == 0 ? "p" : "q")
               << "\n";
        return rows.str();
      }());
  EXPECT_THAT(report_of("--target y --epochs 3"), Not(HasSubstr("987.654321")));
  EXPECT_THAT(report_of("--target y --epochs 3", "--row 101"), HasSubstr("987.654321"));
  const Outcome outcome = bl_command(folder_, words("report model.bl data.csv --output r.html --row 999"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the data have 200 rows"));
}

}  // namespace
}  // namespace bl::test
