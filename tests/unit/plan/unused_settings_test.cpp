// A setting that was given and has no effect on the fit is refused, by every front end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "artifact/model_file.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "fitted/fitted_model.hpp"
#include "plan/stored_settings.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;
using Given = std::vector<std::pair<std::string, std::string>>;

// A feature, a class and a number; tb: an attribute of an alternative b, beside x of an alternative a.
Data rows(int count = 40) {
  std::vector<double> x, v, tb;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < count; ++i) {
    x.push_back(std::sin(1.3 * i));
    tb.push_back(std::sin(0.7 * i));
    v.push_back(std::cos(2.1 * i));
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"v", v, {}}, {"tb", tb, {}}, {"y", {}, y}}, "memory");
}

Settings settings_of(const Given& given) {
  Settings settings;
  settings.epochs = 1;
  for (const auto& [name, value] : given) set(settings, name, value);
  return settings;
}
std::string refusal(const Given& given) {
  return test::message_of<UsageError>([&] { fit(rows(), settings_of(given)); });
}

const Given kClass = {{"target", "y"}, {"layers", "2"}};
const Given kNumber = {{"target", "v"}, {"ignore", "y"}, {"layers", "2"}};
const Given kBoth = {{"target", "y,v"}, {"layers", "2"}};
const Given kScores = {{"target", "v"}, {"ignore", "y"}, {"layers", "2"}, {"objective", "dsm"}};
const Given kLbfgs = {{"target", "y"}, {"layers", "2"}, {"optimizer", "lbfgs"}};
const Given kSgd = {{"target", "y"}, {"layers", "2"}, {"optimizer", "sgd"}};
const Given kMinimum = {{"target", "y"}, {"layers", "1"}, {"starts", "1"}};
const Given kSingle = {{"target", "y"}, {"single", "true"}};

Given with(Given given, const std::string& name, const std::string& value) {
  given.emplace_back(name, value);
  return given;
}

TEST(UnusedSettings, AreListedWhereThatIsWhatTheCallerWants) {
  const Settings settings = settings_of(with(with(kClass, "momentum", "0.5"), "sigma", "0.2"));
  FitOptions options;
  options.list_unused = true;
  const FitSummary summary = fit(rows(), settings, options);
  ASSERT_EQ(summary.unused.size(), 2U);
  EXPECT_THAT(summary.unused[0],
              HasSubstr("`sigma` = '0.2' has no effect here"));  // in the order of settings
  EXPECT_THAT(summary.unused[1], HasSubstr("`momentum` = '0.5' has no effect here"));
  EXPECT_TRUE(fit(rows(), settings_of(kClass), options).unused.empty());
}

TEST(UsedSettings, HaveWhatWasDecidedAndOnlyThat) {
  const auto used = [](const Given& given) {
    const FitSummary summary = fit(rows(), settings_of(given));
    return nlohmann::json::parse(summary.model.information_json())["information"]["used"];
  };
  const auto network = used(kClass);
  EXPECT_EQ(network["optimizer"], "adam");
  EXPECT_EQ(network["learning_rate"], "0.01");
  EXPECT_EQ(network["objective"], "likelihood");
  EXPECT_FALSE(network.contains("layers"));  // it was given, and so was epochs
  EXPECT_FALSE(network.contains("epochs"));
  const auto minimum = used({{"target", "y"}, {"single", "true"}, {"identifiable", "true"}, {"starts", "2"}});
  EXPECT_EQ(minimum["optimizer"], "lbfgs");
  EXPECT_EQ(minimum["heads"], "1,3,2");
  EXPECT_FALSE(minimum.contains("layers"));  // a single block has none
}

