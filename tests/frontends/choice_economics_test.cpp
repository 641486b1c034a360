// The economics of choice models against closed forms, finite differences, simulation and the bootstrap.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using namespace test;
using ChoiceEconomics = ChoiceFixture;

TEST_F(ChoiceEconomics, EconomicsFollowFromTheLogit) {
  const auto schema = file("s.toml", two_by_two_schema("constants = false\n"));
  const Model model = fit_choice(data(two_by_two()), schema, Settings{}).model;
  const double c = logit(kP0), beta = logit(kP1) - logit(kP0), x = 2, v = c + beta * x,
               p = 1 / (1 + std::exp(-v));
  const Data one = data("y,x\na,2\n");
  const ChoiceElasticities elasticities = bl::elasticities(model, one, "x");
  EXPECT_NEAR(elasticities.by[0][0], beta * x * (1 - p), 1e-7);
  EXPECT_NEAR(elasticities.by[1][0], -beta * x * p, 1e-7);
  EXPECT_NEAR(elasticities.by[0][1], 0, 1e-12);  // b's x is 0

  const ChoiceSlopes slopes = bl::slopes(model, one, "x");
  EXPECT_NEAR(slopes.mean[0], beta, 1e-7);
  EXPECT_EQ(slopes.negative[0], 0);
  EXPECT_NEAR(slopes.mean[1], beta, 1e-7);

  const WhatIf changed = bl::what_if(model, one, {.changes = {{"a", "x", "x - 1"}}, .withdrawn = {}}, "");
  const double after = c + beta;
  EXPECT_NEAR(changed.before[0], p, 1e-8);
  EXPECT_NEAR(changed.after[0], 1 / (1 + std::exp(-after)), 1e-8);
  EXPECT_NEAR(changed.surplus_change, std::log1p(std::exp(after)) - std::log1p(std::exp(v)), 1e-7);
  EXPECT_NEAR(changed.diversion[1], 1, 1e-12);

  const WhatIf withdrawn = bl::what_if(model, one, {.changes = {}, .withdrawn = {"a"}}, "");
  EXPECT_EQ(withdrawn.after[1], 1);
  EXPECT_NEAR(withdrawn.surplus_change, -std::log1p(std::exp(v)), 1e-7);
  EXPECT_THROW(bl::what_if(model, one, {.changes = {{"a", "x", "1 / (x - x)"}}, .withdrawn = {}}, ""),
               DataError);
  EXPECT_THROW(bl::what_if(model, one, {.changes = {}, .withdrawn = {"a", "b"}}, ""), UsageError);

  // The ratio c / beta with the covariance of the saturated model: var c = v0, cov = -v0, var beta = v0 + v1.
  const ChoiceTradeOff ratio = bl::trade_off(model, one, "one", "x");
  const double v0 = 1 / (kN0 * kP0 * (1 - kP0)), v1 = 1 / (kN1 * kP1 * (1 - kP1)), r = c / beta;
  EXPECT_NEAR(ratio.value, r, 1e-7);
  EXPECT_NEAR(ratio.standard_error, std::sqrt(v0 + 2 * r * v0 + r * r * (v0 + v1)) / std::abs(beta), 1e-7);
}

// Trips by bus, car or train (not always there), with weights; drawn from a logit with time -1, cost -0.5 and
// constants 0, 0.4, -0.3. Times of an alternative can be scaled.
struct Trips {
  struct Trip {
    std::array<double, 3> time, cost;
    bool train = true;
    int chosen = 0;
    double weight = 1;
  };
  std::vector<Trip> trips;

  Trips(std::size_t count, std::uint64_t seed) {
    const RandomStream random(seed, Purpose::test);
    for (std::size_t i = 0; i < count; ++i) {
      Trip one;
      const auto number = [&](std::uint64_t k) { return random.uniform(k, i); };
      double best = -1e300;
      one.train = number(20) < 0.7;
      one.weight = 0.5 + number(21);
      for (std::size_t j = 0; j < 3; ++j) {
        one.time[j] = 0.5 + 2 * number(j);
        one.cost[j] = 0.2 + 3 * number(3 + j);
        const double utility = (j == 1   ? 0.4
                                : j == 2 ? -0.3
                                         : 0) -
                               one.time[j] - 0.5 * one.cost[j] - std::log(-std::log(number(6 + j)));
        if ((j < 2 || one.train) && utility > best) {
          best = utility;
          one.chosen = static_cast<int>(j);
        }
      }
      trips.push_back(one);
    }
  }

