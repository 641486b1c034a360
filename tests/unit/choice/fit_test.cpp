// What a fit of choices takes from settings and options, and what it says of itself.
#include "choice/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

// Three choices of each of 40 persons between a and b.
Data choices() {
  std::vector<double> xa, xb, who;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 120; ++i) {
    xa.push_back(std::sin(1.3 * i));
    xb.push_back(std::sin(0.7 * i * i));
    who.push_back(i / 3);
    const double taste = i / 3 % 3 == 0 ? -1 : 1.5;
    y.emplace_back(taste * (xa.back() - xb.back()) + std::cos(2.9 * i * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"xa", xa, {}}, {"xb", xb, {}}, {"who", who, {}}, {"y", {}, y}}, "choices");
}

ChoiceDeclaration declared(const std::string& form = "") {
  ChoiceDeclaration d;
  d.choice = "y";
  d.person = "who";
  d.form = form;
  d.alternatives = {{.name = "a", .attributes = {{"x", "xa"}}}, {.name = "b", .attributes = {{"x", "xb"}}}};
  return d;
}
ChoiceDeclaration mixed(const ChoiceDeclaration::Named& draws = {}) {
  ChoiceDeclaration d = declared();
  d.random = {{"x", "normal"}};
  d.draws = {{"count", "20"}};
  d.draws.insert(d.draws.end(), draws.begin(), draws.end());
  return d;
}
ChoiceDeclaration latent(const ChoiceDeclaration::Named& more = {}) {
  ChoiceDeclaration d = declared();
  d.latent = {{"classes", "2"}};
  d.latent.insert(d.latent.end(), more.begin(), more.end());
  return d;
}

Settings given(const std::vector<std::pair<std::string, std::string>>& settings) {
  Settings out;
  for (const auto& [name, value] : settings) set(out, name, value);
  return out;
}

std::vector<double> estimates(const ChoiceDeclaration& d, const Settings& settings,
                              bool list_unused = false) {
  FitOptions options;
  options.list_unused = list_unused;
  std::vector<double> out;
  for (const ChoiceCoefficient& one : coefficients(fit(choices(), d, settings, options).model))
    out.push_back(one.estimate);
  return out;
}

std::string refusal(const ChoiceDeclaration& d, const Settings& settings, const FitOptions& options = {}) {
  return test::message_of<UsageError>([&] { fit(choices(), d, settings, options); });
}

TEST(ChoiceFit, TheSeedIsThatOfTheDraws) {
  const std::vector<double> five = estimates(mixed({{"seed", "5"}}), {});
  EXPECT_EQ(estimates(mixed(), given({{"seed", "5"}})), five);
  EXPECT_NE(estimates(mixed(), {}), five);
  ChoiceDeclaration in_settings = mixed();
  in_settings.settings = {{"seed", "5"}};
  EXPECT_EQ(estimates(in_settings, {}), five);
  // The declaration's own counts first, and a second one is not passed over.
  EXPECT_EQ(estimates(mixed({{"seed", "5"}}), given({{"seed", "6"}}), true), five);
  EXPECT_THAT(refusal(mixed({{"seed", "5"}}), given({{"seed", "6"}})),
              HasSubstr("`seed` = '6' has no effect"));
  EXPECT_EQ(estimates(mixed({{"seed", "5"}}), given({{"seed", "5"}})), five);
}

TEST(ChoiceFit, SeedAndStartsAreThoseOfTheSearchForClasses) {
  const auto stored = [](const ChoiceDeclaration& d, const Settings& settings) {
    const Model model = fit(choices(), d, settings).model;
    const auto& choice = *model.impl().stored.choice();
    return std::pair(choice.schema.latent->starts, choice.schema.latent->seed);
  };
  EXPECT_EQ(stored(latent(), given({{"seed", "5"}, {"starts", "3"}})),
            std::pair(std::int64_t{3}, std::uint64_t{5}));
  EXPECT_EQ(stored(latent({{"seed", "9"}}), given({{"starts", "3"}})),
            std::pair(std::int64_t{3}, std::uint64_t{9}));
  EXPECT_EQ(estimates(latent(), given({{"seed", "5"}, {"starts", "3"}})),
            estimates(latent({{"starts", "3"}, {"seed", "5"}}), {}));
  EXPECT_THAT(refusal(latent({{"starts", "3"}}), given({{"starts", "4"}})), HasSubstr("`starts` = '4'"));
}

