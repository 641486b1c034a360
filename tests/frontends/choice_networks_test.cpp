// Networks of choices: whether their economics can be trusted, and utilities that read their rivals.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

#include "bl/errors.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace test;
using Trust = ChoiceFixture;
using Rivals = ChoiceFixture;

// Trips by three modes with a time and a cost, of whom each minds time twice as much as cost, and in the
// second kind of data the cost above the rivals' mean as well.
struct Modes {
  struct One {
    std::array<double, 3> time, cost;
    int chosen = 0;
    bool third = true;
  };
  std::vector<One> all;

  Modes(std::size_t count, std::uint64_t seed, double context_effect = 0) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(1e-12, 1);
    for (std::size_t i = 0; i < count; ++i) {
      One one;
      one.third = i % 4 != 0;
      double best = -1e300;
      for (std::size_t j = 0; j < 3; ++j) {
        one.time[j] = 0.5 + 2 * uniform(engine);
        one.cost[j] = 0.5 + 3 * uniform(engine);
      }
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t rivals = one.third ? 2 : 1;
        double mean = 0;
        for (std::size_t k = 0; k < rivals + 1; ++k)
          mean += k == j ? 0 : one.cost[k] / static_cast<double>(rivals);
        const double v = -one.time[j] - 0.5 * one.cost[j] -
                         context_effect * std::max(one.cost[j] - mean, 0.0) -
                         std::log(-std::log(uniform(engine)));
        if ((j < 2 || one.third) && v > best) best = v, one.chosen = static_cast<int>(j);
      }
      all.push_back(one);
    }
  }

  std::string csv() const {
    std::string text = "y,a_t,b_t,c_t,a_c,b_c,c_c,there\n";
    const auto number = [](double value) {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%.17g", value);
      return std::string(buffer);
    };
    for (const One& one : all) {
      text += std::string(1, static_cast<char>('a' + one.chosen));
      for (const double v : one.time) text += "," + number(v);
      for (const double v : one.cost) text += "," + number(v);
      text += one.third ? ",1\n" : ",0\n";
    }
    return text;
  }
};

std::string modes_schema(const std::string& utility) {
  return "[data]\nchoice = \"y\"\n[attributes]\ntime = \"{}_t\"\ncost = \"{}_c\"\n[[alternatives]]\nname = "
         "\"a\"\n[[alternatives]]\nname = \"b\"\n[[alternatives]]\nname = \"c\"\navailable = \"there\"\n"
         "[utility]\n" +
         utility;
}

constexpr const char* kSigns = "signs = { time = \"negative\", cost = \"negative\" }\n";

// Few choices and a large network without signs: its value of time depends on the start and means nothing.
TEST_F(Trust, AnUnstableNetworkIsWarnedOf) {
  const Modes modes(300, 5);
  const Data rows = data(modes.csv());
  const Model model =
      fit_choice(
          rows,
          file("s.toml", modes_schema("form = \"network\"\n[settings]\nlayers = \"24,8\"\nmembers = 4\n"
                                      "epochs = 300\naverage = 0\nfractions = \"1:0:0\"\n")),
          {})
          .model;
  const ChoiceTradeOff value = trade_off(model, rows, "time", "cost");
  EXPECT_EQ(value.members.size(), 4U);
  EXPECT_THAT(value.warnings, Contains(HasSubstr("cost raises the utility")));
  EXPECT_THAT(value.warnings, Contains(HasSubstr("form 'smooth'")));
  EXPECT_THAT(slopes(model, rows, "cost").warnings, Contains(HasSubstr("both signs")));
  const ChoiceElasticities by = elasticities(model, rows, "cost");
  ASSERT_EQ(by.members.size(), 3U);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_LE(by.members[j][j].lower, by.members[j][j].upper);
}

TEST_F(Trust, ASmoothNetworkHasTheTruth) {
  const Modes modes(2000, 6);
  const Data rows = data(modes.csv());
  const FitSummary fit =
      fit_choice(rows, file("s.toml", modes_schema(std::string("form = \"smooth\"\n") + kSigns)), {});
  const ChoiceTradeOff value = trade_off(fit.model, rows, "time", "cost");
  EXPECT_NEAR(value.value, 2, 0.4);
  EXPECT_THAT(value.warnings, IsEmpty());
  EXPECT_THAT(slopes(fit.model, rows, "time").warnings, IsEmpty());
  EXPECT_THAT(elasticities(fit.model, rows, "time").warnings, IsEmpty());
  // The members' values lie on both sides of the joined one, or are all near it.
  for (const double member : value.members) EXPECT_NEAR(member, value.value, 0.5 * value.value);
}

TEST_F(Trust, OneNetworkAloneSaysWhatIsNotKnown) {
  const Modes modes(200, 7);
  const Data rows = data(modes.csv());
  const std::string utility =
      std::string("form = \"network\"\n") + kSigns + "[settings]\nlayers = \"4\"\nepochs = 20\n";
  const Model model = fit_choice(rows, file("s.toml", modes_schema(utility)), {}).model;
  EXPECT_THAT(trade_off(model, rows, "time", "cost").warnings, Contains(HasSubstr("this is one network")));
}

TEST_F(Trust, ACostThatPleasesIsNamedInALinearUtility) {
  Modes modes(400, 8);
  for (Modes::One& one : modes.all)
    for (double& cost : one.cost) cost = -cost;
  const Data rows = data(modes.csv());
  const Model model = fit_choice(rows, file("s.toml", modes_schema("")), {}).model;
  EXPECT_THAT(trade_off(model, rows, "time", "cost").warnings,
              Contains(HasSubstr("cost raises the utility in 100.0% of cases")));
}