  std::string csv(std::size_t scaled = 0, double factor = 1) const {
    static constexpr std::array<const char*, 3> kNames = {"bus", "car", "train"};
    std::string text = "y,bus_t,car_t,train_t,bus_c,car_c,train_c,there,w\n";
    const auto number = [](double value) {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%.17g", value);
      return std::string(buffer);
    };
    for (const Trip& one : trips) {
      text += kNames[static_cast<std::size_t>(one.chosen)];
      for (std::size_t j = 0; j < 3; ++j) text += "," + number(one.time[j] * (j == scaled ? factor : 1));
      for (std::size_t j = 0; j < 3; ++j) text += "," + number(one.cost[j]);
      text += std::string(one.train ? ",1" : ",0") + "," + number(one.weight) + "\n";
    }
    return text;
  }
};

std::string trip_schema(const std::string& utility) {
  return "[data]\nchoice = \"y\"\nweight = \"w\"\n[attributes]\ntime = \"{}_t\"\ncost = \"{}_c\"\n"
         "[[alternatives]]\nname = \"bus\"\n[[alternatives]]\nname = \"car\"\n[[alternatives]]\nname = "
         "\"train\"\navailable = \"there\"\n[utility]\n" +
         utility;
}

constexpr const char* kTripNetwork =
    "form = \"network\"\n[settings]\nlayers = \"6\"\nepochs = 20\nprecision = \"float64\"\n";

TEST_F(ChoiceEconomics, ElasticitiesAreFiniteDifferencesOfShares) {
  const Trips trips(150, 3);
  constexpr double kStep = 1e-5;
  for (const char* utility : {"", "specific = { time = [\"bus\", \"car\"] }\n", kTripNetwork}) {
    const Model model = fit_choice(data(trips.csv()), file("s.toml", trip_schema(utility)), Settings{}).model;
    const ChoiceElasticities elasticities = bl::elasticities(model, data(trips.csv()), "time");
    const auto shares = [&](std::size_t k, double factor) {
      return bl::market_shares(model, data(trips.csv(k, factor))).columns[1].numbers;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const auto up = shares(k, 1 + kStep), down = shares(k, 1 - kStep), at = shares(k, 1);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(elasticities.by[j][k], (up[j] - down[j]) / (2 * kStep * at[j]), 1e-7)
            << utility << j << k;
    }
    // Shares sum to one, so what the row's share gains the others lose.
    const auto at = shares(0, 1);
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += at[j] * elasticities.by[j][k];
      EXPECT_NEAR(sum, 0, 1e-12);
    }
  }
}

