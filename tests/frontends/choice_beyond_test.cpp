// Mixed, nested and latent-class logits through the public interface.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "bl/compare.hpp"
#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using Beyond = ChoiceFixture;

std::string row_of(int chosen, int person, const double* x, const double* y) {
  std::string out = std::string(1, static_cast<char>('a' + chosen)) + "," + std::to_string(person);
  for (int j = 0; j < 3; ++j) out += "," + std::to_string(x[j]);
  for (int j = 0; j < 3; ++j) out += "," + std::to_string(y[j]);
  return out + "," + std::to_string(person % 2) + "\n";
}

// Three alternatives, six choices of each of 250 persons; the coefficient of x is normal with mean -1 and
// standard deviation 1, that of y 0.5. The choices do not depend on the shift of b's x.
std::string planted(int persons = 250, double shift = 0) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(1e-12, 1);
  std::string csv = "choice,id,xa,xb,xc,ya,yb,yc,g\n";
  for (int p = 0; p < persons; ++p) {
    const double beta = -1 + normal(engine);
    for (int t = 0; t < 6; ++t) {
      double x[3], y[3], best = -1e9;
      int chosen = 0;
      for (int j = 0; j < 3; ++j) {
        x[j] = std::abs(normal(engine)) + 0.5;
        y[j] = normal(engine);
        const double v = beta * x[j] + 0.5 * y[j] - std::log(-std::log(uniform(engine)));
        if (v > best) best = v, chosen = j;
      }
      x[1] += shift;
      csv += row_of(chosen, p, x, y);
    }
  }
  return csv;
}

std::string schema(const std::string& rest, const std::string& utility = "") {
  return three_products('x', 'y') + utility + rest;
}

const char* const kMixed = "[random]\nx = \"normal\"\n[draws]\ncount = 200\n";
const char* const kNested = "[nests]\nab = [\"a\", \"b\"]\n";
const char* const kLatent = "[latent]\nclasses = 2\nstarts = 3\nmembership = [\"g\"]\n";

