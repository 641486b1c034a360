// Standard errors of linear choice models through the program: a conditional logit against the textbook's
// formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/matrix.hpp"
#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Trips of persons, three each, by bus, car or train; the car is not always there, and weights differ.
struct Trips {
  static constexpr int kCount = 360, kEach = 3, kTerms = 4;
  struct Option {
    int mode;
    Eigen::Vector4d x;  // constant[car], constant[train], time, cost
  };
  std::vector<std::vector<Option>> options;
  std::vector<std::size_t> chosen;
  std::vector<double> weights;
  std::string csv = "who,home,mode,w,bus_t,car_t,train_t,bus_c,car_c,train_c,car_av\n";

  Trips() {
    const RandomStream random(6, Purpose::test);
    const Eigen::Vector4d beta(0.4, -0.3, -0.06, -0.25);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const bool car = i % 5 != 0;
      std::vector<Option> set;
      std::string times, costs;
      for (int mode = 0; mode < 3; ++mode) {
        const auto key = static_cast<std::uint64_t>(mode);
        const double time = 10 + static_cast<double>(random.below(30, i, key)),
                     cost = 1 + static_cast<double>(random.below(7, i, 3 + key));
        times += "," + std::to_string(time);
        costs += "," + std::to_string(cost);
        if (mode == 1 && !car) continue;
        set.push_back({mode, Eigen::Vector4d(mode == 1, mode == 2, time, cost)});
      }
      double best = -1e300;
      std::size_t choice = 0;
      for (std::size_t j = 0; j < set.size(); ++j) {
        const double draw = beta.dot(set[j].x) - std::log(-std::log(random.uniform(i, 10 + j)));
        if (draw > best) choice = j;
        best = std::max(best, draw);
      }
      weights.push_back(i % 4 == 0 ? 2 : 1);
      csv += "p" + std::to_string(i / kEach) + ",h" + std::to_string(i / 12) + "," +
             std::to_string(set[choice].mode) + "," + std::to_string(weights.back()) + times + costs +
             (car ? ",1\n" : ",0\n");
      options.push_back(std::move(set));
      chosen.push_back(choice);
    }
  }
};

constexpr const char* kSchema =
    "[data]\nchoice = \"mode\"\nperson = \"who\"\nweight = \"w\"\n[attributes]\ntime = \"{}_t\"\ncost = "
    "\"{}_c\"\n"
    "[[alternatives]]\nname = \"bus\"\ncode = 0\n[[alternatives]]\nname = \"car\"\ncode = 1\navailable = "
    "\"car_av\"\n[[alternatives]]\nname = \"train\"\ncode = 2\n";

// The textbook: Newton's method with sum w (x - mean x)(x - mean x)' and scores x_chosen - mean x.
struct ConditionalLogit {
  Eigen::VectorXd beta;
  Eigen::MatrixXd classical, robust;
  double log_likelihood = 0, null_log_likelihood = 0;
  std::vector<Eigen::VectorXd> scores;

  ConditionalLogit(const Trips& trips, const std::vector<Index>& columns) {
    const auto k = static_cast<Index>(columns.size());
    beta = Eigen::VectorXd::Zero(k);
    for (int step = 0; step < 40; ++step) {
      Eigen::MatrixXd information = Eigen::MatrixXd::Zero(k, k), products = information;
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(k);
      log_likelihood = null_log_likelihood = 0;
      scores.clear();
      for (std::size_t i = 0; i < trips.options.size(); ++i) {
        const double w = trips.weights[i];
        Eigen::MatrixXd x(static_cast<Index>(trips.options[i].size()), k);
        for (Index j = 0; j < x.rows(); ++j)
          for (Index c = 0; c < k; ++c)
            x(j, c) = trips.options[i][static_cast<std::size_t>(j)].x(columns[static_cast<std::size_t>(c)]);
        Eigen::VectorXd p = (x * beta).array().exp();
        p /= p.sum();
        const auto y = static_cast<Index>(trips.chosen[i]);
        const Eigen::VectorXd mean = x.transpose() * p;
        scores.emplace_back(w * (x.row(y).transpose() - mean));
        gradient += scores.back();
        products += scores.back() * scores.back().transpose();
        for (Index j = 0; j < x.rows(); ++j) {
          const Eigen::VectorXd d = x.row(j).transpose() - mean;
          information += w * p(j) * d * d.transpose();
        }
        log_likelihood += w * std::log(p(y));
        null_log_likelihood -= w * std::log(static_cast<double>(x.rows()));
      }
      classical = information.inverse();
      robust = classical * products * classical;
      beta += classical * gradient;
    }
  }