// E max over (V_j + e_j), e_j Gumbel, changes by the log-sum; who leaves a withdrawn alternative goes where
// the simulated second best is; the same draws before and after.
TEST_F(ChoiceEconomics, SurplusAndDiversionAreThoseOfSimulatedChoosers) {
  const Trips trips(60, 4);
  const Model model = fit_choice(data(trips.csv()), file("s.toml", trip_schema("")), Settings{}).model;
  const auto c = bl::coefficients(model);  // constant[car], constant[train], time, cost
  ASSERT_EQ(c[3].name, "cost");
  const ChoiceScenario scenario{
      .added = {{"taxi", "car"}}, .changes = {{"taxi", "cost", "2 * cost + 1"}}, .withdrawn = {"bus"}};
  const WhatIf result = bl::what_if(model, data(trips.csv()), scenario, "cost");
  ASSERT_EQ(result.alternatives, (std::vector<std::string>{"bus", "car", "train", "taxi"}));
  constexpr int kDraws = 4000;
  const RandomStream random(9, Purpose::test);
  double gain = 0, squares = 0, total = 0;
  std::array<double, 4> before = {}, after = {};
  for (std::size_t i = 0; i < trips.trips.size(); ++i) {
    const Trips::Trip& one = trips.trips[i];
    const std::array<double, 3> constants = {0, c[0].estimate, c[1].estimate};
    std::array<double, 4> v = {};
    for (std::size_t j = 0; j < 3; ++j)
      v[j] = constants[j] + c[2].estimate * one.time[j] + c[3].estimate * one.cost[j];
    v[3] = constants[1] + c[2].estimate * one.time[1] + c[3].estimate * (2 * one.cost[1] + 1);
    for (int draw = 0; draw < kDraws; ++draw) {
      std::array<double, 4> u = v;
      for (std::size_t j = 0; j < 4; ++j)
        u[j] -= std::log(-std::log(random.uniform(10 + j, i * kDraws + static_cast<std::size_t>(draw))));
      if (!one.train) u[2] = -1e300;
      const auto first = static_cast<std::size_t>(std::max_element(u.begin(), u.begin() + 3) - u.begin());
      const auto second = static_cast<std::size_t>(std::max_element(u.begin() + 1, u.end()) - u.begin());
      before[first] += one.weight;
      after[second] += one.weight;
      const double change = u[second] - u[first];
      gain += one.weight * change;
      squares += one.weight * one.weight * change * change;
      total += one.weight;
    }
  }
  // Four standard errors of the simulation.
  EXPECT_NEAR(result.surplus_change, gain / total, 4 * std::sqrt(squares) / total);
  EXPECT_NEAR(result.money_change, result.surplus_change / -c[3].estimate, 1e-9);
  const double largest_error = 4 * std::sqrt(0.25 / (60 * kDraws)) * 1.2;
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(result.before[j], before[j] / total, largest_error);
    EXPECT_NEAR(result.after[j], after[j] / total, largest_error);
  }
  EXPECT_EQ(result.after[0], 0);
  EXPECT_NEAR(std::accumulate(result.diversion.begin(), result.diversion.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(result.diversion[0], 0);
  for (std::size_t j = 1; j < 4; ++j)
    EXPECT_NEAR(result.diversion[j], (after[j] - before[j]) / before[0], 4 * largest_error);
}

TEST_F(ChoiceEconomics, AnAddedAlternativeIsLikeTheOneItIsToBeLike) {
  const auto schema = file("s.toml", two_by_two_schema("constants = false\n"));
  const Model model = fit_choice(data(two_by_two()), schema, Settings{}).model;
  const double a = std::exp(logit(kP0) + (logit(kP1) - logit(kP0)) * 2), copy = std::exp(logit(kP1));
  const Data one = data("y,x\na,2\n");
  const WhatIf twin = bl::what_if(model, one, {.added = {{"twin", "a"}}});
  EXPECT_NEAR(twin.after[0], a / (2 * a + 1), 1e-7);
  EXPECT_EQ(twin.before[2], 0);
  EXPECT_EQ(twin.after[2], twin.after[0]);
  EXPECT_NEAR(twin.surplus_change, std::log(2 * a + 1) - std::log(a + 1), 1e-7);
  EXPECT_EQ(twin.diversion[2], 0);  // what it wins comes from the others
  EXPECT_NEAR(twin.diversion[0], (twin.before[0] - twin.after[0]) / twin.after[2], 1e-12);
  EXPECT_NEAR(twin.diversion[0] + twin.diversion[1], 1, 1e-12);
  // Changes of the new one leave the old one alone, and the other way round; a new one can be copied again.
  const WhatIf changed = bl::what_if(model, one,
                                     {.added = {{"twin", "a"}, {"third", "twin"}},
                                      .changes = {{"twin", "x", "x - 1"}, {"a", "x", "0"}},
                                      .withdrawn = {"b"}});
  const double sum = std::exp(logit(kP0)) + copy + a;
  EXPECT_NEAR(changed.after[0], std::exp(logit(kP0)) / sum, 1e-7);
  EXPECT_EQ(changed.after[1], 0);
  EXPECT_NEAR(changed.after[2], copy / sum, 1e-7);
  EXPECT_NEAR(changed.after[3], a / sum, 1e-7);
  EXPECT_THROW(bl::what_if(model, one, {.added = {{"b", "a"}}}), UsageError);
  EXPECT_THROW(bl::what_if(model, one, {.added = {{"c", "d"}}}), UsageError);
  EXPECT_THROW(bl::what_if(model, one, {.changes = {{"c", "x", "1"}}}), UsageError);
}

// The saturated model's covariance: var c = v0, cov(c, beta) = -v0, var beta = v0 + v1.
TEST_F(ChoiceEconomics, DeltaErrorsHaveTheirClosedForm) {
  const auto schema = file("s.toml", two_by_two_schema("constants = false\n"));
  const Model model = fit_choice(data(two_by_two()), schema, Settings{}).model;
  const double c = logit(kP0), beta = logit(kP1) - logit(kP0), x = 2, v = c + beta * x;
  const double v0 = 1 / (kN0 * kP0 * (1 - kP0)), v1 = 1 / (kN1 * kP1 * (1 - kP1));
  const auto error = [&](double by_c, double by_beta) {
    return std::sqrt(by_c * by_c * v0 - 2 * by_c * by_beta * v0 + by_beta * by_beta * (v0 + v1));
  };
  const auto p = [](double utility) { return 1 / (1 + std::exp(-utility)); };
  const Data one = data("y,x\na,2\n");
  const ChoiceElasticities elasticities = bl::elasticities(model, one, "x");
  // beta x (1 - p) and -beta x p, with dp/dV = p (1 - p).
  const double q = p(v) * (1 - p(v));
  EXPECT_NEAR(elasticities.errors[0][0], error(-beta * x * q, x * (1 - p(v)) - beta * x * q * x), 1e-6);
  EXPECT_NEAR(elasticities.errors[1][0], error(-beta * x * q, -x * p(v) - beta * x * q * x), 1e-6);
  EXPECT_EQ(elasticities.errors[0][1], 0);  // b's x is 0 whatever the coefficients

  const WhatIf changed = bl::what_if(model, one, {.changes = {{"a", "x", "x - 1"}}});
  const double w = c + beta * (x - 1);
  EXPECT_NEAR(changed.surplus_error, error(p(w) - p(v), p(w) * (x - 1) - p(v) * x), 1e-7);
  const double r = p(w) * (1 - p(w));
  EXPECT_NEAR(changed.change_error[0], error(r - q, r * (x - 1) - q * x), 1e-7);
  EXPECT_NEAR(changed.change_error[1], changed.change_error[0], 1e-12);
  EXPECT_TRUE(std::isnan(changed.money_error));
}

TEST_F(ChoiceEconomics, ValuesOfTimeOfEachAlternativeHaveErrorsOfTheirOwn) {
  const Trips trips(400, 8);
  const auto schema = file("s.toml", trip_schema("specific = { time = [\"bus\", \"car\", \"train\"] }\n"));
  const Data table = data(trips.csv());
  const Model model = fit_choice(table, schema, Settings{}).model;
  const ChoiceTradeOff ratio = bl::trade_off(model, table, "time", "cost");
  const auto c = bl::coefficients(model);  // two constants, cost, time[bus], time[car], time[train]
  ASSERT_EQ(c[3].name, "time[bus]");
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(ratio.by[j], c[3 + j].estimate / c[2].estimate, 1e-12);
    EXPECT_GT(ratio.errors[j], c[3 + j].robust_error / std::abs(c[2].estimate) * 0.5);
  }
  EXPECT_TRUE(std::isnan(ratio.standard_error));
  // A coefficient at its bound is known: the value is 0 and has no error to speak of.
  const auto bound = file("b.toml", trip_schema("signs = { time = \"positive\" }\n"));
  const ChoiceTradeOff none =
      bl::trade_off(fit_choice(table, bound, Settings{}).model, table, "time", "cost");
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.standard_error, 0);
}