double estimate_of(const InferenceSummary& summary, const std::string& name, double* error = nullptr) {
  for (const EstimatedParameter& one : summary.estimates)
    if (one.name == name) {
      if (error != nullptr) *error = one.standard_error;
      return one.estimate;
    }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

TEST_F(Beyond, AMixedLogitFindsWhatWasPlanted) {
  const Data rows = data(planted());
  const FitSummary fit = fit_choice(rows, file("s.toml", schema(kMixed)), Settings{});
  const InferenceSummary summary = stored_inference(fit.model);
  for (const auto& [name, truth] : {std::pair("x", -1.0), std::pair("y", 0.5), std::pair("sd(x)", 1.0),
                                    std::pair("constant[b]", 0.0), std::pair("constant[c]", 0.0)}) {
    double error = 0;
    const double estimate = estimate_of(summary, name, &error);
    EXPECT_NEAR(estimate, truth, 3.5 * error) << name;
    EXPECT_LT(error, 0.2);
  }
  EXPECT_THAT(render(summary, SummaryFormat::text), HasSubstr("200 draws per person"));
  // Of the panel, and the same from the rows.
  EXPECT_NEAR(metric(fit.model.evaluate(rows), "log_likelihood"), summary.log_likelihood, 1e-6);
  EXPECT_NEAR(infer(fit.model, rows).summary.log_likelihood, summary.log_likelihood, 1e-6);
}

// Intervals of Krinsky and Robb come from draws of the model's own parameters: about four errors wide.
TEST_F(Beyond, IntervalsFromDrawsAreAsWideAsErrorsSay) {
  const Data rows = data(planted(100));
  EconomicsErrors options;
  options.draws = 200;
  for (const char* kind : {kNested, kMixed}) {
    const Model model = fit_choice(rows, file("s.toml", schema(kind)), Settings{}).model;
    ChoiceScenario scenario;
    scenario.changes = {{"b", "x", "x * 1.2"}};
    const WhatIf found = what_if(model, rows, scenario, "", 1, options);
    for (std::size_t j = 0; j < 3; ++j) {
      const auto [low, high] = found.change_interval[j];
      EXPECT_NEAR((high - low) / found.change_error[j], 2 * 1.96, 0.8) << kind;
    }
  }
}

// For every model: probabilities sum to 1, a small change of an attribute moves shares as the elasticities
// say, a model from its bytes is the same.
TEST_F(Beyond, SharesElasticitiesAndFilesAgree) {
  const Data rows = data(planted(60));
  for (const char* kind : {kMixed, kNested, kLatent}) {
    const Model model = fit_choice(rows, file("s.toml", schema(kind)), Settings{}).model;
    const OutputTable table = model.predict(rows);
    for (std::size_t i = 0; i < table.rows; ++i)
      EXPECT_NEAR(table.columns[1].numbers[i] + table.columns[2].numbers[i] + table.columns[3].numbers[i], 1,
                  1e-12);
    const ChoiceElasticities e = elasticities(model, rows, "x");
    ChoiceScenario up, down;
    up.changes = {{"b", "x", "x * 1.0001"}};
    down.changes = {{"b", "x", "x / 1.0001"}};
    const WhatIf more = what_if(model, rows, up), less = what_if(model, rows, down);
    for (std::size_t j = 0; j < 3; ++j) {
      const double measured = std::log(more.after[j] / less.after[j]) / (2 * std::log(1.0001));
      EXPECT_NEAR(e.by[j][1], measured, 1e-6) << kind;
      // Where rows do not determine all parameters, nothing has an error.
      EXPECT_EQ(std::isnan(e.errors[j][1]), !stored_inference(model).unidentified.empty()) << kind;
    }
    const Model again = Model::from_bytes(model.to_bytes(), "model");
    EXPECT_EQ(again.predict(rows).columns[1].numbers, table.columns[1].numbers);
    EXPECT_EQ(render(stored_inference(again), SummaryFormat::json),
              render(stored_inference(model), SummaryFormat::json));
    EXPECT_FALSE(explain_choice(model, ExplainFormat::text).empty());
  }
}

// Logs, interactions, kinks and terms of terms, generic and specific.
std::string with_terms(const std::string& rest) {
  return schema(
      "[terms]\nlog_x = \"log(x)\"\nxg = \"x * g\"\nlong = \"max(x - 1.2, 0)\"\nboth = \"log_x * y ^ 2\"\n" +
          rest,
      "generic = [\"y\", \"log_x\", \"xg\", \"both\"]\nspecific = { long = [\"c\"] }\n");
}

const char* const kMixedTerms = "[random]\nlog_x = \"normal\"\n[draws]\ncount = 50\n";

// The truth are predicted shares and utilities for files in which the attribute was changed by hand.
TEST_F(Beyond, DerivativesFlowThroughTerms) {
  const Data rows = data(planted(60));
  for (const char* kind : {kMixedTerms, kNested, kLatent}) {
    const Model model = fit_choice(rows, file("s.toml", with_terms(kind)), Settings{}).model;
    for (const char* attribute : {"x", "y"}) {
      const ChoiceElasticities e = elasticities(model, rows, attribute);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string name(1, static_cast<char>('a' + k)), of = attribute;
        const WhatIf more = what_if(model, rows, {.changes = {{name, of, of + " * 1.0001"}}}),
                     less = what_if(model, rows, {.changes = {{name, of, of + " * 0.9999"}}});
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_NEAR(e.by[j][k], (more.after[j] - less.after[j]) / 2e-4 / more.before[j], 2e-6)
              << kind << attribute;
      }
    }
    const double h = 1e-3;
    const OutputTable up = model.predict(data(planted(60, h)), Part::all, {.utilities = true}),
                      down = model.predict(data(planted(60, -h)), Part::all, {.utilities = true});
    double mean = 0;
    for (std::size_t i = 0; i < up.rows; ++i)
      mean +=
          (up.columns[6].numbers[i] - down.columns[6].numbers[i]) / (2 * h * static_cast<double>(up.rows));
    EXPECT_EQ(up.columns[6].name, "utility(b)");
    EXPECT_NEAR(slopes(model, rows, "x").mean[1], mean, 5e-5 * (1 + std::abs(mean))) << kind;
  }
}

