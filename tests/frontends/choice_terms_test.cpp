// Terms of a utility: estimates, derivatives and scenarios flow through them. The truth is a model whose
// columns were computed by hand, and the predictions for files that were changed by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ChoiceTerms = ChoiceFixture;

// Bus or car, with time and cost, and whether a person has a high income; persons answer four times.
struct Rides {
  struct Ride {
    double time[2], cost[2];
    bool high = false;
    int chosen = 0, person = 0;
  };
  std::vector<Ride> rides;

  explicit Rides(std::size_t count) {
    const RandomStream random(3, Purpose::test);
    for (std::size_t i = 0; i < count; ++i) {
      Ride one;
      one.person = static_cast<int>(i / 4);
      one.high = random.uniform(50, i / 4) < 0.4;
      const double taste = random.normal(51, i / 4);
      double v[2];
      for (std::size_t j = 0; j < 2; ++j) {
        one.time[j] = 0.2 + 2 * random.uniform(j, i);
        one.cost[j] = 0.5 + 1.5 * (random.uniform(2 + j, i) + random.uniform(60 + j, i / 4));
        v[j] = -0.8 * std::log(one.time[j]) - 0.7 * one.cost[j] + 0.4 * one.cost[j] * (one.high ? 1 : 0) -
               std::log(-std::log(random.uniform(4 + j, i))) + (j == 1 ? 0.8 * taste : 0);
      }
      one.chosen = v[1] > v[0] ? 1 : 0;
      rides.push_back(one);
    }
  }

  // `scale`: of the costs of the car.
  std::string csv(double scale = 1, double time_scale = 1) const {
    std::string out = "y,bt,ct,bc,cc,high,id,cbh,cch,cbl,ccl\n";
    char line[400];
    for (const Ride& one : rides) {
      const double cost = one.cost[1] * scale, time = one.time[1] * time_scale;
      std::snprintf(line, sizeof line, "%s,%.17g,%.17g,%.17g,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g\n",
                    one.chosen == 0 ? "bus" : "car", one.time[0], time, one.cost[0], cost, one.high ? 1 : 0,
                    one.person, one.cost[0] * one.high, cost * one.high, std::log(one.time[0]),
                    std::log(time));
      out += line;
    }
    return out;
  }
};

const std::string kData = "[data]\nchoice = \"y\"\nperson = \"id\"\n";
const std::string kAlternatives =
    "[[alternatives]]\nname = \"bus\"\nattributes = { time = \"bt\", cost = \"bc\" }\n"
    "[[alternatives]]\nname = \"car\"\nattributes = { time = \"ct\", cost = \"cc\" }\n";

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(ChoiceTerms, AreEstimatedAsColumnsThatWereComputedByHand) {
  const Rides rides(400);
  const Data table = data(rides.csv());
  const Model terms = fit_choice(table,
                                 file("t.toml", kData +
                                                    "[terms]\ncost_high = \"cost * high\"\nlog_time = "
                                                    "\"log(time)\"\n" +
                                                    kAlternatives +
                                                    "[utility]\ngeneric = [\"cost\", \"cost_high\", "
                                                    "\"log_time\"]\n"),
                                 Settings{})
                          .model;
  const std::string by_hand =
      "[[alternatives]]\nname = \"bus\"\nattributes = { cost = \"bc\", cost_high = \"cbh\", log_time = "
      "\"cbl\" }\n[[alternatives]]\nname = \"car\"\nattributes = { cost = \"cc\", cost_high = \"cch\", "
      "log_time = \"ccl\" }\n";
  const Model columns = fit_choice(table, file("c.toml", kData + by_hand), Settings{}).model;
  const auto a = coefficients(terms), b = coefficients(columns);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].name, b[k].name);
    EXPECT_NEAR(a[k].estimate, b[k].estimate, 1e-7);
    EXPECT_NEAR(a[k].clustered_error, b[k].clustered_error, 1e-7);
  }
  EXPECT_EQ(attributes(terms), (std::vector<std::string>{"time", "cost"}));
  EXPECT_THAT(terms.describe(), HasSubstr("log_time = log(time)"));
  // A stored model reads the same terms from another file.
  const Data scaled = data(rides.csv(1.3));
  const auto again = terms.predict(scaled, Part::all, {}), hand = columns.predict(scaled, Part::all, {});
  for (std::size_t i = 0; i < again.rows; ++i)
    EXPECT_NEAR(again.columns[1].numbers[i], hand.columns[1].numbers[i], 1e-8);
}

