#include "bl/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;
using Kind = SettingInfo::Kind;

std::string refusal(const std::string& name, const std::string& value) {
  Settings settings;
  return test::message_of<UsageError>([&] { set(settings, name, value); });
}

TEST(Settings, EachIsDeclaredOnceWithAHelpText) {
  std::set<std::string_view> names;
  for (const SettingInfo& info : setting_list()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.group.empty()) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_EQ(info.help.find('\n'), info.help.npos) << info.name;
  }
  EXPECT_TRUE(names.contains("target"));
  EXPECT_TRUE(names.contains("time_limit"));
}

TEST(Settings, DefaultsAreAdmissibleAndReadBack) {
  Settings settings;
  for (const SettingInfo& info : setting_list()) {
    EXPECT_EQ(get(settings, info.name), info.default_value);
    set(settings, info.name, info.default_value);
    EXPECT_EQ(get(settings, info.name), info.default_value);
  }
}

TEST(Settings, AreSetByNameWithEitherDash) {
  Settings settings;
  set(settings, "learning_rate", "0.25");
  EXPECT_EQ(settings.learning_rate, 0.25);
  set(settings, "learning-rate", "1e-3");
  EXPECT_EQ(settings.learning_rate, 1e-3);
  EXPECT_EQ(get(settings, "learning-rate"), "0.001");
  set(settings, "seed", "9007199254740991");
  EXPECT_EQ(settings.seed, 9007199254740991);
  set(settings, "single", "true");
  EXPECT_TRUE(settings.single);
  set(settings, "skip", "dense");
  EXPECT_EQ(settings.skip, "dense");
  set(settings, "target", "a, b");
  EXPECT_EQ(settings.target, "a, b");
}

TEST(Settings, RangesIncludeTheirEndsAndNothingBeyond) {
  for (const SettingInfo& info : setting_list()) {
    if (info.kind != Kind::number && info.kind != Kind::integer) continue;
    Settings settings;
    const auto text = [](double value) {
      std::ostringstream out;
      out.precision(17);
      out << value;
      return value == std::floor(value) ? std::to_string(static_cast<long long>(value)) : out.str();
    };
    set(settings, info.name, text(info.lowest));
    set(settings, info.name, text(info.highest));
    EXPECT_THAT(refusal(std::string(info.name), text(info.lowest - 1)), HasSubstr(std::string(info.name)));
    EXPECT_THAT(refusal(std::string(info.name), text(2 * info.highest + 2)), HasSubstr("expected"));
  }
}