TEST_F(Beyond, ValuesThroughTermsAreThoseOfTheCoefficients) {
  const Data rows = data(planted(60));
  const auto fitted = [&](const char* kind) {
    return fit_choice(rows, file("s.toml", schema("[terms]\nyg = \"y * g\"\n" + std::string(kind))),
                      Settings{})
        .model;
  };
  const Model nested = fitted(kNested);
  const InferenceSummary summary = stored_inference(nested);
  const double x = estimate_of(summary, "x"), y = estimate_of(summary, "y"), yg = estimate_of(summary, "yg"),
               low = std::min(x / y, x / (y + yg)), high = std::max(x / y, x / (y + yg));
  const ChoiceTradeOff value = trade_off(nested, rows, "x", "y");  // half of the persons have g = 1
  EXPECT_TRUE(value.varies);
  EXPECT_NEAR(value.lower_quartile, low, 1e-12);
  EXPECT_NEAR(value.upper_quartile, high, 1e-12);
  EXPECT_TRUE(std::isnan(value.standard_error));
  double slope = 0;
  for (const double one : slopes(nested, rows, "y").mean) slope += one / 3;
  EXPECT_NEAR(slope, y + 0.5 * yg, 1e-12);
  // A normal coefficient over y's: the median over the draws is the ratio of its mean, for each half.
  const Model mixed = fitted(kMixed);
  const InferenceSummary draws = stored_inference(mixed);
  const double m = estimate_of(draws, "x"), half = estimate_of(draws, "y"),
               more = half + estimate_of(draws, "yg"), s = estimate_of(draws, "sd(x)");
  const ChoiceTradeOff spread = trade_off(mixed, rows, "x", "y");
  const auto below = [&](double v) {  // share of persons with a smaller ratio
    const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
    return 0.5 * normal((v * half - m) / s) + 0.5 * normal((v * more - m) / s);
  };
  EXPECT_NEAR(below(spread.value), 0.5, 2e-3);
  EXPECT_NEAR(below(spread.lower_quartile), 0.25, 2e-3);
  EXPECT_NEAR(below(spread.upper_quartile), 0.75, 2e-3);
}

TEST_F(Beyond, SurplusInMoneyFollowsItsTerms) {
  const Data rows = data(planted(60));
  const std::string terms = "[terms]\nxg = \"x * g\"\n";
  const Model nested = fit_choice(rows, file("s.toml", schema(terms + kNested)), Settings{}).model;
  const ChoiceScenario better{.changes = {{"b", "y", "y + 0.5"}}};
  const InferenceSummary summary = stored_inference(nested);
  const double x = estimate_of(summary, "x"), xg = estimate_of(summary, "xg");
  const OutputTable changes = what_if_rows(nested, rows, better);
  double money = 0;  // persons 1, 3, ... have g = 1, with six situations each
  for (std::size_t i = 0; i < changes.rows; ++i)
    money += changes.columns.back().numbers[i] / -(x + (i / 6 % 2 == 1 ? xg : 0)) /
             static_cast<double>(changes.rows);
  EXPECT_NEAR(what_if(nested, rows, better, "x").money_change, money, 1e-9);
  const Model mixed =
      fit_choice(rows, file("m.toml", schema(terms + "[random]\nxg = \"normal\"\n[draws]\ncount = 50\n")),
                 Settings{})
          .model;
  EXPECT_THROW(what_if(mixed, rows, better, "x"), UsageError);  // a term of money differs between persons
}

