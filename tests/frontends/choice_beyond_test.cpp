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
// standard deviation 1, that of y 0.5.
std::string planted(int persons = 250) {
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
      csv += row_of(chosen, p, x, y);
    }
  }
  return csv;
}

std::string schema(const std::string& rest, const std::string& utility = "") {
  std::string out = "[data]\nchoice = \"choice\"\nperson = \"id\"\n";
  for (const char* name : {"a", "b", "c"})
    out += std::string("[[alternatives]]\nname = \"") + name + "\"\nattributes = { x = \"x" + name +
           "\", y = \"y" + name + "\" }\n";
  return out + "[utility]\n" + utility + rest;
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

// For every model: probabilities sum to 1, a small change of an attribute moves shares as the elasticities say, a
// model from its bytes is the same.
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