TEST(UnusedSettings, AreRefusedWhereTheyHaveNoEffectAndOnlyThere) {
  struct Case {
    std::string name, value;
    std::vector<Given> refused, taken;
    std::string belongs_to;
  };
  const std::vector<Case> cases = {
      {"label_smoothing", "0.1", {kNumber, kBoth}, {kClass}, "classes"},
      {"monitor", "accuracy", {kNumber, kMinimum}, {kClass}, "accuracy"},
      {"refit", "all", {kMinimum}, {kClass, kNumber}, "tables"},
      {"point_masses", "none", {kClass, kBoth}, {kNumber}, "one number"},
      {"response_transform", "none", {kClass, kBoth}, {kNumber}, "one number"},
      {"shifts", "auto", {kNumber, kBoth}, {kClass}, "classes"},
      {"precision", "float32", {kMinimum}, {kClass, kLbfgs}, "other than those to the minimum"},
      {"text_ngrams", "1", {kClass}, {}, "running text"},
      {"momentum", "0.5", {kClass, kLbfgs, kMinimum}, {kSgd}, "sgd"},
      {"gradient_tolerance", "0.1", {kClass, kSgd, kMinimum}, {kLbfgs}, "lbfgs"},
      {"learning_rate", "0.02", {kLbfgs, kMinimum}, {kClass, kSgd}, "adam, adamw and sgd"},
      {"batch_size", "16", {kLbfgs, kMinimum}, {kClass}, "adam, adamw and sgd"},
      {"weight_decay", "0.1", {kLbfgs, kMinimum}, {kClass, kSgd}, "adam, adamw and sgd"},
      {"clip_norm", "2", {kLbfgs, kMinimum}, {kClass}, "adam, adamw and sgd"},
      {"schedule", "cosine", {kLbfgs, kMinimum}, {kClass}, "adam, adamw and sgd"},
      {"average", "0.5", {kLbfgs, kMinimum}, {kClass}, "adam, adamw and sgd"},
      {"patience", "5", {kMinimum}, {kClass, kLbfgs}, "other than those to the minimum"},
      {"time_limit", "9", {kMinimum}, {kClass, kLbfgs}, "other than those to the minimum"},
      {"sigma", "0.2", {kClass, kNumber}, {kScores, kBoth}, "score matching"},
      {"draws", "2", {kClass, kNumber}, {kScores, kBoth}, "score matching"},
      {"sigma_final", "0.1", {kClass, kNumber, with(kScores, "optimizer", "lbfgs")}, {kScores}, "by adam"},
      {"gamma_d", "2", {kClass, kNumber, kScores}, {kBoth}, "hybrid"},
      {"gamma_c", "2", {kClass, kNumber, kScores}, {kBoth}, "hybrid"},
      {"panels", "4", {kClass, kScores, kBoth}, {kNumber}, "likelihood of a continuous response"},
      {"support", "-9:9", {kClass}, {kNumber, kScores, kBoth}, "a continuous response"},
      {"skip", "input", {kSingle}, {kClass}, "a single block has none"},
      {"readout", "free", {kSingle}, {kClass}, "a single block has none"},
      {"readout_bias", "true", {kSingle}, {kClass}, "a single block has none"}};
  for (const Case& one : cases) {
    for (const Given& given : one.refused) {
      const std::string message = refusal(with(given, one.name, one.value));
      EXPECT_THAT(message, HasSubstr("`" + one.name + "` = '" + one.value + "' has no effect"));
      EXPECT_THAT(message, HasSubstr("it is for "));
      EXPECT_THAT(message, HasSubstr(one.belongs_to));
    }
    for (const Given& given : one.taken)
      EXPECT_NO_THROW(fit(rows(), settings_of(with(given, one.name, one.value)))) << one.name;
  }
}

// The value of a setting that asks for nothing is no contradiction.
TEST(UnusedSettings, NothingAskedForIsNothingRefused) {
  for (const auto& [name, value] :
       {std::pair("weight_decay", "0"), std::pair("clip_norm", "0"), std::pair("average", "0")})
    EXPECT_NO_THROW(fit(rows(), settings_of(with(kLbfgs, name, value)))) << name;
}

TEST(UnusedSettings, ADefaultThatWasGivenIsRefusedLikeAnyOtherValue) {
  EXPECT_NO_THROW(fit(rows(), settings_of(kLbfgs)));
  EXPECT_THAT(refusal(with(kLbfgs, "momentum", "0.9")), HasSubstr("`momentum` = '0.9' has no effect"));
  EXPECT_THAT(refusal(with(kClass, "sigma", "0.3")), HasSubstr("`sigma` = '0.3' has no effect"));
  Settings assigned = settings_of(kSingle);
  assigned.skip = "none";
  EXPECT_THAT(test::message_of<UsageError>([&] { fit(rows(), assigned); }), HasSubstr("`skip` = 'none'"));
}

FitSummary fit_choices(const std::string& utility, const Given& given, const std::string& more = "") {
  const std::string schema =
      "[data]\nlayout = \"wide\"\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\nattributes = { t = \"x\" "
      "}\n"
      "[[alternatives]]\nname = \"b\"\nattributes = { t = \"tb\" }\n[utility]\nform = \"" +
      utility + "\"\n" + more;
  Settings settings;
  for (const auto& [name, value] : given) set(settings, name, value);
  return fit(rows(400), ChoiceDeclaration::parse(schema, "memory"), settings);
}

