// Numbers whose distribution is known, learned with the defaults: held-out log-likelihood and coverage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "bl/distribution.hpp"
#include "bl/fit.hpp"

namespace bl {
namespace {

double normal_log(double y, double mean, double standard_deviation) {
  const double z = (y - mean) / standard_deviation;
  return -0.5 * z * z - std::log(standard_deviation) - 0.5 * std::log(2 * std::numbers::pi);
}

struct Planted {
  const char* name;
  double (*draw)(double x, double z, double u);  // z standard normal, u uniform
  double (*log_density)(double x, double y);
  bool point_masses = false;
};

double zero_share(double x) {
  return 1 / (1 + std::exp(1 - x));
}

double poisson_draw(double x, double, double u) {
  const double mean = std::exp(1 + x);
  double p = std::exp(-mean), below = p;
  int count = 0;
  while (u > below && count < 200) below += p *= mean / ++count;
  return count;
}

constexpr double kCap = 0.8;

const Planted kPlanted[] = {
    {"log-normal 0.75", [](double x, double z, double) { return std::exp(x + 0.75 * z); },
     [](double x, double y) { return normal_log(std::log(y), x, 0.75) - std::log(y); }},
    {"log-normal 1.5", [](double x, double z, double) { return std::exp(x + 1.5 * z); },
     [](double x, double y) { return normal_log(std::log(y), x, 1.5) - std::log(y); }},
    {"Cauchy", [](double x, double, double u) { return x + std::tan(std::numbers::pi * (u - 0.5)); },
     [](double x, double y) { return -std::log(std::numbers::pi) - std::log1p((y - x) * (y - x)); }},
    {"zero-inflated",
     [](double x, double z, double u) { return u < zero_share(x) ? 0 : std::exp(x + 0.5 * z); },
     [](double x, double y) {
       if (y == 0) return std::log(zero_share(x));
       return std::log1p(-zero_share(x)) + normal_log(std::log(y), x, 0.5) - std::log(y);
     },
     true},
    {"capped", [](double x, double z, double) { return std::min(kCap, x + z); },
     [](double x, double y) {
       return y == kCap ? std::log(0.5 * std::erfc((kCap - x) / std::numbers::sqrt2)) : normal_log(y, x, 1);
     },
     true},
    {"counts", poisson_draw,
     [](double x, double y) { return y * (1 + x) - std::exp(1 + x) - std::lgamma(y + 1); }, true},
    {"two modes", [](double x, double z, double u) { return (u < 0.5 ? 1.5 + 0.5 * x : -1.5) + 0.4 * z; },
     [](double x, double y) {
       return std::log(0.5 * std::exp(normal_log(y, 1.5 + 0.5 * x, 0.4)) +
                       0.5 * std::exp(normal_log(y, -1.5, 0.4)));
     }}};

struct Rows {
  std::vector<double> x, y;
  Data data() const { return Data::from_columns({{"x", x, {}}, {"y", y, {}}}, "planted"); }
};

Rows rows_of(const Planted& planted, std::size_t count, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.x.push_back(2 * random.uniform(1, i) - 1);
    rows.y.push_back(planted.draw(rows.x.back(), random.normal(2, i), random.uniform(3, i)));
  }
  return rows;
}

Settings settings_of() {
  Settings settings;
  settings.target = "y";
  settings.continuous = "y";
  settings.fractions = "7:1:0";
  return settings;
}

double metric(const std::vector<Metric>& metrics, const std::string& name) {
  for (const Metric& one : metrics)
    if (one.name == name) return one.value;
  return std::nan("");
}

class PlantedNumbers : public testing::TestWithParam<Planted> {};

TEST_P(PlantedNumbers, AreLearnedToWithinATenthOfTheTruth) {
  const Planted& planted = GetParam();
  const Rows train = rows_of(planted, 1600, 1), test = rows_of(planted, 2000, 2);
  const Model model = fit(train.data(), settings_of()).model;
  double truth = 0;
  for (std::size_t i = 0; i < test.x.size(); ++i)
    truth += planted.log_density(test.x[i], test.y[i]) / static_cast<double>(test.x.size());
  const auto metrics = model.evaluate(test.data(), Part::all, {});
  EXPECT_GT(metric(metrics, "log_likelihood"), truth - 0.1);
  EXPECT_GT(metric(metrics, "coverage_90"), 0.85);
  // A whole number or a point mass at an end of the interval is inside with all its probability.
  EXPECT_LT(metric(metrics, "coverage_90"), planted.point_masses ? 0.97 : 0.95);
  // The file keeps axis and point masses.
  const Model again = Model::from_bytes(model.to_bytes(), "again");
  EXPECT_EQ(metric(again.evaluate(test.data(), Part::all, {}), "crps"), metric(metrics, "crps"));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedNumbers, testing::ValuesIn(kPlanted));

TEST(PlantedNumber, OneOutlierOfAMillionDoesNoHarm) {
  const Planted normal = {"normal", [](double x, double z, double) { return x + 0.5 * z; },
                          [](double x, double y) { return normal_log(y, x, 0.5); }};
  Rows train = rows_of(normal, 1600, 1);
  train.y[7] = 1e6;
  const Rows test = rows_of(normal, 2000, 2);
  double truth = 0;
  for (std::size_t i = 0; i < test.x.size(); ++i)
    truth += normal.log_density(test.x[i], test.y[i]) / static_cast<double>(test.x.size());
  const auto metrics = fit(train.data(), settings_of()).model.evaluate(test.data(), Part::all, {});
  EXPECT_GT(metric(metrics, "log_likelihood"), truth - 0.1);
  EXPECT_NEAR(metric(metrics, "coverage_90"), 0.9, 0.05);
}

// exp of a Cauchy variable has no mean: what the model says of it is dominated by its tail.
TEST(PlantedNumber, MeansThatTheTailDominatesComeWithANote) {
  const Planted wild = {"exp Cauchy",
                        [](double x, double, double u) { return std::exp(x + std::tan(3 * (u - 0.5))); },
                        nullptr};
  Settings settings = settings_of();
  settings.fractions = "7:1:2";
  const FitSummary summary = fit(rows_of(wild, 1000, 3).data(), settings);
  const auto about_the_tail = [](const std::string& note) {
    return note.find("median") != std::string::npos;
  };
  EXPECT_EQ(std::any_of(summary.notes.begin(), summary.notes.end(), about_the_tail),
            metric(summary.test, "r2") < -1);
  EXPECT_LT(metric(summary.test, "r2"), -1);
}

}  // namespace
}  // namespace bl