  // Scores summed over groups of `each` situations, with G / (G - 1).
  Eigen::MatrixXd clustered(int each) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(beta.size(), beta.size());
    const double groups = static_cast<double>(scores.size()) / each;
    for (std::size_t i = 0; i < scores.size(); i += static_cast<std::size_t>(each)) {
      Eigen::VectorXd s = Eigen::VectorXd::Zero(beta.size());
      for (std::size_t j = i; j < i + static_cast<std::size_t>(each); ++j) s += scores[j];
      sum += s * s.transpose();
    }
    return groups / (groups - 1) * classical * sum * classical;
  }
};

class ChoiceSummary : public ::testing::Test {
 protected:
  ChoiceSummary() {
    folder_.write("trips.csv", trips_.csv);
    folder_.write("schema.toml", kSchema);
  }
  Outcome run(const std::vector<std::string>& arguments) const { return bl_command(folder_, arguments); }
  std::string output(const std::string& line) const {
    const Outcome outcome = run(words(line));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  }
  json summary(const std::string& arguments) const {
    return json::parse(output("summary " + arguments + " --format json"));
  }
  void fit(const std::string& utility, const std::string& name) const {
    folder_.write(name + ".toml", std::string(kSchema) + utility);
    output("fit trips.csv --choice " + name + ".toml -q -o " + name + ".bl");
  }

  const TemporaryFolder folder_;
  const Trips trips_;
};

void expect_estimates(const json& found, const Eigen::VectorXd& beta, const Eigen::MatrixXd& covariance) {
  const auto size = static_cast<std::size_t>(beta.size());
  ASSERT_EQ(found["estimates"].size(), size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto i = static_cast<Index>(k);
    EXPECT_NEAR(found["estimates"][k]["estimate"].get<double>(), beta(i), 1e-8);
    EXPECT_NEAR(found["estimates"][k]["standard_error"].get<double>(), std::sqrt(covariance(i, i)),
                1e-7 * std::sqrt(covariance(i, i)));
    for (std::size_t l = 0; l < size; ++l) {
      const auto j = static_cast<Index>(l);
      EXPECT_NEAR(found["covariance_matrix"][k * size + l].get<double>(), covariance(i, j),
                  1e-7 * std::sqrt(covariance(i, i) * covariance(j, j)));
    }
  }
}

TEST_F(ChoiceSummary, OfALinearUtilityIsTheTextbooks) {
  fit("", "m");
  const ConditionalLogit truth(trips_, {0, 1, 2, 3});
  for (const std::string data : {"", " trips.csv"}) {
    expect_estimates(summary("m.bl" + data), truth.beta, truth.robust);
    expect_estimates(summary("m.bl --covariance classical" + data), truth.beta, truth.classical);
    const json by_person = summary("m.bl --covariance cluster" + data);
    expect_estimates(by_person, truth.beta, truth.clustered(Trips::kEach));
    EXPECT_EQ(by_person["clusters"][0], (json{{"column", "who"}, {"count", 120}}));
    EXPECT_EQ(by_person["finite_sample_factor"], "G/(G-1)");
    EXPECT_NEAR(by_person["log_likelihood"], truth.log_likelihood, 1e-8);
  }
  expect_estimates(summary("m.bl trips.csv --cluster home"), truth.beta, truth.clustered(12));
  const json found = summary("m.bl");
  EXPECT_EQ(found["estimates"][1]["name"], "constant[train]");
  EXPECT_EQ(found["rows"], 360);
  EXPECT_EQ(found["parameters"], 4);
  const double null = truth.null_log_likelihood;
  EXPECT_NEAR(found["choice"]["null_log_likelihood"], null, 1e-9);
  EXPECT_NEAR(found["choice"]["rho_square"], 1 - truth.log_likelihood / null, 1e-10);
  EXPECT_NEAR(found["choice"]["adjusted_rho_square"], 1 - (truth.log_likelihood - 4) / null, 1e-10);
  EXPECT_EQ(found["choice"]["persons"], 120);
  EXPECT_NEAR(found["aic"], 8 - 2 * truth.log_likelihood, 1e-8);
  EXPECT_NEAR(found["bic"], 4 * std::log(360.0) - 2 * truth.log_likelihood, 1e-8);
  EXPECT_LT(found["gradient"], 1e-8);
  // Resampled persons: twice the estimate's own error is beyond what 200 resamples can be off.
  const json boot = summary("m.bl trips.csv --covariance cluster --bootstrap 200");
  for (const json& one : boot["estimates"])
    EXPECT_NEAR(one["bootstrap_error"].get<double>() / one["standard_error"].get<double>(), 1, 0.25);
}

