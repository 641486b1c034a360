// Standard errors through the program: a logit whose estimates and errors a textbook's formulas give.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/random.hpp"
#include "frontends/command.hpp"
#include "unit/inference/made_data.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kFit =
    "fit d.csv --target y --single --utility identity --degree 2 --starts 2 --fractions 1:0:0 --quiet "
    "--output ";
constexpr const char* kOneHead = " --ignore g --heads 1,0,0";

class Summary : public testing::Test {
 protected:
  Summary() : data_(500, 31) {
    std::ofstream file(folder_.file("d.csv"));
    file.precision(17);
    file << "x1,x2,g,y\n";
    for (Index i = 0; i < 500; ++i)
      file << data_.context(i, 0) << ',' << data_.context(i, 1) << ",h" << i / 5 << ','
           << (data_.classes[static_cast<std::size_t>(i)] == 1 ? "b" : "a") << '\n';
  }

  Outcome run(std::vector<std::string> arguments) { return bl_command(folder_, arguments); }
  void fit(const std::string& more, const std::string& output) {
    const Outcome outcome = run(words(kFit + output + more));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  json summary(const std::string& arguments) {
    const Outcome outcome = run(words("summary " + arguments + " --format json"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  TemporaryFolder folder_;
  LogitData data_;
};

TEST_F(Summary, IsTheTextbooksInTheDatasUnits) {
  fit(kOneHead, "m.bl");
  const TextbookLogit truth(data_);
  const std::vector<std::string> names = {"U.[y=b]", "U.x1*[y=b]", "U.x2*[y=b]"};
  for (const std::string kind : {"robust", "classical"}) {
    const json stored = summary("m.bl --covariance " + kind);
    const Eigen::MatrixXd& covariance = kind == "robust" ? truth.robust : truth.classical;
    ASSERT_EQ(stored["estimates"].size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      const json& one = stored["estimates"][k];
      const auto i = static_cast<Index>(k);
      // In the graded order of the terms: x1 e_b and x2 e_b after e_b.
      EXPECT_EQ(one["name"], names[k]);
      EXPECT_NEAR(one["estimate"].get<double>(), truth.beta(i), 1e-7);
      EXPECT_NEAR(one["standard_error"].get<double>(), std::sqrt(covariance(i, i)), 1e-7);
      EXPECT_NEAR(stored["covariance_matrix"][k].get<double>(), covariance(0, i), 1e-7);
    }
    EXPECT_NEAR(stored["log_likelihood"].get<double>(), truth.log_likelihood, 1e-8);
    EXPECT_EQ(stored["parameters"], 3);
  }
  // From the rows again, with the other class as reference: the same up to sign.
  const json again = summary("m.bl d.csv --reference b");
  EXPECT_EQ(again["estimates"][0]["name"], "U.[y=a]");
  EXPECT_NEAR(again["estimates"][1]["estimate"].get<double>(), -truth.beta(1), 1e-7);
}

TEST_F(Summary, TestsAndFormats) {
  fit(kOneHead, "m.bl");
  fit(" --ignore g,x2 --heads 1,0,0", "small.bl");
  const TextbookLogit truth(data_);
  const Outcome test = run({"summary", "m.bl", "--test", "U.x1*[y=b] = 0", "--format", "json"});
  ASSERT_EQ(test.code, 0) << test.err;
  EXPECT_NEAR(json::parse(test.out)["tests"][0]["chi_squared"].get<double>(),
              truth.beta(1) * truth.beta(1) / truth.robust(1, 1), 1e-5);
  const json ratio = summary("m.bl --compare small.bl")["tests"][0];
  EXPECT_EQ(ratio["degrees_of_freedom"], 1);
  EXPECT_GT(ratio["chi_squared"].get<double>(), 5);
  const Outcome text = run(words("summary m.bl"));
  for (const std::string& line : lines_of(text.out)) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(text.out, HasSubstr("U.x1*[y=b]"));
  EXPECT_THAT(run(words("summary m.bl --format latex")).out, HasSubstr("\\begin{tabular}"));
  EXPECT_THAT(run(words("summary m.bl --format markdown")).out, HasSubstr("| estimate |"));
  EXPECT_THAT(run(words("summary m.bl --format csv")).out, HasSubstr("name,estimate,standard_error"));
  EXPECT_EQ(run({"summary", "m.bl", "--test", "U.x9 = 0"}).code, 2);
  EXPECT_EQ(run(words("summary m.bl --cluster g")).code, 2);
  EXPECT_EQ(run(words("summary m.bl d.csv --cluster nobody")).code, 3);
  EXPECT_EQ(run(words("summary m.bl --level 2")).code, 2);
  const Outcome misspelt = run(words("summary m.bl --covariance sandwitch"));
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("classical"));
  const Outcome unknown = run({"summary", "m.bl", "--test", "U.nothing = 0"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("among 'U."));  // the names there are
}

TEST_F(Summary, ClustersBootstrapAndDeltaMethod) {
  fit(kOneHead, "m.bl");
  const json clustered = summary("m.bl d.csv --cluster g --bootstrap 20");
  EXPECT_EQ(clustered["covariance"], "cluster");
  EXPECT_EQ(clustered["clusters"][0]["count"], 100);
  EXPECT_EQ(clustered["finite_sample_factor"], "G/(G-1)");
  EXPECT_GT(clustered["estimates"][0]["bootstrap_error"].get<double>(), 0);
  // dU/dx1 at the observed class, averaged: share of b times its coefficient (the other's is zero).
  const TextbookLogit truth(data_);
  double share = 0;
  for (const std::int32_t c : data_.classes) share += c / 500.0;
  const Outcome marginal = run(words("summary m.bl d.csv --economics"));
  ASSERT_EQ(marginal.code, 0) << marginal.err;
  const auto lines = lines_of(marginal.out);
  EXPECT_THAT(lines[0], HasSubstr("s.e."));
  std::vector<std::string> cells;
  std::istringstream stream(lines[1]);
  for (std::string one; std::getline(stream, one, ',');) cells.push_back(one);
  ASSERT_EQ(cells[0], "x1");
  // After the name the column's mean, which has no error.
  EXPECT_NEAR(std::stod(cells[2]), share * truth.beta(1), 1e-6);
  EXPECT_NEAR(std::stod(cells[3]), share * std::sqrt(truth.robust(1, 1)), 1e-6);
  // The same by the clusters that are asked for.
  for (const std::string more : {"--cluster g", "--covariance cluster --cluster g"}) {
    const json economics = summary("m.bl d.csv --economics " + more)["economics"];
    EXPECT_NEAR(economics[0]["marginal_utility s.e."].get<double>(),
                share * clustered["estimates"][1]["standard_error"].get<double>(), 1e-6)
        << more;
  }
}

// Several tests are one document, in the order of the command line, the comparison last.
TEST_F(Summary, TestsAreOneDocumentOfJson) {
  fit(kOneHead, "m.bl");
  fit(" --ignore g,x2 --heads 1,0,0", "small.bl");
  const auto document = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"summary", "m.bl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (const char* one : {"--test", "U.x1*[y=b] = 0", "--test", "U.x2*[y=b] = 0", "--format", "json"})
      arguments.emplace_back(one);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json tests = document({"--compare", "small.bl"});
  ASSERT_EQ(tests["tests"].size(), 3U);
  EXPECT_EQ(tests["tests"][0]["hypothesis"], "U.x1*[y=b] = 0");
  EXPECT_EQ(tests["tests"][1]["hypothesis"], "U.x2*[y=b] = 0");
  EXPECT_EQ(tests["tests"][1]["kind"], "Wald");
  EXPECT_EQ(tests["tests"][2]["kind"], "likelihood ratio");
  const json economics = document({"d.csv", "--economics"});
  EXPECT_EQ(economics["tests"].size(), 2U);
  EXPECT_EQ(economics["economics"].size(), 2U);  // x1, x2
}

// Whatever shows that two models are not nested is said.
TEST_F(Summary, ALikelihoodRatioIsRefusedWhereItMeansNothing) {
  std::string text = "x1,x2,w,half,y\n";
  for (Index i = 0; i < 300; ++i)
    text += std::to_string(data_.context(i, 0)) + "," + std::to_string(data_.context(i, 1)) + "," +
            std::to_string(1 + i % 3) + (i % 2 == 0 ? ",u" : ",v") +
            (data_.classes[static_cast<std::size_t>(i)] == 1 ? ",b\n" : ",a\n");
  folder_.write("e.csv", text);
  const auto fitted = [&](const std::string& rest, const std::string& output) {
    const Outcome outcome =
        run(words("fit e.csv --single --utility identity --degree 2 --starts 2 --heads "
                  "1,0,0 --quiet --output " +
                  output + " " + rest));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  };
  fitted("--target y --ignore w,half", "large.bl");
  const auto refused = [&](const std::string& rest, const std::string& words_of_it) {
    fitted(rest, "other.bl");
    const Outcome outcome = run(words("summary large.bl --compare other.bl"));
    EXPECT_EQ(outcome.code, 2) << rest << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(words_of_it));
  };
  refused("--target y --ignore w,half,x2 --fractions 8:0:2", "estimated from 240 and 210");
  refused("--target y --ignore w,half", "more parameters than the other, not 3 and 3");
  refused("--target half --ignore w,y,x2", "same response, not of 'half' and 'y'");
  // As many rows, but others.
  refused("--target y --ignore w,half,x2 --seed 5", "different parts of the data");
  refused("--target y --ignore half,x2 --weight w", "different weights");
  refused("--target y --ignore x1,x2,half", "reads the column 'w', which the larger one, of 3, does not");
  fitted("--target y --ignore w,half,x2", "small.bl");
  EXPECT_EQ(run(words("summary small.bl --compare large.bl")).code, 0);
}

// Before the work: the rows are not even looked for.
TEST_F(Summary, PlacesThatCannotBeWrittenAreFoundFirst) {
  fit(kOneHead, "m.bl");
  const auto refused = [&](const std::string& rest, int code, const std::string& words_of_it) {
    const Outcome outcome = run(words("summary m.bl nowhere.csv " + rest));
    EXPECT_EQ(outcome.code, code) << rest;
    EXPECT_THAT(outcome.err, HasSubstr(words_of_it));
  };
  refused("--save none/out.bl", 3, "cannot write 'none/out.bl': there is no folder");
  refused("--save .", 3, "it is a folder");
  refused("--save -", 2, "a model is written to a file");
  refused("--output none/out.txt", 3, "cannot write 'none/out.txt'");
  refused("--compare none.bl", 4, "none.bl");
  refused("--save out.bl", 3, "nowhere.csv");
  EXPECT_EQ(names_in(folder_.file("")), (std::vector<std::string>{"d.csv", "m.bl"}));
}

TEST_F(Summary, TwoHeadsThatCannotBeToldApartAreNamed) {
  fit(" --ignore g --heads 2,0,0", "two.bl");
  const Outcome outcome = run(words("summary two.bl"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cannot be told apart"));
  EXPECT_THAT(outcome.out, HasSubstr("(not identified)"));
  const json all = summary("two.bl");
  for (const json& one : all["estimates"]) EXPECT_TRUE(one["standard_error"].is_null()) << one["name"];
}

// The weights of a block that is read sum to 1; where there is one, nothing is left to estimate.
TEST_F(Summary, ALoneWeightOfAScaledBlockIsFixed) {
  const Outcome outcome = run(words(
      "fit d.csv --target y --ignore g --layers 1 --identifiable --heads 1,0,0 --starts 2 --fractions 1:0:0 "
      "--quiet --output lone.bl"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = summary("lone.bl");
  bool seen = false;
  for (const json& one : found["estimates"]) {
    if (one["name"] == "U.lambda") {
      seen = true;
      EXPECT_EQ(one["state"], "fixed");
      EXPECT_NEAR(one["estimate"].get<double>(), 1, 1e-12);
    }
    EXPECT_EQ(one["standard_error"].is_null(), one["name"] == "U.lambda") << one["name"];
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(found["parameters"].get<std::size_t>() + 1, found["estimates"].size());
  EXPECT_THAT(run(words("summary lone.bl --units standardised")).out, HasSubstr("(fixed)"));
}

TEST_F(Summary, CanonicalKeepsPredictions) {
  fit(kOneHead, "m.bl");
  ASSERT_EQ(run(words("canonical m.bl --reference b --output c.bl")).code, 0);
  const std::string before = run(words("predict m.bl d.csv")).out,
                    after = run(words("predict c.bl d.csv")).out;
  EXPECT_EQ(lines_of(before).size(), 501U);
  std::istringstream a(before), b(after);
  std::string x, y;
  while (std::getline(a, x, ',') && std::getline(b, y, ',')) {
    char *xe = nullptr, *ye = nullptr;
    const double p = std::strtod(x.c_str(), &xe), q = std::strtod(y.c_str(), &ye);
    if (xe != x.c_str() && ye != y.c_str()) {
      EXPECT_NEAR(p, q, 1e-12);
    }
  }
  EXPECT_EQ(run(words("canonical m.bl --reference nobody --output c.bl")).code, 2);
  EXPECT_EQ(run(words("summary c.bl")).code, 2);  // its covariance was dropped
}

// A logit on one nominal column is saturated: coefficients are differences of log odds to those of the first
// level, and their classical variances sums of one over counts.
TEST_F(Summary, ANominalColumnHasAReferenceLevel) {
  const std::vector<std::tuple<std::string, int, int>> counts = {
      {"hill", 30, 50}, {"lake", 44, 20}, {"town", 12, 44}};
  std::string text = "place,y\n";
  for (const auto& [place, a, b] : counts) {
    for (int i = 0; i < a; ++i) text += place + ",a\n";
    for (int i = 0; i < b; ++i) text += place + ",b\n";
  }
  folder_.write("places.csv", text);
  const Outcome fitted =
      run(words("fit places.csv --target y --single --utility identity --heads 1,0,0 --starts 1 --fractions "
                "1:0:0 -o p.bl"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const json estimates = summary("p.bl --covariance classical")["estimates"];
  ASSERT_EQ(estimates.size(), 3U);
  EXPECT_EQ(estimates[0]["name"], "U.[y=b]");
  EXPECT_EQ(estimates[1]["name"], "U.[place=lake]*[y=b]");
  EXPECT_EQ(estimates[2]["name"], "U.[place=town]*[y=b]");
  const double hill = std::log(50.0 / 30), hill_variance = 1.0 / 50 + 1.0 / 30;
  EXPECT_NEAR(estimates[0]["estimate"], hill, 1e-7);
  EXPECT_NEAR(estimates[0]["standard_error"], std::sqrt(hill_variance), 1e-6);
  EXPECT_NEAR(estimates[1]["estimate"], std::log(20.0 / 44) - hill, 1e-7);
  EXPECT_NEAR(estimates[1]["standard_error"], std::sqrt(1.0 / 20 + 1.0 / 44 + hill_variance), 1e-6);
  EXPECT_NEAR(estimates[2]["estimate"], std::log(44.0 / 12) - hill, 1e-7);
  EXPECT_NEAR(estimates[2]["standard_error"], std::sqrt(1.0 / 44 + 1.0 / 12 + hill_variance), 1e-6);
}

// Exponential numbers on a box: the log-density falls by 1 per unit of each, and its best estimate has the
// error 1 / sqrt(n). The observed one among random candidates tells a little less than the likelihood does.
TEST_F(Summary, SeveralNumbersHaveTheErrorsOfTheirRandomCandidates) {
  constexpr int kRows = 400;
  const RandomStream random(12, Purpose::test);
  std::string text = "u,v,w\n";
  for (std::uint64_t i = 0; i < kRows; ++i)
    for (std::uint64_t k = 0; k < 3; ++k)
      text += fmt::format("{:.6f}{}", std::min(9.9, -std::log(random.uniform(i, k))), k < 2 ? "," : "\n");
  folder_.write("numbers.csv", text);
  const std::string fit =
      "fit numbers.csv --single --degree 1 --heads 1,0,0 --utility identity --epochs 20 --fractions 1:0:0 "
      "--objective likelihood ";
  for (const std::string more : {"--target u,v --ignore w --support 0:10,0:10 -o n.bl",
                                 "--target u,v,w --support 0:10,0:10,0:10 -o n.bl"}) {
    SCOPED_TRACE(more);
    const Outcome fitted = run(words(fit + more));
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    const json found = summary("n.bl numbers.csv");
    EXPECT_THAT(found["notes"].dump(), HasSubstr("among 64 random candidates"));
    for (const json& one : found["estimates"]) {
      const double error = one["standard_error"];
      EXPECT_GT(error * std::sqrt(kRows), 0.85);
      EXPECT_LT(error * std::sqrt(kRows), 1.6);
      EXPECT_NEAR(one["estimate"].get<double>(), -1, 4 * error);
    }
    EXPECT_GE(found["estimates"].size(), 2U);
  }
}

}  // namespace
}  // namespace bl::test