// Persons are more alike than chance would make them: of four choices with an advantage of 1 each takes it
// three times, of four without one once, twice or three times. So a spread only lowers the likelihood, and
// the model is the logit, with the coefficient log(3).
TEST_F(Beyond, ASpreadThatIsNotThereIsHeldAtZeroAndNamed) {
  std::string csv = "choice,id,xa,xb\n";
  for (int person = 0; person < 30; ++person)
    for (int t = 0; t < 8; ++t) {
      const bool a = t < 4 ? t < 3 : t - 4 < 1 + person % 3;
      csv += std::string(a ? "a," : "b,") + std::to_string(person) + (t < 4 ? ",1,0\n" : ",0,0\n");
    }
  const Data rows = data(csv);
  const std::string plain =
      "[data]\nchoice = \"choice\"\nperson = \"id\"\n[[alternatives]]\nname = \"a\"\nattributes = { x = "
      "\"xa\" }\n"
      "[[alternatives]]\nname = \"b\"\nattributes = { x = \"xb\" }\n";
  const FitSummary mixed = fit_choice(
      rows, file("m.toml", plain + "[random]\nx = \"normal\"\n[draws]\ncount = 100\n"), Settings{});
  const Model logit = fit_choice(rows, file("l.toml", plain), Settings{}).model;
  const auto found = coefficients(mixed.model), truth = coefficients(logit);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[1].estimate, std::log(3.0), 1e-6);
  EXPECT_EQ(found[2].name, "sd(x)");
  EXPECT_EQ(found[2].estimate, 0);
  EXPECT_TRUE(std::isnan(found[2].robust_error));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(found[k].estimate, truth[k].estimate, 1e-6);
    EXPECT_NEAR(found[k].standard_error, truth[k].standard_error, 1e-6);
  }
  const InferenceSummary summary = stored_inference(mixed.model);
  EXPECT_NEAR(summary.log_likelihood, stored_inference(logit).log_likelihood, 1e-8);
  EXPECT_EQ(summary.estimates.back().state, "no spread");
  EXPECT_EQ(summary.parameters, 2);
  EXPECT_THAT(render(summary, SummaryFormat::text), HasSubstr("sd(x) is held at 0"));
  EXPECT_GT(elasticities(mixed.model, rows, "x").errors[0][0], 0);
  EXPECT_EQ(infer(mixed.model, rows).summary.estimates.back().state, "no spread");
}

// A median over classes is the value of one of them.
TEST_F(Beyond, ValuesOfClassesAreThoseOfTheirCoefficients) {
  const Data rows = data(planted(100));
  const Model latent = fit_choice(rows, file("s.toml", schema(kLatent)), Settings{}).model;
  const InferenceSummary summary = stored_inference(latent);
  const auto ratio = [&](const char* name) {
    return estimate_of(summary, std::string("x (class ") + name + ")") /
           estimate_of(summary, std::string("y (class ") + name + ")");
  };
  const ChoiceTradeOff value = trade_off(latent, rows, "x", "y");
  EXPECT_NEAR(value.value, ratio("1"), 1e-9);  // the larger class
  for (const double one : value.by) EXPECT_NEAR(one, ratio("1"), 1e-9);
  EXPECT_NEAR(std::min(value.lower_quartile, value.upper_quartile), std::min(ratio("1"), ratio("2")), 1e-9);
}

TEST_F(Beyond, SameBitsForAnyNumberOfThreads) {
  const Data rows = data(planted(40));
  for (const char* kind : {kMixed, kNested, kLatent}) {
    Settings one, four;
    one.threads = 1;
    four.threads = 4;
    const std::string path = file("s.toml", schema(kind));
    EXPECT_EQ(stored_inference(fit_choice(rows, path, one).model).log_likelihood,
              stored_inference(fit_choice(rows, path, four).model).log_likelihood);
  }
}