// Powers, logs, pieces and Box-Cox of the attributes, an interaction, and terms of terms, generic and
// specific.
const std::string kManyTerms =
    "[terms]\ncost_high = \"cost * high\"\nlog_time = \"log(time)\"\nlong = \"max(time - 1.2, 0)\"\n"
    "root = \"boxcox(cost, 0.5)\"\nboth = \"log_time * cost ^ 2\"\n" +
    kAlternatives +
    "[utility]\ngeneric = [\"cost\", \"cost_high\", \"log_time\", \"both\", \"root\"]\nspecific = { long = "
    "[\"car\"] }\n";

TEST_F(ChoiceTerms, DerivativesAreFiniteDifferencesOfPredictions) {
  const Rides rides(300);
  const Data table = data(rides.csv());
  const Model model = fit_choice(table, file("s.toml", kData + kManyTerms), Settings{}).model;
  const double h = 1e-5;
  const auto share = [&](double cost, double time) {
    return market_shares(model, data(rides.csv(cost, time))).columns[1].numbers;
  };
  const auto base = share(1, 1), cost_up = share(1 + h, 1), cost_down = share(1 - h, 1),
             time_up = share(1, 1 + h), time_down = share(1, 1 - h);
  const ChoiceElasticities of_cost = elasticities(model, table, "cost"),
                           of_time = elasticities(model, table, "time");
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(of_cost.by[j][1], (cost_up[j] - cost_down[j]) / (2 * h) / base[j], 1e-6);
    EXPECT_NEAR(of_time.by[j][1], (time_up[j] - time_down[j]) / (2 * h) / base[j], 1e-6);
    EXPECT_GT(of_cost.errors[j][1], 0);
  }
  // A scenario is the prediction for a file in which the car costs more.
  const WhatIf dearer = what_if(model, table, {.changes = {{"car", "cost", "cost * 1.1"}}}, "");
  const auto after = share(1.1, 1);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(dearer.after[j], after[j], 1e-12);
  EXPECT_EQ(dearer.diversion[1], 0);
  EXPECT_NEAR(dearer.diversion[0], 1, 1e-9);
  const OutputTable rows = what_if_rows(model, table, {.changes = {{"car", "cost", "cost * 1.1"}}});
  double mean = 0;
  for (const double p : rows.columns[4].numbers) mean += p / 300;
  EXPECT_NEAR(mean, after[1], 1e-12);
}

TEST_F(ChoiceTerms, ValuesDifferBetweenPersonsWhereTermsSaySo) {
  const Rides rides(400);
  const Data table = data(rides.csv());
  const Model model =
      fit_choice(table, file("s.toml", kData + "[terms]\ncost_high = \"cost * high\"\n" + kAlternatives),
                 Settings{})
          .model;
  const auto c = coefficients(model);  // constant, time, cost, cost_high
  const double low = c[1].estimate / c[2].estimate, high = c[1].estimate / (c[2].estimate + c[3].estimate);
  const ChoiceTradeOff value = trade_off(model, table, "time", "cost");
  EXPECT_TRUE(value.varies);
  EXPECT_NEAR(value.lower_quartile, std::min(low, high), 1e-9);
  EXPECT_NEAR(value.upper_quartile, std::max(low, high), 1e-9);
  EXPECT_GT(value.errors[0], 0);
  double mean = 0;
  for (const auto& one : rides.rides)
    mean += (c[2].estimate + (one.high ? c[3].estimate : 0)) / static_cast<double>(rides.rides.size());
  EXPECT_NEAR(slopes(model, table, "cost").mean[1], mean, 1e-12);
}

