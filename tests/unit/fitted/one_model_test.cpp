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

// An option that says nothing about an answer is refused, whatever the response.
TEST(OneModel, OptionsWithoutEffectAreRefused) {
  const Data data = trips();
  EXPECT_THROW(choice().predict(data, Part::all, {.tolerance = 1e-8}), UsageError);
  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 2;
  const Model table = fit(data, settings).model;
  for (const Model& model : {choice(), table}) {
    EXPECT_NO_THROW(model.evaluate(data, Part::all, {.threads = 1}));
    for (const PredictOptions& options :
         {PredictOptions{.quantiles = {0.5}}, PredictOptions{.interval = 0.9},
          PredictOptions{.highest_density = 0.9}, PredictOptions{.mode = true},
          PredictOptions{.utilities = true}, PredictOptions{.ood = true}, PredictOptions{.density_points = 5},
          PredictOptions{.tolerance = 1e-8}, PredictOptions{.carry = {"x"}}})
      EXPECT_THROW(model.evaluate(data, Part::all, options), UsageError);
  }
  EXPECT_THROW(economics(table, data, {.row = 3, .part = Part::train}), UsageError);
  EXPECT_NO_THROW(economics(table, data, {.row = 3}));
}

// What only rows can answer, asked of a model that stores its errors; and what nothing can.
TEST(OneModel, AStoredInferenceFollowsNoOptionOfAnEstimate) {
  Settings settings;
  settings.target = "y";
  settings.identifiable = true;
  settings.single = true;
  settings.heads = "1,0,0";
  settings.degree = 1;
  settings.epochs = 30;
  const Model table = infer(fit(trips(), settings).model, trips()).model;
  const auto with = [](auto change) {
    InferenceOptions options;
    change(options);
    return options;
  };
  const InferenceOptions cluster = with([](auto&o) { o.cluster = {"w"}; }),
                         bootstrap = with([](auto&o) { o.bootstrap = 5; }),
                         device = with([](auto&o) { o.device = "cuda"; }),
                         reference = with([](auto&o) { o.reference = "b"; }),
                         starts = with([](auto&o) { o.starts = 3; });
  for (const Model& model : {choice(), table}) {
    EXPECT_NO_THROW(stored_inference(model));
    for (const InferenceOptions& options : {cluster, bootstrap, device})
      EXPECT_THROW(stored_inference(model, options), NeedsData);
    for (const InferenceOptions& options :
         {with([](auto& o) { o.starts = -1; }), with([](auto& o) { o.bootstrap = -2; }),
          with([](auto& o) { o.device = "gpu"; }), with([&](auto& o) {
            o = cluster;
            o.covariance = "classical";
          })}) {
      EXPECT_THROW(stored_inference(model, options), UsageError);
      EXPECT_THROW(infer(model, trips(), options), UsageError);
    }
  }
  for (const InferenceOptions& options : {reference, starts}) {
    EXPECT_THROW(stored_inference(table, options), NeedsData);
    EXPECT_THROW(stored_inference(choice(), options), UsageError);
  }
}

}  // namespace
}  // namespace bl