TEST_F(Beyond, PosteriorMeansSpreadLessThanThePopulation) {
  const Data rows = data(planted(100));
  const Model model = fit_choice(rows, file("s.toml", schema(kMixed)), Settings{}).model;
  const OutputTable table = posterior_means(model, rows);
  ASSERT_EQ(table.rows, 100U);
  EXPECT_EQ(table.columns[0].name, "id");
  EXPECT_EQ(table.columns[1].name, "mean(x)");
  double mean = 0, square = 0;
  for (const double one : table.columns[1].numbers) mean += one / 100;
  for (const double one : table.columns[1].numbers) square += (one - mean) * (one - mean) / 100;
  EXPECT_NEAR(mean, estimate_of(stored_inference(model), "x"), 0.1);
  EXPECT_LT(std::sqrt(square), estimate_of(stored_inference(model), "sd(x)"));
}

TEST_F(Beyond, ComparisonHasColumnsAndARatioAgainstTheFirst) {
  const Data rows = data(planted(60));
  const Model logit = fit_choice(rows, file("l.toml", schema("")), Settings{}).model,
              mixed = fit_choice(rows, file("m.toml", schema(kMixed)), Settings{}).model,
              latent = fit_choice(rows, file("c.toml", schema(kLatent)), Settings{}).model;
  const Comparison table = compare({{"logit", stored_inference(logit)},
                                    {"mixed", stored_inference(mixed)},
                                    {"latent", stored_inference(latent)}});
  const InferenceSummary a = stored_inference(logit), b = stored_inference(mixed);
  EXPECT_NEAR(table.columns[1].lr_statistic, 2 * (b.log_likelihood - a.log_likelihood), 1e-9);
  EXPECT_EQ(table.columns[1].lr_degrees, 1);
  EXPECT_TRUE(std::isnan(table.columns[2].lr_statistic));
  EXPECT_THAT(table.columns[2].lr_refused, HasSubstr("compare BIC"));
  for (const SummaryFormat format : {SummaryFormat::text, SummaryFormat::markdown, SummaryFormat::latex,
                                     SummaryFormat::json, SummaryFormat::csv})
    EXPECT_THAT(render(table, format), HasSubstr("mixed"));
  std::istringstream lines(render(table, SummaryFormat::text));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U);
  EXPECT_THROW(compare({{"logit", a}}), UsageError);
}

// Two of three choices follow the larger x without error: the class that they make has no finite maximum.
TEST_F(Beyond, AClassWhoseChoicesAreSeparatedHasNoErrorsAndSaysSo) {
  std::string csv = "choice,xa,xb\n";
  for (int i = 0; i < 120; ++i) {
    const double a = (i * 37 % 101) / 100.0, b = (i * 53 % 97) / 96.0;
    const bool first = i % 3 != 0 ? a > b : i / 3 % 2 == 1;
    csv += fmt::format("{},{},{}\n", first ? "a" : "b", a, b);
  }
  const std::string declared =
      "[data]\nchoice = \"choice\"\n[[alternatives]]\nname = \"a\"\nattributes = { x = \"xa\" }\n"
      "[[alternatives]]\nname = \"b\"\nattributes = { x = \"xb\" }\n[latent]\nclasses = 2\n";
  const FitSummary found = fit_choice(data(csv), file("s.toml", declared), Settings{});
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("(class 1): the likelihood hardly changes")));
  const auto all = coefficients(found.model);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_GT(all[1].estimate, 1000);  // runs off
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(std::isnan(all[k].robust_error), k < 2) << k;
  EXPECT_THAT(render(stored_inference(found.model), SummaryFormat::text), HasSubstr("hardly changes"));
}

