// Latent classes whose answers differ in noise between data sources, each class in its own way.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using ClassScalesOfSources = ChoiceFixture;
using Coefficients = std::map<std::string, ChoiceCoefficient>;

const ChoiceCoefficient& of_class(const Coefficients& all, const char* name, int k) {
  return all.at(std::string(name) + " (class " + std::to_string(k) + ")");
}

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

constexpr const char* kSchema =
    "[data]\nchoice = \"choice\"\nperson = \"who\"\n[attributes]\nx = \"x{}\"\ny = \"y{}\"\n"
    "[[alternatives]]\nname = \"a\"\n[[alternatives]]\nname = \"b\"\n[[alternatives]]\nname = \"c\"\n"
    "[[alternatives]]\nname = \"d\"\n";

// Two kinds of persons, six choices each; the answers of the first are noisier where they are stated, those
// of the second sharper.
struct ClassScales {
  static constexpr double kX[2] = {-1.5, 1}, kY[2] = {0.5, 1}, kScale[2] = {0.5, 2};
  struct One {
    std::array<double, 4> x, y;
    std::size_t chosen = 0;
    bool stated = false;
  };
  std::vector<std::vector<One>> persons;

  explicit ClassScales(std::size_t count) {
    std::mt19937_64 engine(17);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(1e-12, 1);
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t kind = p % 5 < 3 ? 0 : 1;
      persons.emplace_back(6);
      for (One& one : persons.back()) {
        one.stated = uniform(engine) < 0.5;
        double best = -1e9;
        for (std::size_t j = 0; j < 4; ++j) {
          one.x[j] = normal(engine);
          one.y[j] = normal(engine);
          const double v = (one.stated ? kScale[kind] : 1) * (kX[kind] * one.x[j] + kY[kind] * one.y[j]) -
                           std::log(-std::log(uniform(engine)));
          if (v > best) best = v, one.chosen = j;
        }
      }
    }
  }

  std::string csv() const {
    std::string text = "choice,who,src,xa,xb,xc,xd,ya,yb,yc,yd\n";
    for (std::size_t p = 0; p < persons.size(); ++p)
      for (const One& one : persons[p]) {
        text += std::string(1, static_cast<char>('a' + one.chosen)) + "," + std::to_string(p) +
                (one.stated ? ",SP" : ",RP");
        for (const double v : one.x) text += "," + number(v);
        for (const double v : one.y) text += "," + number(v);
        text += "\n";
      }
    return text;
  }

  // By the definition, with the parameters of a fit without constants.
  double log_likelihood(const Coefficients& all) const {
    const auto b = [&](const char* name, int k) { return of_class(all, name, k).estimate; };
    const double odds = std::exp(b("share", 2));
    double total = 0;
    for (const auto& choices : persons) {
      double sum = 0;
      for (const int k : {1, 2}) {
        double product = (k == 1 ? 1 : odds) / (1 + odds);
        for (const One& one : choices) {
          const double scale = one.stated ? std::exp(b("log scale(SP)", k)) : 1;
          std::array<double, 4> e;
          for (std::size_t j = 0; j < 4; ++j)
            e[j] = std::exp(scale * (b("x", k) * one.x[j] + b("y", k) * one.y[j]));
          product *= e[one.chosen] / std::accumulate(e.begin(), e.end(), 0.0);
        }
        sum += product;
      }
      total += std::log(sum);
    }
    return total;
  }
};

TEST_F(ClassScalesOfSources, LatentClassesHaveScalesOfTheirOwn) {
  const ClassScales planted(400);
  const FitSummary fit =
      fit_choice(data(planted.csv()),
                 file("s.toml", std::string(kSchema) +
                                    "[utility]\nconstants = false\n[scale]\nby = \"src\"\nreference = "
                                    "\"RP\"\n[latent]\nclasses = 2\nstarts = 4\n"),
                 {});
  Coefficients all;
  for (const ChoiceCoefficient& one : coefficients(fit.model)) all[one.name] = one;
  for (const int k : {0, 1})
    for (const auto& [name, truth] : {std::pair("x", ClassScales::kX[k]), std::pair("y", ClassScales::kY[k]),
                                      std::pair("log scale(SP)", std::log(ClassScales::kScale[k]))}) {
      const ChoiceCoefficient& one = of_class(all, name, k + 1);
      EXPECT_NEAR(one.estimate, truth, 3.5 * one.standard_error) << one.name;
      EXPECT_LT(one.standard_error, 0.25) << one.name;
    }
  const double truth = planted.log_likelihood(all);
  EXPECT_NEAR(metric(fit.train, "log_likelihood"), truth, 1e-9 * std::abs(truth));
  EXPECT_THAT(fit.notes, ::testing::Contains(HasSubstr("class 2: scale of SP against RP")));
  EXPECT_THAT(explain_choice(fit.model, ExplainFormat::text), HasSubstr("SP: by "));
  // A gain of one unit of y everywhere is worth its mean coefficient in every source.
  const WhatIf gain = what_if(
      fit.model, data(planted.csv()),
      {.changes = {{"a", "y", "y + 1"}, {"b", "y", "y + 1"}, {"c", "y", "y + 1"}, {"d", "y", "y + 1"}}});
  const double odds = std::exp(of_class(all, "share", 2).estimate);
  const auto mean = [&](const char* name) {
    return (of_class(all, name, 1).estimate + odds * of_class(all, name, 2).estimate) / (1 + odds);
  };
  EXPECT_NEAR(gain.surplus_change, mean("y"), 1e-9);
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.4g x", std::abs(mean("x")));
  EXPECT_THAT(explain_choice(fit.model, ExplainFormat::text), HasSubstr(shown));
}

}  // namespace
}  // namespace bl
