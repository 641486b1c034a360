// Standard errors of an identifiable block of choices through the program, against differences of its own
// likelihood.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/matrix.hpp"
#include "base/random.hpp"
#include "frontends/command.hpp"

namespace bl::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A shopper picks one of four products: 3 tanh(0.8 q - 0.2 p) - 2 softplus(-0.3 q + 0.8 p).
struct Shopper {
  static constexpr int kCount = 1200, kSet = 4;
  std::vector<std::array<std::array<double, 2>, kSet>> x;
  std::vector<std::size_t> chosen;
  std::string csv = "situation,product,quality,price,chosen,house\n";

  Shopper() {
    const RandomStream random(12, Purpose::test);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      std::array<std::array<double, 2>, kSet> set{};
      std::size_t choice = 0;
      double best = -1e300;
      for (std::size_t j = 0; j < kSet; ++j) {
        set[j] = {std::round(3e3 * random.normal(i, 2 * j)) / 1e3,
                  std::round(3e3 * random.normal(i, 2 * j + 1)) / 1e3};
        const double v = 3 * std::tanh(0.8 * set[j][0] - 0.2 * set[j][1]) -
                         2 * std::log1p(std::exp(-0.3 * set[j][0] + 0.8 * set[j][1])) -
                         std::log(-std::log(random.uniform(i, 20 + j)));
        if (v > best) choice = j;
        best = std::max(best, v);
      }
      for (std::size_t j = 0; j < kSet; ++j)
        csv += std::to_string(i) + "," + "abcd"[j] + "," + std::to_string(set[j][0]) + "," +
               std::to_string(set[j][1]) + (j == choice ? ",1" : ",0") + ",h" + std::to_string(i / 4) + "\n";
      x.push_back(set);
      chosen.push_back(choice);
    }
    standardise();
  }

  using Named = std::map<std::string, double>;

  // Parameters by the names of the summary, in standardised units.
  double utility(const Named& at, std::size_t i, std::size_t j) const {
    const auto head = [&](const std::string& h) {
      return at.at(h + ".quality") * x[i][j][0] + at.at(h + ".price") * x[i][j][1] +
             at.at(h + ".[alternative=" + "abcd"[j] + "]");
    };
    return at.at("U.lambda") * std::tanh(head("U")) - at.at("C.lambda") * std::log1p(std::exp(head("C")));
  }
  double log_likelihood(const Named& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double total = 0;
      for (std::size_t j = 0; j < kSet; ++j) total += std::exp(utility(at, i, j));
      sum += utility(at, i, chosen[i]) - std::log(total);
    }
    return sum;
  }
  // What the second product gains when the first is gone, in market share.
  double gain(const Named& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::array<double, kSet> e{};
      for (std::size_t j = 0; j < kSet; ++j) e[j] = std::exp(utility(at, i, j));
      sum += e[1] / (e[1] + e[2] + e[3]) - e[1] / (e[0] + e[1] + e[2] + e[3]);
    }
    return sum / static_cast<double>(x.size());
  }

 private:
  void standardise() {
    const double n = static_cast<double>(x.size()) * kSet;
    for (std::size_t k = 0; k < 2; ++k) {
      double mean = 0, squares = 0;
      for (const auto& set : x)
        for (const auto& one : set) mean += one[k] / n;
      for (const auto& set : x)
        for (const auto& one : set) squares += (one[k] - mean) * (one[k] - mean) / n;
      for (auto& set : x)
        for (auto& one : set) one[k] = (one[k] - mean) / std::sqrt(squares);
    }
  }
};

class BlockSummary : public ::testing::Test {
 protected:
  BlockSummary() { folder_.write("long.csv", shopper_.csv); }
  Outcome run(const std::string& line) const { return bl_command(folder_, words(line)); }
  std::string output(const std::string& line) const {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  }
  static std::string fit(const std::string& rest) {
    return "fit long.csv --choice long --situation situation --alternative product --chosen chosen "
           "--attributes "
           "quality,price --group house --network --fractions 1:0:0 " +
           rest;
  }

  const TemporaryFolder folder_;
  const Shopper shopper_;
};

constexpr const char* kBlock = "--identifiable --single --heads 1,1,0 --degree 1 --starts 3 ";