const char* const kRivalNetwork =
    "form = \"network\"\nrivals = [\"mean\", \"min(time)\", \"max\", \"rank(time)\"]\n[settings]\nlayers = "
    "\"6\"\nepochs = 30\nprecision = \"float64\"\n";

TEST_F(Rivals, ScenariosComputeTheSummariesAgain) {
  const Modes modes(150, 9, 1);
  const Data rows = data(modes.csv());
  const Model model = fit_choice(rows, file("s.toml", modes_schema(kRivalNetwork)), {}).model;
  Modes dearer = modes, fewer = modes;
  for (Modes::One& one : dearer.all) one.cost[0] *= 1.5;
  for (Modes::One& one : fewer.all) one.third = false, one.chosen = std::min(one.chosen, 1);
  const WhatIf changed = what_if(model, rows, {.changes = {{"a", "cost", "cost * 1.5"}}});
  const auto truth = market_shares(model, data(dearer.csv())).columns[1].numbers;
  const WhatIf withdrawn = what_if(model, rows, {.changes = {}, .withdrawn = {"c"}});
  const auto without = market_shares(model, data(fewer.csv())).columns[1].numbers;
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(changed.after[j], truth[j], 1e-12);
    EXPECT_NEAR(withdrawn.after[j], without[j], 1e-12);
  }
}

TEST_F(Rivals, ElasticitiesAreFiniteDifferencesOfShares) {
  const Modes modes(150, 10, 1);
  const Model model = fit_choice(data(modes.csv()), file("s.toml", modes_schema(kRivalNetwork)), {}).model;
  constexpr double kStep = 1e-6;
  for (const char* attribute : {"cost", "time"}) {
    const ChoiceElasticities found = elasticities(model, data(modes.csv()), attribute);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto shares = [&](double factor) {
        Modes moved = modes;
        for (Modes::One& one : moved.all) (attribute[0] == 'c' ? one.cost : one.time)[k] *= factor;
        return market_shares(model, data(moved.csv())).columns[1].numbers;
      };
      const auto up = shares(1 + kStep), down = shares(1 - kStep), at = shares(1);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(found.by[j][k], (up[j] - down[j]) / (2 * kStep * at[j]), 1e-6) << attribute << j << k;
    }
  }
}

TEST_F(Rivals, APlantedContextEffectIsFound) {
  const Modes modes(3000, 11, 2), later(3000, 12, 2);
  const auto loss = [&](const std::string& utility) {
    const Model model = fit_choice(data(modes.csv()), file("s.toml", modes_schema(utility)), {}).model;
    return metric(model.evaluate(data(later.csv()), Part::all, {}), "cross_entropy");
  };
  const std::string settings = "[settings]\nlayers = \"8,4\"\nmembers = 2\n";
  const double without = loss("form = \"network\"\n" + settings),
               with = loss("form = \"network\"\nrivals = [\"mean(cost)\"]\n" + settings);
  EXPECT_LT(with, without - 0.01) << without;
}

TEST_F(Rivals, AreNoRandomUtilityAndSaySo) {
  const Modes modes(120, 13);
  const Data rows = data(modes.csv());
  const FitSummary fit = fit_choice(rows, file("s.toml", modes_schema(kRivalNetwork)), {});
  EXPECT_THAT(fit.notes, Contains(HasSubstr("no random utility")));
  EXPECT_THAT(explain_choice(fit.model, ExplainFormat::text), HasSubstr("no random utility"));
  const ChoiceScenario dearer{.changes = {{"a", "cost", "cost * 2"}}};
  const WhatIf result = what_if(fit.model, rows, dearer);
  EXPECT_TRUE(std::isnan(result.surplus_change));
  EXPECT_THAT(result.notes, Contains(HasSubstr("no consumer surplus")));
  EXPECT_THROW(what_if(fit.model, rows, dearer, "cost"), UsageError);
  EXPECT_THROW(elasticities(fit.model, rows, "rivals' mean of cost"), UsageError);
  EXPECT_THROW(fit_choice(rows, file("l.toml", modes_schema("rivals = [\"mean\"]\n")), {}), UsageError);
  EXPECT_THROW(
      fit_choice(rows, file("m.toml", modes_schema("form = \"network\"\nrivals = [\"mode\"]\n")), {}),
      UsageError);
}

// A rank rises with its attribute, so it has its sign.
TEST_F(Rivals, SignsHoldForRanks) {
  const Modes modes(200, 14, 1);
  const Data rows = data(modes.csv());
  const std::string utility = std::string("form = \"network\"\nrivals = [\"rank\", \"mean\"]\n") + kSigns +
                              "[settings]\nlayers = \"6\"\nepochs = 40\n";
  const Model model = fit_choice(rows, file("s.toml", modes_schema(utility)), {}).model;
  const auto utilities = [&](double factor) {
    Modes dearer = modes;
    for (Modes::One& one : dearer.all) one.cost[1] *= factor;
    PredictOptions options;
    options.utilities = true;
    for (const OutputColumn& column : model.predict(data(dearer.csv()), Part::all, options).columns)
      if (column.name == "utility(b)") return column.numbers;
    return std::vector<double>();
  };
  const auto before = utilities(1);
  ASSERT_EQ(before.size(), modes.all.size());
  for (const double factor : {1.05, 1.5, 4.0}) {
    const auto after = utilities(factor);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LE(after[i], before[i] + 1e-9);
  }
}

}  // namespace
}  // namespace bl