// Situations drawn with replacement, fitted again: the spread of 200 such fits (half the distance between the
// 16% and 84% points, known to about 7%) against the delta method's errors. The ratio of coefficients is
// skewed by a few percent more.
TEST_F(ChoiceEconomics, DeltaErrorsAreThoseOfTheBootstrap) {
  Trips trips(600, 11);
  for (Trips::Trip& one : trips.trips) one.weight = 1;
  const auto schema = file("s.toml", trip_schema(""));
  const Data table = data(trips.csv());
  const ChoiceScenario scenario{.changes = {{"car", "cost", "cost * 1.5"}}};
  // Values and errors.
  const auto numbers = [&](const Model& model) {
    const WhatIf changed = bl::what_if(model, table, scenario, "cost");
    const ChoiceElasticities elasticities = bl::elasticities(model, table, "time");
    const ChoiceTradeOff ratio = bl::trade_off(model, table, "time", "cost");
    return std::array<std::pair<double, double>, 6>{
        {{elasticities.by[1][1], elasticities.errors[1][1]},
         {elasticities.by[2][1], elasticities.errors[2][1]},
         {ratio.value, ratio.standard_error},
         {changed.surplus_change, changed.surplus_error},
         {changed.money_change, changed.money_error},
         {changed.after[1] - changed.before[1], changed.change_error[1]}}};
  };
  const auto at = numbers(fit_choice(table, schema, Settings{}).model);
  constexpr std::size_t kFits = 200;
  const RandomStream random(5, Purpose::test);
  std::array<std::vector<double>, 6> values;
  for (std::size_t fit = 0; fit < kFits; ++fit) {
    Trips drawn = trips;
    for (std::size_t i = 0; i < drawn.trips.size(); ++i)
      drawn.trips[i] = trips.trips[random.below(trips.trips.size(), fit, i)];
    const auto again = numbers(fit_choice(data(drawn.csv()), schema, Settings{}).model);
    for (std::size_t q = 0; q < again.size(); ++q) values[q].push_back(again[q].first);
  }
  for (std::size_t q = 0; q < at.size(); ++q) {
    std::sort(values[q].begin(), values[q].end());
    const double spread = (values[q][kFits * 84 / 100] - values[q][kFits * 16 / 100]) / 2;
    EXPECT_NEAR(at[q].second / spread, 1, 0.2) << q;
  }
}