TEST(Settings, RefusalsNameSettingValueAndWhatIsExpected) {
  EXPECT_EQ(refusal("learning_rate", "fast"), "`learning_rate` = 'fast': expected a number from 0 to 1000");
  for (const char* value : {"", " 1", "1 ", "nan", "inf", "0x10", "1,5"})
    EXPECT_THAT(refusal("learning_rate", value), HasSubstr("expected a number")) << value;
  EXPECT_THAT(refusal("seed", "1.5"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("seed", "99999999999999999999"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("single", "yes"), HasSubstr("true or false"));
  EXPECT_THAT(refusal("optimizer", "admw"), HasSubstr("did you mean 'adamw'"));
  EXPECT_THAT(refusal("lerning_rate", "1"),
              HasSubstr("unknown setting 'lerning_rate'; did you mean 'learning_rate'"));
  EXPECT_EQ(refusal("quite_another_thing", "1"), "unknown setting 'quite_another_thing'");
}

TEST(SettingsFile, RoundTripKeepsEveryValue) {
  Settings settings;
  set(settings, "target", "a \"quoted\", back\\slash, caf\xC3\xA9");
  set(settings, "na", "two\nlines\tand a tab");
  set(settings, "temperature", "0.1");
  set(settings, "seed", "9007199254740991");
  set(settings, "identifiable", "true");
  set(settings, "readout", "free");
  Settings again;
  read_settings_text(again, write_settings_file(settings), "fit.toml");
  for (const SettingInfo& info : setting_list())
    EXPECT_EQ(get(again, info.name), get(settings, info.name)) << info.name;
}

TEST(SettingsFile, ErrorsNameFileAndLine) {
  const auto refused = [](const std::string& text) {
    Settings settings;
    return test::message_of<UsageError>([&] { read_settings_text(settings, text, "fit.toml"); });
  };
  EXPECT_EQ(refused("seed = 1\n\nlayrs = '2'\n"),
            "fit.toml:3: unknown setting 'layrs'; did you mean 'layers'?");
  EXPECT_THAT(refused("seed = 1.5\n"), HasSubstr("fit.toml:1: `seed` = '1.5'"));
  EXPECT_THAT(refused("single = 'true '\n"), HasSubstr("fit.toml:1: `single`"));
  EXPECT_THAT(refused("layers = [5, 3]\n"), HasSubstr("fit.toml:1: `layers` must be"));
  EXPECT_THAT(refused("[model]\nlayers = '5'\n"), HasSubstr("fit.toml:1: `model`"));
  EXPECT_THAT(refused("seed = 1\nseed = 2\n"), HasSubstr("fit.toml:2"));
  EXPECT_THAT(refused("seed =\n"), HasSubstr("fit.toml:1"));
}

TEST(SettingsFile, LeavesAloneWhatItDoesNotName) {
  Settings settings;
  settings.seed = 5;
  read_settings_text(settings, "skip = 'input'\n", "fit.toml");
  EXPECT_EQ(settings.seed, 5);
  EXPECT_EQ(settings.skip, "input");
}

TEST(SettingsFile, WhatNobodyGaveIsCommentedOut) {
  Settings settings;
  settings.seed = 0;
  const std::string file = write_settings_file(settings);
  EXPECT_THAT(file, HasSubstr("\nseed = 0\n"));
  EXPECT_THAT(file, HasSubstr("\n#threads = 0\n"));
  EXPECT_THAT(file, HasSubstr("\n#fractions = \"7:1:2\"\n"));
  Settings again;
  read_settings_text(again, file, "fit.toml");
  for (const SettingInfo& info : setting_list())
    EXPECT_EQ(is_given(again, info.name), info.name == "seed") << info.name;
}

TEST(GivenSettings, AreThoseSetOrAssignedAlsoToTheDefault) {
  Settings settings;
  for (const SettingInfo& info : setting_list()) EXPECT_FALSE(is_given(settings, info.name)) << info.name;
  for (const SettingInfo& info : setting_list()) {
    Settings one;
    set(one, info.name, info.default_value);
    for (const SettingInfo& other : setting_list())
      EXPECT_EQ(is_given(one, other.name), other.name == info.name) << info.name;
  }
  settings.fractions = "7:1:2";
  settings.momentum = 0.9;
  settings.epochs = 0;
  settings.single = false;
  EXPECT_TRUE(settings.fractions.given() && settings.momentum.given() && settings.epochs.given() &&
              settings.single.given());
  const Settings copy = settings;
  EXPECT_TRUE(is_given(copy, "fractions"));
  settings.fractions = Settings{}.fractions;  // taken back
  EXPECT_FALSE(is_given(settings, "fractions"));
}

TEST(GivenSettings, AValueMayStandWithoutBeingGiven) {
  Settings settings;
  set_default(settings, "seed", "7");
  set_default(settings, "schedule", "cosine");
  EXPECT_EQ(settings.seed, 7);
  EXPECT_EQ(settings.schedule, "cosine");
  EXPECT_FALSE(is_given(settings, "seed") || is_given(settings, "schedule"));
  EXPECT_THROW(set_default(settings, "seed", "many"), UsageError);
}

TEST(AssignedSettings, AreCheckedLikeThoseOfTheCommandLine) {
  const auto refused = [](const auto& assign) {
    Settings settings;
    assign(settings);
    return test::message_of<UsageError>([&] { validate(settings); });
  };
  EXPECT_EQ(refused([](Settings& s) { s.skip = "dens"; }), refusal("skip", "dens"));
  EXPECT_THAT(refusal("skip", "dens"), HasSubstr("did you mean 'dense'"));
  EXPECT_EQ(refused([](Settings& s) { s.learning_rate = -1; }), refusal("learning_rate", "-1"));
  EXPECT_EQ(refused([](Settings& s) { s.learning_rate = std::nan(""); }), refusal("learning_rate", "nan"));
  EXPECT_EQ(refused([](Settings& s) { s.degree = 9; }), refusal("degree", "9"));
  EXPECT_NO_THROW(validate(Settings{}));
}

TEST(AssignedSettings, AreCheckedByAFit) {
  const Data data = Data::from_columns({{"x", {1, 2, 3, 4}, {}}, {"y", {1, 3, 2, 4}, {}}}, "memory");
  Settings settings;
  settings.target = "y";
  settings.skip = "dens";
  EXPECT_EQ(test::message_of<UsageError>([&] { fit(data, settings); }), refusal("skip", "dens"));
}

}  // namespace
}  // namespace bl
