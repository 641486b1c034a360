// Work tells where it stands and ends where it is told to: a fit with what it has, the others with no result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bl/check.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/inference.hpp"
#include "bl/report.hpp"
#include "bl/sample.hpp"
#include "bl/shapley.hpp"
#include "bl/simplify.hpp"

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

TEST(Stop, EndsEveryStageOfAnInference) {
  expect_stages(table_model(), {"starts at their minimum", "iterations", "scores of rows",
                                "second derivatives", "resamples"});
}

TEST(Stop, EndsEveryStageOfAnInferenceOfChoices) {
  expect_stages(choice_model(), {"iterations", "scores of rows", "second derivatives", "resamples"});
}

TEST(Stop, EndsErrorsOfEconomics) {
  const Model model = infer(table_model(), rows(), {}).model;
  Listener all;
  economics_with_errors(model, rows(), "", all.options);
  EXPECT_EQ(all.stages, std::set<std::string>{"derivatives of economics"});
  Listener listener("derivatives of economics");
  EXPECT_THROW(economics_with_errors(model, rows(), "", listener.options), Interrupted);
}

// Runs work that is told to stop the second time that it asks, and is not asked again.
template <class Options, class Work>
void expect_interrupted(Options options, const Work& work) {
  int asked = 0, told = 0;
  options.should_stop = [&] { return ++asked == 2; };
  options.on_progress = [&](double, const std::string&) { ++told; };
  EXPECT_THROW(work(options), Interrupted);
  EXPECT_EQ(asked, 2);
  EXPECT_GT(told, 0);
}

TEST(Stop, EndsAReport) {
  const Model model = table_model();
  expect_interrupted(ReportOptions(), [&](const ReportOptions& o) { report_html(model, rows(), o); });
  const Model choices = choice_model();
  expect_interrupted(ReportOptions(), [&](const ReportOptions& o) { report_html(choices, rows(), o); });
}

TEST(Stop, EndsShapleyValues) {
  const Model model = table_model();
  expect_interrupted(ShapleyOptions(),
                     [&](const ShapleyOptions& o) { shapley_values(model, rows(), rows(), o); });
}

// A refit that was cut short is none that did not converge.
TEST(Stop, EndsACheck) {
  const Model model = table_model();
  for (const int at : {1, 2, 30}) {
    int asked = 0;
    CheckOptions options{.replications = 4, .threads = 2};
    options.should_stop = [&] { return ++asked == at; };
    EXPECT_THROW(check_model(model, rows(), options), Interrupted) << at;
  }
}

// Exact draws, and chains.
TEST(Stop, EndsASample) {
  const Model classes = table_model();
  expect_interrupted(SampleOptions(), [&](SampleOptions o) {
    o.threads = 1;
    sample(classes, rows(), o);
  });
  Settings numbers;
  for (const auto& [name, value] :
       {std::pair("target", "x"), std::pair("id", "id"), std::pair("epochs", "1")})
    set(numbers, name, value);
  const Model model = fit(rows(), numbers).model;
  SampleOptions chains;
  chains.method = "hmc";
  chains.warmup = 4;
  expect_interrupted(chains, [&](const SampleOptions& o) { sample(model, rows(), o); });
}

Settings settings_of(const std::vector<std::pair<const char*, const char*>>& chosen) {
  Settings settings;
  for (const auto& [name, value] : chosen) set(settings, name, value);
  return settings;
}

TEST(Stop, EndsASimplification) {
  const Model model = fit(rows(), settings_of({{"target", "y"}, {"id", "id"}, {"epochs", "2"}})).model;
  expect_interrupted(SimplifyOptions(), [&](const SimplifyOptions& o) { simplify(model, rows(), o); });
}

// In steps, to the minimum, and of choices.
TEST(Stop, LeavesAFitWithWhatItHas) {
  const auto stopped = [](auto&& fit) {
    int asked = 0;
    FitOptions options;
    options.should_stop = [&] { return ++asked == 2; };
    const FitSummary summary = fit(options);
    EXPECT_TRUE(summary.interrupted);
    EXPECT_EQ(asked, 2);
    EXPECT_GT(summary.model.predict(rows(), Part::all, {}).rows, 0U);
  };
  const Settings steps = settings_of({{"target", "y"}, {"id", "id"}}),
                 minimum = settings_of({{"target", "y"}, {"id", "id"}, {"single", "true"}, {"starts", "2"}});
  stopped([&](const FitOptions& o) { return fit(rows(), steps, o); });
  stopped([&](const FitOptions& o) { return fit(rows(), minimum, o); });
  const std::string linear =
      "[data]\nlayout = \"wide\"\nchoice = \"y\"\nperson = \"id\"\n"
      "[[alternatives]]\nname = \"a\"\nattributes = { x = \"x\" }\n[[alternatives]]\nname = \"b\"\n";
  stopped(
      [&](const FitOptions& o) { return fit(rows(), ChoiceDeclaration::parse(linear, "memory"), {}, o); });
}

// Work without epochs tells where it stands, too: linear utilities, mixed ones, starts of a search.
TEST(Stop, AFitWithoutEpochsTellsWhereItStands) {
  const auto heard = [](auto&& fit) {
    std::set<std::string> stages;
    FitOptions options;
    options.on_progress = [&](const FitProgress& p) {
      EXPECT_TRUE(std::isnan(p.train_loss) && std::isnan(p.seconds_left)) << p.text;
      stages.insert(p.text.substr(0, p.text.find(':')));
    };
    fit(options);
    return stages;
  };
  const std::string wide =
      "[data]\nlayout = \"wide\"\nchoice = \"y\"\nperson = \"id\"\n"
      "[[alternatives]]\nname = \"a\"\nattributes = { x = \"x\" }\n[[alternatives]]\nname = \"b\"\n";
  const auto choices = [&](const std::string& more) {
    return heard([&](const FitOptions& o) {
      return fit(rows(), ChoiceDeclaration::parse(wide + more, "memory"), settings_of({}), o);
    });
  };
  EXPECT_THAT(choices(""), IsSupersetOf({"iterations", "second derivatives"}));
  EXPECT_THAT(choices("[random]\nx = \"normal\"\n"), IsSupersetOf({"iterations", "second derivatives"}));
  const Settings minimum = settings_of({{"target", "y"}, {"id", "id"}, {"single", "true"}, {"starts", "2"}});
  EXPECT_THAT(heard([&](const FitOptions& o) { return fit(rows(), minimum, o); }),
              IsSupersetOf({"starts tried", "starts at their minimum"}));
}

}  // namespace
}  // namespace bl