TEST(ChoiceFit, APlainLogitHasNoUseForSeedSplitAndLevels) {
  for (const auto& [name, value] :
       {std::pair("seed", "5"), std::pair("split", "random"), std::pair("unseen", "error")})
    EXPECT_THAT(refusal(declared(), given({{name, value}})), HasSubstr("no effect on a linear utility"))
        << name;
  const Settings cut = given({{"fractions", "2:1:1"}, {"seed", "5"}, {"split", "random"}});
  EXPECT_NE(estimates(declared(), cut),
            estimates(declared(), given({{"fractions", "2:1:1"}, {"seed", "6"}, {"split", "random"}})));
}

TEST(ChoiceFit, PartsAndAModelToGoOnFromAreRefused) {
  FitOptions parts, start;
  parts.parts.assign(120, Part::train);
  start.start = fit(choices(), declared(), {}).model;
  for (const char* form : {"linear", "network"})
    for (const FitOptions& options : {parts, start})
      EXPECT_THAT(refusal(declared(form), {}, options), HasSubstr("from their own starts"));
}

TEST(ChoiceFit, WhatKeepsNoCheckpointDoesNotGoOnFromOne) {
  FitOptions options;
  options.resume = true;
  const Settings minimum = given({{"single", "true"}, {"heads", "1,0,0"}, {"starts", "1"}});
  EXPECT_THAT(refusal(declared("network"), minimum, options), HasSubstr("begins anew; leave out `resume`"));
  EXPECT_THAT(refusal(mixed(), {}, options), HasSubstr("begins anew; leave out `resume`"));
}

TEST(ChoiceFit, ABadSettingOfTheSchemaIsFoundByItsLine) {
  const std::string schema =
      "[data]\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\nattributes = { x = \"xa\" }\n"
      "[[alternatives]]\nname = \"b\"\nattributes = { x = \"xb\" }\n[settings]\nfractions = \"2:1:1\"\n"
      "epochs = \"many\"\n";
  const ChoiceDeclaration d = ChoiceDeclaration::parse(schema, "s.toml");
  EXPECT_THAT(refusal(d, {}), testing::StartsWith("s.toml:11: `epochs` = 'many'"));
}

// As a fit of a table does.
TEST(ChoiceFit, EveryKindSaysAndKeepsHowItEnded) {
  struct Case {
    ChoiceDeclaration declaration;
    Settings settings;
  };
  const std::vector<Case> kinds = {
      {declared(), {}},
      {mixed(), {}},
      {latent(), given({{"starts", "2"}})},
      {declared("network"), given({{"layers", "2"}, {"members", "2"}, {"epochs", "3"}})},
      {declared("network"), given({{"single", "true"},
                                   {"heads", "1,0,0"},
                                   {"utility", "identity"},
                                   {"degree", "1"},
                                   {"starts", "1"}})}};
  for (const Case& kind : kinds) {
    const FitSummary summary = fit(choices(), kind.declaration, kind.settings);
    const bool steps = kind.settings.layers.given();
    EXPECT_EQ(summary.stop_reason, steps ? "epochs used up" : "converged");
    EXPECT_GT(summary.peak_megabytes, 1);
    EXPECT_NEAR(summary.table_megabytes, 120 * (3 * 8 + 4) / 1048576.0, 1e-12);
    EXPECT_GT(summary.encoded_megabytes, 0);
    EXPECT_GT(summary.epochs, 0);
    const nlohmann::json& training = summary.model.impl().stored.information.at("training");
    EXPECT_EQ(training.at("stop_reason"), summary.stop_reason);
    EXPECT_EQ(training.at("stop_cause"), summary.stop_cause);
    EXPECT_EQ(training.at("epochs"), summary.epochs);
    EXPECT_EQ(training.at("best_epoch"), summary.best_epoch);
    EXPECT_EQ(training.at("members"), steps ? 2 : 1);
    EXPECT_EQ(training.at("history").size(), steps ? 6U : 0U);
    EXPECT_THAT(summary.model.describe(),
                HasSubstr("training    " + std::to_string(summary.epochs) + " epochs"));
  }
}

// The digest of a column of the chosen, as a table's is made; files keep it, so it stays.
TEST(ChoiceFit, TheDigestOfResponsesIsThatOfAColumnOfThem) {
  const Data data = choices();
  Table table;
  table.rows = 120;
  table.columns.push_back(
      {.name = "chosen", .raw = RawType::numeric, .numbers = {}, .codes = {}, .levels = {}});
  std::vector<double> chosen;
  for (Index i = 0; i < 120; ++i) chosen.push_back(data.impl().table.column("y").cell_text(i) == "a" ? 0 : 1);
  table.columns[0].numbers = {chosen.begin(), chosen.end()};
  const Model model = fit(data, declared(), {}).model;
  const nlohmann::json& facts = model.impl().stored.inference->facts;
  EXPECT_EQ(facts["response_digest"], table_digest(table));
  EXPECT_EQ(facts["response_digest"], "bb0ad173948336b1");
}

}  // namespace
}  // namespace bl
