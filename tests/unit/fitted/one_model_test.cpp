// A choice is one more response of the one model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/choice.hpp"
#include "bl/distribution.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/inference.hpp"
#include "bl/sample.hpp"
#include "bl/scenario.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {
namespace {

Data trips() {
  std::vector<double> x, w;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 60; ++i) {
    x.push_back(std::sin(1.3 * i));
    w.push_back(i % 3);
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"w", w, {}}, {"y", {}, y}}, "trips");
}

Model choice() {
  ChoiceDeclaration d;
  d.choice = "y";
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b"}};
  return fit(trips(), d, {}).model;
}

TEST(OneModel, AChoiceSaysWhatItIs) {
  const Model model = choice();
  EXPECT_TRUE(model.is_choice());
  ASSERT_EQ(model.responses().size(), 1U);
  EXPECT_EQ(model.responses()[0].name, "y");
  EXPECT_THAT(model.responses()[0].levels, testing::ElementsAre("a", "b"));
  EXPECT_EQ(model.part_rows(trips(), Part::train), 60U);
  EXPECT_TRUE(has_inference(model));
  EXPECT_STREQ(model.row_unit(), "situations");
}

// As that of a table, its file keeps the metrics of held-out rows.
TEST(OneModel, AChoiceKeepsItsMetrics) {
  ChoiceDeclaration d;
  d.choice = "y";
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b"}};
  Settings settings;
  settings.fractions = "7:1:2";
  const FitSummary summary = fit(trips(), d, settings);
  const auto& metrics = summary.model.impl().stored.information.at("metrics");
  for (const Metric& metric : summary.test) EXPECT_EQ(metrics["test"].at(metric.name), metric.value);
  EXPECT_EQ(metrics["validation"].size(), summary.validation.size());
  EXPECT_THAT(summary.model.describe(), testing::HasSubstr("\ntest        accuracy"));
}

// A setting that no fit can have had is the file's fault, of tables and of choices.
TEST(OneModel, ABadStoredSettingIsAnErrorOfTheModelFile) {
  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 2;
  for (const Model& model : {choice(), fit(trips(), settings).model}) {
    for (const auto& [name, value] : {std::pair("epochs", "many"), std::pair("split", "by the moon"),
                                      std::pair("fractions", "most"), std::pair("fractions", "0:1:1")}) {
      StoredModel stored = model.impl().stored;
      stored.information["settings"][name] = value;
      const Model bad = model_of(std::move(stored));
      EXPECT_THROW(bad.evaluate(trips(), Part::train, {}), ModelFileError) << name;
    }
  }
}

TEST(OneModel, WhatAResponseHasNoMeaningForIsRefused) {
  const Model model = choice();
  const Data data = trips();
  EXPECT_THROW(sample(model, data, {}), UsageError);
  EXPECT_THROW(log_density(model, data), UsageError);
  EXPECT_THROW(utility(model, data), UsageError);
  EXPECT_THROW(economics(model, data, {}), UsageError);
  EXPECT_THROW(constraint_diagnostics(model, data, {}), UsageError);
  EXPECT_THROW(solve_scenario(model, data, {.set = {"x += 1"}}), UsageError);
  EXPECT_THROW(canonical(model), UsageError);
  EXPECT_THROW(model.predict(data, Part::all, {.quantiles = {0.5}}), UsageError);

  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 2;
  const Model table = fit(data, settings).model;
  EXPECT_FALSE(table.is_choice());
  EXPECT_TRUE(coefficients(table).empty());
  EXPECT_THROW(market_shares(table, data), UsageError);
  EXPECT_THROW(elasticities(table, data, "x"), UsageError);
  EXPECT_THROW(what_if(table, data, {}), UsageError);
  FitOptions start;
  start.start = model;
  EXPECT_THROW(fit(data, settings, start), UsageError);
}

}  // namespace
}  // namespace bl