// Second differences of a log-likelihood that is written out here: an independent way to the same table.
TEST_F(BlockSummary, IsTheInverseHessianOfItsLikelihood) {
  EXPECT_THAT(output(fit(kBlock) + "-o m.bl"), HasSubstr("starts ended in the lowest minimum"));
  const json found =
      json::parse(output("summary m.bl --covariance classical --units standardised --format json"));
  const std::size_t size = found["estimates"].size();
  ASSERT_EQ(size, 14U);
  std::map<std::string, double> at;
  std::vector<std::string> names;
  for (const json& one : found["estimates"]) {
    names.push_back(one["name"]);
    at[names.back()] = one["estimate"];
  }
  EXPECT_NEAR(shopper_.log_likelihood(at), found["log_likelihood"].get<double>(), 1e-8);
  const auto n = static_cast<Index>(size);
  Eigen::VectorXd step(n);
  for (Index i = 0; i < n; ++i)
    step(i) = 0.02 * found["estimates"][static_cast<std::size_t>(i)]["standard_error"].get<double>();
  const auto moved = [&](Index i, double a, Index j, double b) {
    std::map<std::string, double> point = at;
    point[names[static_cast<std::size_t>(i)]] += a * step(i);
    point[names[static_cast<std::size_t>(j)]] += b * step(j);
    return shopper_.log_likelihood(point);
  };
  Eigen::MatrixXd hessian(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      hessian(i, j) = hessian(j, i) =
          -(moved(i, 1, j, 1) - moved(i, 1, j, -1) - moved(i, -1, j, 1) + moved(i, -1, j, -1)) /
          (4 * step(i) * step(j));
  const Eigen::MatrixXd covariance = hessian.inverse();
  for (Index i = 0; i < n; ++i) {
    const double error = found["estimates"][static_cast<std::size_t>(i)]["standard_error"];
    // Differences over 2% of an error are off by about its square times the condition of the information.
    EXPECT_NEAR(std::sqrt(covariance(i, i)) / error, 1, 0.01) << names[static_cast<std::size_t>(i)];
  }
  const std::map<std::string, double> truth = {{"U.lambda", 3}, {"U.quality", 0.8},  {"U.price", -0.2},
                                               {"C.lambda", 2}, {"C.quality", -0.3}, {"C.price", 0.8}};
  const json original = json::parse(output("summary m.bl --format json"));
  std::size_t compared = 0;
  for (const json& one : original["estimates"])
    if (const auto value = truth.find(one["name"]); value != truth.end()) {
      EXPECT_NEAR(one["estimate"].get<double>(), value->second, 4 * one["standard_error"].get<double>())
          << one["name"];
      ++compared;
    }
  EXPECT_EQ(compared, truth.size());
}

TEST_F(BlockSummary, SharesHaveTheErrorsOfTheDeltaMethod) {
  output(fit(kBlock) + "-q -o m.bl");
  const json found = json::parse(output("summary m.bl --units standardised --format json"));
  const auto n = static_cast<Index>(found["estimates"].size());
  Shopper::Named at;
  for (const json& one : found["estimates"]) at[one["name"]] = one["estimate"];
  Eigen::VectorXd gradient(n);
  Eigen::MatrixXd covariance(n, n);
  for (Index i = 0; i < n; ++i) {
    const json& one = found["estimates"][static_cast<std::size_t>(i)];
    const double step = 1e-3 * one["standard_error"].get<double>();
    Shopper::Named up = at, down = at;
    up[one["name"]] += step;
    down[one["name"]] -= step;
    gradient(i) = (shopper_.gain(up) - shopper_.gain(down)) / (2 * step);
    for (Index j = 0; j < n; ++j)
      covariance(i, j) = found["covariance_matrix"][static_cast<std::size_t>(i * n + j)];
  }
  const json gone = json::parse(output("whatif m.bl long.csv --withdraw a --json"));
  const double change = gone["after"][1].get<double>() - gone["before"][1].get<double>();
  const double error = std::sqrt(gradient.dot(covariance * gradient));
  EXPECT_NEAR(change, shopper_.gain(at), 1e-9);
  EXPECT_NEAR(gone["change_error"][1].get<double>(), error, 1e-5 * error);
}

TEST_F(BlockSummary, FromRowsChecksAndCanonicalForms) {
  output(fit(kBlock) + "-q -o m.bl");
  const json stored = json::parse(output("summary m.bl --covariance cluster --format json")),
             again = json::parse(output("summary m.bl long.csv --cluster house --format json"));
  EXPECT_EQ(stored["clusters"][0]["count"], 300);
  for (std::size_t k = 0; k < stored["estimates"].size(); ++k) {
    const double error = stored["estimates"][k]["standard_error"];
    EXPECT_NEAR(again["estimates"][k]["standard_error"], error, 1e-4 * error);
  }
  for (const std::string& line : lines_of(output("summary m.bl long.csv --reference b")))
    EXPECT_LE(line.size(), 80U) << line;
  output("canonical m.bl --output c.bl");
  EXPECT_EQ(run("summary c.bl").code, 2);  // its covariance was dropped
  const json report = json::parse(output("check m.bl long.csv --replications 8 --json"));
  EXPECT_EQ(report["parameters"].size(), 14U);
  EXPECT_EQ(report["rows"], 1200);
  EXPECT_EQ(output("check m.bl long.csv --replications 4 --threads 1"),
            output("check m.bl long.csv --replications 4 --threads 2"));
  // A linear utility is nested in none of these, but a block with one head fewer is.
  output(fit("--identifiable --single --heads 1,0,0 --degree 1 --starts 3 -q -o small.bl"));
  const json ratio = json::parse(output("summary m.bl --compare small.bl --format json"))["tests"][0];
  EXPECT_EQ(ratio["degrees_of_freedom"], 7);
  EXPECT_GT(ratio["chi_squared"], 20);
}

TEST_F(BlockSummary, RefusesWithAReason) {
  const Outcome signs = run(fit(kBlock) + "--negative price -o m.bl");
  EXPECT_EQ(signs.code, 2);
  EXPECT_THAT(signs.err, HasSubstr("signs"));
  const Outcome members = run(fit(kBlock) + "--members 2 -o m.bl");
  EXPECT_EQ(members.code, 2);
  EXPECT_THAT(members.err, HasSubstr("members"));
  // Two equal utilities: the fit stands, the direction is named, and no error is printed for it.
  output(fit("--single --utility identity --heads 2,0,0 --degree 1 --starts 1 -q -o two.bl"));
  EXPECT_THAT(output("summary two.bl"), HasSubstr("cannot be told apart"));
  // More than 500 parameters, or another optimizer: an ordinary fit.
  output(fit("--identifiable --layers 3 --optimizer adam --epochs 2 -q -o ordinary.bl"));
  const Outcome none = run("summary ordinary.bl");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("stores no standard errors"));
}

}  // namespace
}  // namespace bl::test