TEST_F(ChoiceTerms, WhatCannotFollowIsRefused) {
  const Rides rides(200);
  const Data table = data(rides.csv());
  const std::string twins =
      "[[alternatives]]\nname = \"bus\"\nattributes = { time = \"bt\", cost = \"bc\", cost_high = \"bc * "
      "high\" }\n[[alternatives]]\nname = \"car\"\nattributes = { time = \"ct\", cost = \"cc\", cost_high = "
      "\"cc * high\" }\n";
  const Model model = fit_choice(table, file("s.toml", kData + twins), Settings{}).model;
  const auto change = [&](std::vector<ChoiceScenario::Change> changes) {
    return message_of([&] { what_if(model, table, {.changes = std::move(changes)}, ""); });
  };
  EXPECT_THAT(change({{"car", "cost", "cost * 1.1"}}), HasSubstr("'cost_high' of 'car'"));
  EXPECT_EQ(change({{"car", "cost", "cost * 1.1"}, {"car", "cost_high", "cost_high * 1.1"}}), "no error");
  EXPECT_EQ(change({{"car", "time", "time * 1.1"}}), "no error");  // shares no column
  EXPECT_THAT(message_of([&] { elasticities(model, table, "cost"); }), HasSubstr("[terms]"));
  EXPECT_THAT(message_of([&] { trade_off(model, table, "time", "cost"); }), HasSubstr("[terms]"));
  const Model terms = fit_choice(table, file("t.toml", kData + kManyTerms), Settings{}).model;
  EXPECT_THAT(message_of([&] { elasticities(terms, table, "log_time"); }), HasSubstr("follows 'time'"));
  EXPECT_THAT(message_of([&] {
                what_if(terms, table, {.changes = {{"car", "root", "1"}}}, "");
              }),
              HasSubstr("follows 'cost'"));
  EXPECT_THAT(message_of([&] {
                fit_choice(table, file("n.toml", kData + "[terms]\ncost = \"1\"\n" + kAlternatives),
                           Settings{});
              }),
              HasSubstr("called like an attribute"));
}

// An alternative that does not have what a term reads has nothing of the term, until it is given some.
TEST_F(ChoiceTerms, AnAlternativeWithoutAnAttributeHasNoTermOfIt) {
  const Rides rides(200);
  const Data table = data(rides.csv());
  const std::string walk =
      "[terms]\nlog_cost = \"log(cost)\"\n[[alternatives]]\nname = \"bus\"\nattributes = { time = \"bt\" }\n"
      "[[alternatives]]\nname = \"car\"\nattributes = { time = \"ct\", cost = \"cc\" }\n"
      "[utility]\ngeneric = [\"time\", \"log_cost\"]\n";
  const Model model = fit_choice(table, file("s.toml", kData + walk), Settings{}).model;
  const auto c = coefficients(model);
  const OutputTable before = model.predict(table, Part::all, {.utilities = true});
  const WhatIf paid = what_if(model, table, {.changes = {{"bus", "cost", "2"}}}, "");
  double after = 0;
  for (std::size_t i = 0; i < before.rows; ++i) {
    const double bus = before.columns[4].numbers[i] + c[2].estimate * std::log(2.0),
                 car = before.columns[5].numbers[i];
    after += 1 / (1 + std::exp(car - bus)) / static_cast<double>(before.rows);
  }
  EXPECT_NEAR(paid.after[0], after, 1e-9);
}

TEST_F(ChoiceTerms, ErrorsByPersonAndIntervalsFromDraws) {
  const Rides rides(400);
  const Data table = data(rides.csv());
  const Model model = fit_choice(table,
                                 file("s.toml", kData + kAlternatives +
                                                    "[utility]\nconstants = "
                                                    "false\ngeneric = [\"cost\"]\n"),
                                 Settings{})
                          .model;
  const ChoiceCoefficient cost = coefficients(model)[0];
  ASSERT_GT(std::abs(cost.clustered_error / cost.robust_error - 1), 0.02);
  const ChoiceElasticities robust = elasticities(model, table, "cost"),
                           cluster = elasticities(model, table, "cost", 0, {.covariance = "cluster"});
  // One coefficient: all errors are its own times a derivative.
  EXPECT_NEAR(cluster.errors[0][1] / robust.errors[0][1], cost.clustered_error / cost.robust_error, 1e-6);
  const ChoiceScenario dearer{.changes = {{"car", "cost", "cost * 1.1"}}};
  const WhatIf a = what_if(model, table, dearer, "cost"),
               b = what_if(model, table, dearer, "cost", 0, {.covariance = "cluster", .draws = 600});
  EXPECT_NEAR(b.surplus_error / a.surplus_error, cost.clustered_error / cost.robust_error, 1e-6);
  EXPECT_TRUE(std::isnan(a.surplus_interval.lower));
  // The share changes monotonically with the coefficient, so its quantiles are those of the normal.
  const auto at = [&](double z) {
    double sum = 0;
    for (const auto& one : rides.rides) {
      const double beta = cost.estimate + z * cost.clustered_error;
      const auto p = [&](double scale) {
        return 1 / (1 + std::exp(beta * (one.cost[0] - scale * one.cost[1])));
      };
      sum += (p(1.1) - p(1)) / static_cast<double>(rides.rides.size());
    }
    return sum;
  };
  const double low = std::min(at(-1.96), at(1.96)), high = std::max(at(-1.96), at(1.96));
  const double noise = 0.09 * (high - low);  // of 600 draws: 3 errors of a 2.5% quantile
  EXPECT_NEAR(b.change_interval[1].lower, low, noise);
  EXPECT_NEAR(b.change_interval[1].upper, high, noise);
  EXPECT_THROW(what_if(model, table, dearer, "", 0, {.covariance = "sandwich"}), UsageError);
}