TEST_F(ChoiceSummary, TestsAreThoseOfTheTextbook) {
  fit("", "m");
  fit("[utility]\ngeneric = [\"time\"]\n", "small");
  const ConditionalLogit truth(trips_, {0, 1, 2, 3}), small(trips_, {0, 1, 2});
  const Outcome wald = run({"summary", "m.bl", "--test", "time = 0, cost = 4 * time", "--format", "json"});
  ASSERT_EQ(wald.code, 0) << wald.err;
  Eigen::MatrixXd r(2, 4);
  r << 0, 0, 1, 0, 0, 0, -4, 1;
  const Eigen::VectorXd d = r * truth.beta;
  const double expected = d.dot((r * truth.robust * r.transpose()).inverse() * d);
  const json tested = json::parse(wald.out)["tests"][0];
  EXPECT_NEAR(tested["chi_squared"], expected, 1e-5 * expected);
  EXPECT_EQ(tested["degrees_of_freedom"], 2);
  const json ratio = summary("m.bl --compare small.bl")["tests"][0];
  EXPECT_NEAR(ratio["chi_squared"], 2 * (truth.log_likelihood - small.log_likelihood), 1e-7);
  EXPECT_EQ(ratio["degrees_of_freedom"], 1);
}

TEST_F(ChoiceSummary, ASignThatHoldsIsFlaggedAndTheRestIsConditional) {
  fit("[utility]\ngeneric = [\"time\", \"cost\"]\nsigns = { cost = \"positive\" }\n", "held");
  const ConditionalLogit without(trips_, {0, 1, 2});
  const json found = summary("held.bl");
  ASSERT_EQ(found["estimates"].size(), 4U);
  const json& cost = found["estimates"][3];
  EXPECT_EQ(cost["state"], "at bound");
  EXPECT_EQ(cost["estimate"], 0);
  EXPECT_TRUE(cost["standard_error"].is_null());
  for (std::size_t k = 0; k < 3; ++k) {
    const auto i = static_cast<Index>(k);
    EXPECT_NEAR(found["estimates"][k]["estimate"].get<double>(), without.beta(i), 1e-8);
    EXPECT_NEAR(found["estimates"][k]["standard_error"].get<double>(), std::sqrt(without.robust(i, i)), 1e-8);
  }
  EXPECT_EQ(found["parameters"], 3);
  EXPECT_THAT(output("summary held.bl"), HasSubstr("(at bound)"));
  EXPECT_EQ(json::parse(output("check held.bl trips.csv --replications 2 --json"))["parameters"].size(), 3U);
}

TEST_F(ChoiceSummary, WhatTheChoicesDoNotDetermineIsNamed) {
  folder_.write("twice.toml", std::string(kSchema).replace(std::string(kSchema).find("cost = \"{}_c\""), 0,
                                                           "half = \"{}_t / 2\"\n"));
  output("fit trips.csv --choice twice.toml -q -o twice.bl");
  const json found = summary("twice.bl");
  std::map<std::string, json> rows;
  for (const json& one : found["estimates"]) rows[one["name"]] = one;
  EXPECT_EQ(rows["half"]["state"], "collinear with time");
  EXPECT_TRUE(rows["half"]["standard_error"].is_null());
  EXPECT_EQ(found["parameters"], 4);
  EXPECT_THAT(found["notes"][0].get<std::string>(), HasSubstr("half (collinear with time)"));
  // The others are those of the utility without it.
  fit("", "m");
  const json without = summary("m.bl");
  for (const json& one : without["estimates"]) {
    EXPECT_NEAR(rows[one["name"]]["estimate"], one["estimate"], 1e-6);
    EXPECT_NEAR(rows[one["name"]]["standard_error"], one["standard_error"], 1e-6);
  }
}