TEST(UnusedSettings, OfANetworkMeanNothingToALinearUtility) {
  for (const auto& [name, value] :
       Given{{"temperature", "2"},    {"layers", "3"},          {"members", "2"},
             {"single", "true"},      {"identifiable", "true"}, {"heads", "1,1,0"},
             {"utility", "identity"}, {"degree", "2"},          {"starts", "3"},
             {"optimizer", "adam"},   {"learning_rate", "0.1"}, {"batch_size", "16"},
             {"patience", "3"},       {"time_limit", "5"},      {"sigma", "0.2"},
             {"skip", "input"},       {"skip", "none"},         {"refit", "all"},
             {"text_ngrams", "1"},    {"text_components", "8"}, {"missing", "impute"},
             {"outliers", "robust"},  {"precision", "float32"}, {"seed", "4"},
             {"split", "random"},     {"unseen", "error"}}) {
    const std::string message = test::message_of<UsageError>([&] { fit_choices("linear", {{name, value}}); });
    EXPECT_THAT(message, HasSubstr("`" + name + "` = '" + value + "'"));
    EXPECT_THAT(message, HasSubstr("no effect on a linear utility"));
    EXPECT_THAT(message, HasSubstr("form = \"network\""));
  }
  // What counts, and what says what is done anyway.
  EXPECT_NO_THROW(fit_choices("linear", {{"fractions", "8:1:1"},
                                         {"seed", "4"},
                                         {"threads", "1"},
                                         {"epochs", "50"},
                                         {"optimizer", "lbfgs"},
                                         {"objective", "likelihood"},
                                         {"precision", "float64"},
                                         {"missing", "error"},
                                         {"outliers", "plain"},
                                         {"unseen", "missing"},
                                         {"refit", "none"}}));
}

// A linear utility is fitted to all situations, unless parts are asked for.
TEST(GivenSettings, FractionsOfALinearChoiceCountAlsoWhereTheyAreTheDefault) {
  EXPECT_TRUE(fit_choices("linear", {}).test.empty());
  EXPECT_FALSE(fit_choices("linear", {{"fractions", "7:1:2"}}).test.empty());
}

TEST(UnusedSettings, OfANetworkOfChoices) {
  const Given small = {{"layers", "2"}, {"epochs", "1"}};
  EXPECT_NO_THROW(fit_choices("network", with(small, "temperature", "2")));
  for (const auto& [name, value] : Given{{"sigma", "0.2"},
                                         {"support", "0:1"},
                                         {"momentum", "0.5"},
                                         {"refit", "all"},
                                         {"text_ngrams", "1"},
                                         {"shifts", "pixel"},
                                         {"response_transform", "log"},
                                         {"point_masses", "none"},
                                         {"knots", "5"}})
    EXPECT_THAT(test::message_of<UsageError>([&] { fit_choices("network", with(small, name, value)); }),
                HasSubstr("has no effect here"))
        << name;
  EXPECT_THAT(test::message_of<UsageError>([&] { fit_choices("network", with(small, "text", "v")); }),
              HasSubstr("`text` has no meaning for choices"));
}

// The context may enter as curves; their bends are not smoothed as those of tables are.
TEST(UnusedSettings, OfCurvesInTheContextOfChoices) {
  const Given curves = {{"layers", "2"}, {"epochs", "1"}, {"curves", "v"}};
  const auto fit_curves = [](const Given& given) { fit_choices("network", given, "context = [\"v\"]\n"); };
  EXPECT_NO_THROW(fit_curves(with(with(curves, "knots", "5"), "curve_ends", "straight")));
  EXPECT_THAT(test::message_of<UsageError>([&] { fit_curves(with(curves, "smoothness", "0.1")); }),
              HasSubstr("curves of a table"));
}

// What the file of a model says of them.
TEST(StoredSettings, AreGivenWhereTheyWereAlsoAtTheirDefaults) {
  const Given given = with(with(kClass, "skip", "none"), "precision", "float32");
  const Model model = Model::from_bytes(fit(rows(), settings_of(given)).model.to_bytes(), "m.bl");
  const Settings stored = fit_settings(model.impl());
  for (const SettingInfo& info : setting_list())
    EXPECT_EQ(is_given(stored, info.name), is_given(settings_of(given), info.name)) << info.name;
  EXPECT_EQ(get(stored, "fractions"), "7:1:2");
}

// Files of earlier versions have the values alone.
TEST(StoredSettings, OfEarlierFilesAreGivenWhereTheyAreNotTheDefaults) {
  StoredModel earlier = fit(rows(), settings_of(with(kClass, "skip", "none"))).model.impl().stored;
  earlier.information.erase("given");
  const Settings stored = stored_settings(earlier.information);
  EXPECT_TRUE(is_given(stored, "target") && is_given(stored, "layers") && is_given(stored, "epochs"));
  EXPECT_FALSE(is_given(stored, "skip") || is_given(stored, "seed"));
}

TEST(StoredSettings, NamesThatAreNoListAreAnErrorOfTheModelFile) {
  StoredModel bad = fit(rows(), settings_of(kClass)).model.impl().stored;
  bad.information["given"] = "all";
  const std::string bytes = artifact::serialize(to_tensor_file(bad));
  EXPECT_THROW(Model::from_bytes(bytes, "m.bl"), ModelFileError);
}

}  // namespace
}  // namespace bl
