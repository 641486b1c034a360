// Columns with a direction: the probability of the class never falls with them, at any values of the others,
// and a planted monotone effect is found again.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/model.hpp"

namespace bl {
namespace {

// Rises, but not where few rows are: there the rows alone would bend it down.
double planted(double x) {
  return x < 4 ? -1.5 + 0.5 * x : x < 7 ? 0.5 : 0.5 + 0.4 * (x - 7);
}

struct Rows {
  std::vector<double> x, z;
  std::vector<std::optional<std::string>> y;

  Rows(std::size_t count, std::uint64_t seed, int classes = 2) {
    const RandomStream random(seed, Purpose::test, 3);
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(10 * random.uniform(0, i));
      z.push_back(random.normal(1, i));
      const double p = 1 / (1 + std::exp(-planted(x.back()) - std::sin(2 * z.back())));
      const bool yes = random.uniform(2, i) < p;
      const bool third = classes == 3 && random.uniform(3, i) < 0.3;
      y.emplace_back(third ? "maybe" : yes ? "yes" : "no");
    }
  }
  Data data() const { return Data::from_columns({{"x", x}, {"z", z}, {"y", {}, y}}, "planted"); }
};

Settings quick() {
  Settings s;
  s.target = "y";
  s.members = 1;
  s.epochs = 30;
  s.threads = 1;
  s.smoothness = 2;
  return s;
}

std::vector<double> probability_of(const Model& model, const std::string& label, std::vector<double> x,
                                   std::vector<double> z) {
  const OutputTable table =
      model.predict(Data::from_columns({{"x", std::move(x)}, {"z", std::move(z)}}, "grid"));
  for (const auto& column : table.columns)
    if (column.name == "p(" + label + ")") return column.numbers;
  return {};
}

// P(label) over x from -2 to 12 at several z; rows stand z by z.
std::vector<double> probabilities(const Model& model, const std::string& label, std::size_t steps) {
  std::vector<double> x, z;
  for (const double at : {-1.7, -0.3, 0.0, 0.4, 2.2})
    for (std::size_t i = 0; i < steps; ++i) {
      x.push_back(-2 + 14.0 * static_cast<double>(i) / static_cast<double>(steps - 1));
      z.push_back(at);
    }
  return probability_of(model, label, x, z);
}

TEST(MonotoneCurves, TheProbabilityNeverFallsAnywhere) {
  const Rows rows(1500, 1);
  for (const char* layers : {"auto", "4,2"})
    for (const char* kind : {"all, x:increasing", "x:step:increasing", "x:increasing:yes, z:cubic"}) {
      Settings s = quick();
      s.layers = layers;
      s.curves = kind;
      const Model model = fit(rows.data(), s).model;
      const std::vector<double> p = probabilities(model, "yes", 141);
      ASSERT_EQ(p.size(), 5U * 141);
      for (std::size_t i = 1; i < p.size(); ++i)
        if (i % 141 != 0) {
          EXPECT_GE(p[i], p[i - 1] - 1e-12) << layers << ", " << kind << " at " << i;
        }
      EXPECT_GT(p[140] - p[0], 0.3) << "it moves";
    }
}

TEST(MonotoneCurves, ANamedClassOfSeveral) {
  const Rows rows(1500, 2, 3);
  Settings s = quick();
  s.curves = "all, x:decreasing:no";
  const std::vector<double> p = probabilities(fit(rows.data(), s).model, "no", 141);
  ASSERT_EQ(p.size(), 5U * 141);
  for (std::size_t i = 1; i < p.size(); ++i)
    if (i % 141 != 0) {
      EXPECT_LE(p[i], p[i - 1] + 1e-12) << i;
    }
  s.curves = "x:decreasing";
  EXPECT_THROW(fit(rows.data(), s), UsageError);
  s.curves = "x:decreasing:nobody";
  EXPECT_THROW(fit(rows.data(), s), UsageError);
}

// The planted probability to about three standard errors of the 40 rows around a point.
TEST(MonotoneCurves, PlantedValuesAreFoundAgain) {
  const Rows rows(4000, 3);
  Settings s = quick();
  s.epochs = 0;
  s.smoothness = -1;
  s.members = 2;
  s.curves = "auto, x:increasing";
  const Model model = fit(rows.data(), s).model;
  double worst = 0;
  for (const double z : {-0.7, 0.0, 0.7}) {
    std::vector<double> x, zs;
    for (int i = 0; i <= 20; ++i) {
      x.push_back(0.5 * i);
      zs.push_back(z);
    }
    const std::vector<double> p = probability_of(model, "yes", x, zs);
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(p.at(i) - 1 / (1 + std::exp(-planted(x[i]) - std::sin(2 * z)))));
  }
  EXPECT_LT(worst, 0.12);
  EXPECT_GT(worst, 0);
}

TEST(MonotoneCurves, WhatCannotBeIsRefused) {
  const Rows rows(300, 4);
  for (const char* curves : {"x:cubic:increasing", "nothing:increasing", "x:rising", "x:periodic",
                             "x:periodic:-3", "x:linear:24"}) {
    Settings s = quick();
    s.curves = curves;
    EXPECT_THROW(fit(rows.data(), s), UsageError) << curves;
  }
  Settings number = quick();
  number.target = "z";
  number.ignore = "y";
  number.curves = "x:increasing";
  EXPECT_THROW(fit(rows.data(), number), UsageError);
  Settings minimum;
  minimum.target = "y";
  minimum.starts = 1;
  minimum.threads = 1;
  minimum.curves = "x:increasing";
  try {
    fit(rows.data(), minimum);
    ADD_FAILURE() << "a fit to the minimum keeps no directions";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("kept by steps"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace bl