TEST_F(ChoiceSummary, FormatsAndMistakes) {
  fit("", "m");
  for (const std::string& line : lines_of(output("summary m.bl"))) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(output("summary m.bl"), HasSubstr("Rho-square:"));
  EXPECT_THAT(output("summary m.bl --format latex"), HasSubstr("constant[car] & "));
  EXPECT_THAT(output("summary m.bl --format markdown"), HasSubstr("- Situations: 360"));
  EXPECT_THAT(output("summary m.bl --format csv"), HasSubstr("name,estimate,standard_error"));
  output("summary m.bl trips.csv --save again.bl");
  EXPECT_EQ(output("predict again.bl trips.csv"), output("predict m.bl trips.csv"));
  folder_.write("other.csv", trips_.csv + "p0,h0,0,1,9,9,9,1,1,1,1\n");
  folder_.write("lacking.csv", "who,mode,w,bus_t\np0,0,1,3\n");
  output("fit other.csv --choice schema.toml -q -o other.bl");
  output("fit other.csv --target mode --ignore who,home --layers 2 --epochs 1 -q -o table.bl");
  output(
      "fit trips.csv --choice wide --chosen mode --alternatives bus=0,car=1,train=2 --attributes t,c "
      "--network --layers 2 --epochs 1 -q -o network.bl");
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"summary network.bl", 2, "stores no standard errors"},
      {"summary m.bl --cluster home", 2, "give the data"},
      {"summary m.bl trips.csv --cluster nobody", 3, "nobody"},
      {"summary m.bl --reference car", 2, "schema"},
      {"summary m.bl --units standardised", 2, "units of its attributes"},
      {"summary m.bl trips.csv --starts 3", 2, "one maximum"},
      {"summary m.bl lacking.csv", 3, "bus_c"},
      {"summary m.bl --covariance sandwich", 2, "classical"},
      {"summary m.bl --compare other.bl", 2, "same rows"},
      {"summary m.bl --compare table.bl", 2, "stores no standard errors"},
      {"summary m.bl --test nothing=0", 2, "constant[car]"},
      {"summary trips.csv", 4, "trips.csv"},
      {"canonical m.bl -o c.bl", 2, "networks"},
      {"check m.bl lacking.csv", 3, "bus_c"},
      {"check m.bl trips.csv --replications 1", 2, "replications"}};
  for (const auto& [line, code, message] : cases) {
    const Outcome outcome = run(words(line));
    EXPECT_EQ(outcome.code, code) << line << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
  }
}

// Written before choice models kept what a summary needs.
TEST_F(ChoiceSummary, EarlierFilesAreReadAndNeedTheData) {
  const std::string data = BL_TEST_DATA;
  const Outcome bare = run({"summary", data + "/trips_v1.bl"});
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, HasSubstr("bl summary MODEL DATA"));
  const Outcome found = run({"summary", data + "/trips_v1.bl", data + "/trips.csv", "--format", "json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json estimates = json::parse(found.out)["estimates"];
  EXPECT_NEAR(estimates[1]["estimate"], -0.073469, 1e-6);  // as that version printed them
  EXPECT_NEAR(estimates[1]["standard_error"], 0.021735, 1e-6);
  const Outcome predicted = run({"predict", data + "/trips_v1.bl", data + "/trips.csv", "--digits", "full"});
  const auto now = lines_of(predicted.out), then = lines_of(read_file(data + "/trips_v1_predictions.csv"));
  ASSERT_EQ(now.size(), then.size());
  EXPECT_EQ(now[0], "line,p(bus),p(car),likeliest");
  constexpr double kRoundings =
      16 * std::numeric_limits<double>::epsilon();  // another order of sums, another exp
  for (std::size_t i = 1; i < now.size(); ++i) {
    int line = 0, line_then = 0;
    double bus = 0, car = 0, bus_then = 0, car_then = 0;
    char name[8] = {}, name_then[8] = {};
    ASSERT_EQ(std::sscanf(now[i].c_str(), "%d,%lf,%lf,%7s", &line, &bus, &car, name), 4);
    ASSERT_EQ(std::sscanf(then[i].c_str(), "%d,%lf,%lf,%7s", &line_then, &bus_then, &car_then, name_then), 4);
    EXPECT_EQ(line, line_then);
    EXPECT_STREQ(name, name_then);
    EXPECT_NEAR(bus, bus_then, kRoundings * bus_then);
    EXPECT_NEAR(car, car_then, kRoundings * car_then);
  }
}

}  // namespace
}  // namespace bl::test