TEST_F(ChoiceTerms, OneBadCoefficientLeavesTheOthersTheirErrors) {
  const Rides rides(400);
  std::string csv = rides.csv();
  const Data table = data(csv);
  const auto fitted = [&](const std::string& text) {
    return fit_choice(table, file("s.toml", kData + text), Settings{});
  };
  const auto plain = coefficients(fitted(kAlternatives).model);
  struct Case {
    const char* terms;
    const char* reason;
  };
  for (const Case& one : {Case{"[terms]\nbad = \"high\"\n", "constant within sets"},
                          Case{"[terms]\nbad = \"2 * cost - time\"\n", "collinear with time and cost"},
                          Case{"[terms]\nbad = \"max(cost - 100, 0)\"\n", "constant within sets"}}) {
    const FitSummary bad = fitted(one.terms + kAlternatives);
    const auto found = coefficients(bad.model);
    ASSERT_EQ(found.size(), plain.size() + 1);
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_NEAR(found[k].estimate, plain[k].estimate, 1e-7) << one.reason;
      EXPECT_NEAR(found[k].robust_error, plain[k].robust_error, 1e-7) << one.reason;
    }
    EXPECT_TRUE(std::isnan(found.back().robust_error));
    ASSERT_EQ(bad.notes.size(), 1U);
    EXPECT_THAT(bad.notes[0], HasSubstr("bad (" + std::string(one.reason)));
    const InferenceSummary summary = stored_inference(bad.model);
    EXPECT_EQ(summary.estimates.back().state, one.reason);
    EXPECT_EQ(summary.parameters, 3);
    EXPECT_EQ(summary.notes, bad.notes);
    EXPECT_EQ(infer(bad.model, table).summary.notes, bad.notes);
    EXPECT_GT(elasticities(bad.model, table, "time").errors[0][0], 0);
  }
}

TEST_F(ChoiceTerms, SeparatedCoefficientsAreNamedAndTheOthersEstimatedWithoutThem) {
  Rides rides(400);
  const auto text = [&](bool all) {
    std::string csv = "y,bc,cc,mark,id\n";
    char line[200];
    for (std::size_t i = 0; i < rides.rides.size(); ++i) {
      const auto& one = rides.rides[i];
      const bool mark = all ? one.chosen == 0 : one.chosen == 0 && i % 7 == 0;
      std::snprintf(line, sizeof line, "%s,%.17g,%.17g,%d,%d\n", one.chosen == 0 ? "bus" : "car", one.cost[0],
                    one.cost[1], mark ? 1 : 0, one.person);
      csv += line;
    }
    return csv;
  };
  const std::string schema =
      kData +
      "[[alternatives]]\nname = \"bus\"\nattributes = { cost = \"bc\", mark = \"mark\" }\n"
      "[[alternatives]]\nname = \"car\"\nattributes = { cost = \"cc\" }\n";
  const Data table = data(text(false));
  const FitSummary fit = fit_choice(table, file("s.toml", schema), Settings{});
  // In the limit who has the mark tells nothing, so the others are those of everybody else.
  const std::string rest = "filter = \"mark == 0\"\n";
  const auto found = coefficients(fit.model),
             truth = coefficients(fit_choice(table,
                                             file("w.toml", kData + rest + schema.substr(kData.size()) +
                                                                "[utility]\ngeneric = [\"cost\"]\n"),
                                             Settings{})
                                      .model);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(found[k].estimate, truth[k].estimate, 1e-6);
    EXPECT_NEAR(found[k].standard_error, truth[k].standard_error, 1e-6);
  }
  EXPECT_TRUE(std::isnan(found[2].standard_error));
  ASSERT_EQ(fit.notes.size(), 1U);
  EXPECT_THAT(fit.notes[0], HasSubstr("mark (separated: runs to +infinity)"));
  EXPECT_EQ(stored_inference(fit.model).estimates[2].state, "separated: runs to +infinity");
  // Everybody who took the bus has the mark, and nobody else: nothing has a finite estimate.
  const FitSummary perfect = fit_choice(data(text(true)), file("p.toml", schema), Settings{});
  ASSERT_FALSE(perfect.notes.empty());
  EXPECT_THAT(perfect.notes[0], HasSubstr("separated"));
  EXPECT_FALSE(has_inference(perfect.model));
}

