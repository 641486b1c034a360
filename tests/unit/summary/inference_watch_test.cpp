// An inference tells where it stands and ends where it is told to, with no result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/inference.hpp"

namespace bl {
namespace {

using testing::IsSupersetOf;

Data rows() {
  std::vector<double> x, id;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 80; ++i) {
    x.push_back(std::sin(1.3 * i));
    id.push_back(i / 4);
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"id", id, {}}, {"y", {}, y}}, "memory");
}

// A logit of the table, and one of the same rows as choices between a and b.
Model table_model() {
  Settings settings;
  for (const auto& [name, value] :
       {std::pair("target", "y"), std::pair("id", "id"), std::pair("single", "true"),
        std::pair("utility", "identity"), std::pair("heads", "1,0,0"), std::pair("starts", "1")})
    set(settings, name, value);
  return fit(rows(), settings).model;
}
Model choice_model() {
  const std::string schema =
      "[data]\nlayout = \"wide\"\nchoice = \"y\"\nperson = \"id\"\n"
      "[[alternatives]]\nname = \"a\"\nattributes = { x = \"x\" }\n[[alternatives]]\nname = \"b\"\n";
  return fit(rows(), ChoiceDeclaration::parse(schema, "memory"), {}).model;
}

// The stages that were told of; stops at the first of `last`.
struct Listener {
  std::set<std::string> stages;
  InferenceOptions options;

  explicit Listener(const std::string& last = "") {
    options.bootstrap = 20;
    options.on_progress = [this](double, const std::string& text) {
      stages.insert(text.substr(0, text.find(':')));
    };
    options.should_stop = [this, last] { return stages.count(last) > 0; };
  }
};

// Each of these stages is told of, and the work can be ended in it.
void expect_stages(const Model& model, const std::vector<std::string>& stages) {
  Listener all;
  EXPECT_EQ(infer(model, rows(), all.options).summary.bootstrap, 20);
  EXPECT_THAT(all.stages, IsSupersetOf(stages));
  for (const std::string& stage : stages) {
    Listener listener(stage);
    EXPECT_THROW(infer(model, rows(), listener.options), Interrupted) << stage;
  }
}

TEST(InferenceWatch, EveryStageIsToldAndEndsTheWork) {
  expect_stages(table_model(), {"starts at their minimum", "iterations", "scores of rows",
                                "second derivatives", "resamples"});
}

TEST(InferenceWatch, ChoicesToo) {
  expect_stages(choice_model(), {"iterations", "scores of rows", "second derivatives", "resamples"});
}

TEST(InferenceWatch, EconomicsToo) {
  const Model model = infer(table_model(), rows(), {}).model;
  Listener all;
  economics_with_errors(model, rows(), "", all.options);
  EXPECT_EQ(all.stages, std::set<std::string>{"derivatives of economics"});
  Listener listener("derivatives of economics");
  EXPECT_THROW(economics_with_errors(model, rows(), "", listener.options), Interrupted);
}

}  // namespace
}  // namespace bl