// Half of the people like x. A network told that x never raises utility must not let anybody's probability
// rise with it, wherever it starts and however far it goes.
TEST_F(ChoiceEconomics, ASignHoldsInANetworkForEverybody) {
  const std::string head =
                        "[data]\nchoice = \"y\"\n[attributes]\nx = \"x{}\"\n[[alternatives]]\nname = "
                        "\"a\"\n[[alternatives]]\n"
                        "name = \"b\"\n[utility]\nform = \"network\"\ncontext = [\"kind\"]\n",
                    settings = "[settings]\nlayers = \"8,4\"\nepochs = 40\nmembers = 2\n";
  const auto rises = [&](const Model& model) {
    int count = 0;
    std::vector<double> before;
    for (const double x : {-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 9.0}) {
      std::string csv = "y,xa,xb,kind\n";
      for (int i = 0; i < 60; ++i)
        csv += "a," + std::to_string(x) + "," + std::to_string(0.2 * (i / 2) - 1) + "," +
               std::to_string(i % 2) + "\n";
      const auto after = model.predict(data(csv)).columns[1].numbers;
      for (std::size_t i = 0; i < before.size(); ++i) count += after[i] > before[i] + 1e-12 ? 1 : 0;
      before = after;
    }
    return count;
  };
  const Data table = data(taste_data());
  const Model free = fit_choice(table, file("f.toml", head + settings), Settings{}).model;
  const Model kept =
      fit_choice(table, file("s.toml", head + "signs = { x = \"negative\" }\n" + settings), Settings{}).model;
  EXPECT_GT(rises(free), 50);
  EXPECT_EQ(rises(kept), 0);
  const Model other =
      fit_choice(table, file("p.toml", head + "signs = { x = \"positive\" }\n" + settings), Settings{}).model;
  EXPECT_GT(rises(other), 50);
  for (const double share : bl::slopes(other, table, "x").negative) EXPECT_EQ(share, 0);
}

}  // namespace
}  // namespace bl