// Neither u nor v tells the choices apart, their sum does: the bus is taken wherever it is above 0.
TEST_F(ChoiceTerms, SeparationAlongACombinationOfTermsIsNamed) {
  const Rides rides(400);
  std::string csv = "y,bc,cc,u,v,marked,id\n";
  for (std::size_t i = 0; i < rides.rides.size(); ++i) {
    const auto& one = rides.rides[i];
    const bool first = one.chosen == 0 && i % 7 == 0, second = one.chosen == 0 && i % 7 == 1;
    char line[200];
    std::snprintf(line, sizeof line, "%s,%.17g,%.17g,%d,%d,%d,%d\n", one.chosen == 0 ? "bus" : "car",
                  one.cost[0], one.cost[1],
                  first    ? 2
                  : second ? -1
                           : 0,
                  first    ? -1
                  : second ? 2
                           : 0,
                  first || second ? 1 : 0, one.person);
    csv += line;
  }
  const Data table = data(csv);
  const std::string schema =
      "[terms]\nuu = \"u * here\"\nvv = \"v * here\"\n"
      "[[alternatives]]\nname = \"bus\"\nattributes = { cost = \"bc\", here = \"1\" }\n"
      "[[alternatives]]\nname = \"car\"\nattributes = { cost = \"cc\" }\n";
  const FitSummary fit =
      fit_choice(table, file("s.toml", kData + schema + "[utility]\ngeneric = [\"cost\", \"uu\", \"vv\"]\n"),
                 Settings{});
  const auto truth = coefficients(fit_choice(table,
                                             file("w.toml", kData + "filter = \"marked == 0\"\n" + schema +
                                                                "[utility]\ngeneric = [\"cost\"]\n"),
                                             Settings{})
                                      .model);
  const auto found = coefficients(fit.model);
  ASSERT_EQ(found.size(), 4U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(found[k].estimate, truth[k].estimate, 1e-5);
    EXPECT_NEAR(found[k].standard_error, truth[k].standard_error, 1e-5);
  }
  ASSERT_EQ(fit.notes.size(), 1U);
  EXPECT_THAT(fit.notes[0], HasSubstr("uu (separated together with vv)"));
  EXPECT_THAT(fit.notes[0], HasSubstr("vv (separated together with uu)"));
  for (const std::size_t k : {2U, 3U}) {
    EXPECT_TRUE(std::isnan(found[k].standard_error));
    EXPECT_THAT(stored_inference(fit.model).estimates[k].state, HasSubstr("separated together"));
  }
  EXPECT_GT(elasticities(fit.model, table, "cost").errors[0][0], 0);
}

TEST_F(ChoiceTerms, OnlyNestedUtilitiesHaveALikelihoodRatio) {
  const Rides rides(300);
  const Data table = data(rides.csv());
  const auto summary = [&](const std::string& utility) {
    return stored_inference(
        fit_choice(table,
                   file("s.toml", kData + "[terms]\nlog_time = \"log(time)\"\n" + kAlternatives + utility),
                   Settings{})
            .model);
  };
  const auto small = summary("[utility]\ngeneric = [\"cost\"]\n"),
             both = summary("[utility]\ngeneric = [\"time\", \"cost\"]\n"),
             logs = summary("[utility]\ngeneric = [\"time\", \"log_time\"]\n"),
             each = summary("[utility]\ngeneric = []\nspecific = { cost = [\"bus\", \"car\"] }\n"),
             other = summary("[utility]\ngeneric = [\"time\", \"cost\"]\nreference = \"car\"\n"),
             none = summary("[utility]\nconstants = false\ngeneric = [\"cost\"]\n");
  EXPECT_EQ(likelihood_ratio_test(both, small).degrees, 1);
  EXPECT_EQ(likelihood_ratio_test(each, small).degrees, 1);   // generic is specific with equal coefficients
  EXPECT_EQ(likelihood_ratio_test(other, small).degrees, 1);  // another reference is the same utility
  EXPECT_EQ(likelihood_ratio_test(small, none).degrees, 1);
  EXPECT_THAT(message_of([&] { likelihood_ratio_test(logs, small); }), HasSubstr("'cost'"));
  EXPECT_THAT(message_of([&] { likelihood_ratio_test(none, logs); }), HasSubstr("'cost'"));
}

}  // namespace
}  // namespace bl