// Where one way is coarser than the other, what both share is the finer one: V_fine + V_coarse - V_fine.
TEST_F(Beyond, ErrorsAreClusteredInTwoWays) {
  const Data rows = data(planted(60));
  const auto covariance = [&](const Model& model, const std::vector<std::string>& cluster) {
    InferenceOptions options;
    options.cluster = cluster;
    const InferenceSummary summary = infer(model, rows, options).summary;
    EXPECT_EQ(summary.clusters.size(), cluster.size());
    return summary.covariance_matrix;
  };
  for (const char* kind : {kNested, kMixed}) {
    const Model model = fit_choice(rows, file("s.toml", schema(kind)), Settings{}).model;
    const std::vector<double> coarse = covariance(model, {"g"}), two = covariance(model, {"id", "g"});
    ASSERT_EQ(two.size(), coarse.size());
    for (std::size_t k = 0; k < two.size(); ++k) EXPECT_NEAR(two[k], coarse[k], 1e-9) << kind << k;
  }
}

TEST_F(Beyond, WhatHasNoMeaningIsRefused) {
  const Data rows = data(planted(20));
  const auto refuses = [&](const std::string& text, const std::string& part) {
    try {
      fit_choice(rows, file("bad.toml", text), Settings{});
      ADD_FAILURE() << "accepted: " << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  };
  refuses(schema("[random]\nx = \"gauss\"\n"), "normal");
  refuses(schema("[random]\nz = \"normal\"\n"), "no coefficient");
  refuses(schema("[random]\nx = \"normal\"\ncorrelated = [\"x\"]\n"), "two or more");
  refuses(schema("[random]\nx = \"uniform\"\ny = \"normal\"\ncorrelated = [\"x\", \"y\"]\n"), "only normal");
  refuses(schema("[random]\nx = \"normal\"\n[draws]\ncount = 0\n"), "whole number");
  refuses(schema("[random]\nx = \"normal\"\n[draws]\nsequence = \"halton\"\nprimes = [4]\n"), "no prime");
  refuses(schema("[random]\nx = \"normal\"\n" + std::string(kNested)), "choose one");
  refuses(schema("[nests]\nab = [\"a\"]\n"), "two or more");
  refuses(schema("[nests]\nab = [\"a\", \"z\"]\n"), "no alternative");
  refuses(schema(kMixed, "signs = { x = \"negative\" }\n"), "lognormal");
  refuses(schema("[latent]\nstarts = 2\n"), "how many");
  const Model mixed = fit_choice(rows, file("s.toml", schema(kMixed)), Settings{}).model;
  EXPECT_THROW(what_if(mixed, rows, {}, "x"), UsageError);
  InferenceOptions bootstrap;
  bootstrap.bootstrap = 10;
  EXPECT_THROW(infer(mixed, rows, bootstrap), UsageError);
}

TEST_F(Beyond, SwissmetrosPublishedNestedLogit) {
  const char* folder = std::getenv("BL_DATA");
  if (folder == nullptr) GTEST_SKIP() << "set BL_DATA to the folder of swissmetro.dat";
  const Data rows = Data::read(std::string(folder) + "/swissmetro.dat", Settings{});
  const std::string examples =
      (std::filesystem::path(BL_TEST_DATA).parent_path().parent_path() / "examples/").string();
  const InferenceSummary nested =
      stored_inference(fit_choice(rows, examples + "swissmetro_nested.toml", Settings{}).model);
  EXPECT_NEAR(nested.log_likelihood, -5236.900, 1e-3);
  EXPECT_NEAR(estimate_of(nested, "mu(existing)"), 2.05, 0.005);
  EXPECT_NEAR(estimate_of(nested, "constant[car]"), -0.167, 5e-4);
  EXPECT_NEAR(estimate_of(nested, "constant[train]"), -0.512, 5e-4);
  EXPECT_NEAR(estimate_of(nested, "cost"), -0.857, 5e-4);
  EXPECT_NEAR(estimate_of(nested, "time"), -0.899, 5e-4);
}

}  // namespace
}  // namespace bl
