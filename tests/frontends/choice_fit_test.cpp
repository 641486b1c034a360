// Choice models through the public interface, against answers that can be written down.
#include "bl/choice.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "bl/errors.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using Choice = ChoiceFixture;

TEST_F(Choice, SaturatedLogitHasItsClosedForm) {
  const auto schema = file("s.toml", two_by_two_schema("generic = [\"x\"]\nreference = \"b\"\n"));
  const FitSummary fit = fit_choice(data(two_by_two()), schema, Settings{});
  const auto coefficients = bl::coefficients(fit.model);
  ASSERT_EQ(coefficients.size(), 2U);
  EXPECT_EQ(coefficients[0].name, "constant[a]");
  EXPECT_NEAR(coefficients[0].estimate, logit(kP0), 1e-8);
  EXPECT_NEAR(coefficients[1].estimate, logit(kP1) - logit(kP0), 1e-8);
  const double v0 = 1 / (kN0 * kP0 * (1 - kP0)), v1 = 1 / (kN1 * kP1 * (1 - kP1));
  EXPECT_NEAR(coefficients[0].standard_error, std::sqrt(v0), 1e-8);
  EXPECT_NEAR(coefficients[1].standard_error, std::sqrt(v0 + v1), 1e-8);
  // In a saturated model the score products sum to the information.
  EXPECT_NEAR(coefficients[1].robust_error, std::sqrt(v0 + v1), 1e-8);
  EXPECT_TRUE(std::isnan(coefficients[1].clustered_error));
  const double expected =
      30 * std::log(kP0) + 50 * std::log(1 - kP0) + 45 * std::log(kP1) + 15 * std::log(1 - kP1);
  EXPECT_NEAR(metric(fit.train, "log_likelihood"), expected, 1e-8);
  EXPECT_NEAR(metric(fit.train, "null_log_likelihood"), 140 * std::log(0.5), 1e-8);
  EXPECT_NEAR(metric(fit.train, "rho_square"), 1 - expected / (140 * std::log(0.5)), 1e-9);
  EXPECT_NEAR(metric(fit.train, "accuracy"), 95.0 / 140, 1e-12);
}

TEST_F(Choice, WeightsCountAsRepetitions) {
  const std::string weighted = "y,x,w\na,0,30\nb,0,50\na,1,45\nb,1,15\n";
  const std::string schema = two_by_two_schema("generic = [\"x\"]\nreference = \"b\"\n");
  const FitSummary fit =
      fit_choice(data(weighted), file("s.toml", "[data]\nweight = \"w\"\n" + schema.substr(7)), Settings{});
  EXPECT_NEAR(bl::coefficients(fit.model)[1].estimate, logit(kP1) - logit(kP0), 1e-8);
}

TEST_F(Choice, ScoresOfAPersonAreSummedForClusteredErrors) {
  // Every situation twice, by the same person: clustered variances are twice the classical ones of the
  // doubled data.
  std::string csv = "y,x,id\n";
  int person = 0;
  const auto add = [&](const char* y, int x, int count) {
    for (int i = 0; i < count; ++i, ++person)
      for (int copy = 0; copy < 2; ++copy)
        csv += std::string(y) + "," + std::to_string(x) + "," + std::to_string(person) + "\n";
  };
  add("a", 0, 30);
  add("b", 0, 50);
  add("a", 1, 45);
  add("b", 1, 15);
  const std::string schema = two_by_two_schema("generic = [\"x\"]\n");
  const FitSummary fit =
      fit_choice(data(csv), file("s.toml", "[data]\nperson = \"id\"\n" + schema.substr(7)), Settings{});
  for (const ChoiceCoefficient& one : bl::coefficients(fit.model))
    EXPECT_NEAR(one.clustered_error, std::sqrt(2 * person / (person - 1.0)) * one.standard_error, 1e-8);
}

TEST_F(Choice, ASignThatTheDataContradictHoldsTheCoefficientAtZero) {
  const auto schema = file(
      "s.toml", two_by_two_schema("generic = [\"x\"]\nreference = \"b\"\nsigns = { x = \"negative\" }\n"));
  const FitSummary fit = fit_choice(data(two_by_two()), schema, Settings{});
  EXPECT_EQ(bl::coefficients(fit.model)[1].estimate, 0);
  EXPECT_TRUE(std::isnan(bl::coefficients(fit.model)[1].standard_error));
  EXPECT_NEAR(bl::coefficients(fit.model)[0].estimate, logit(75.0 / 140),
              1e-4);  // the bound is approached, not reached
  const auto agreeing = file(
      "p.toml", two_by_two_schema("generic = [\"x\"]\nreference = \"b\"\nsigns = { x = \"positive\" }\n"));
  EXPECT_NEAR(bl::coefficients(fit_choice(data(two_by_two()), agreeing, Settings{}).model)[1].estimate,
              logit(kP1) - logit(kP0), 1e-7);
}

TEST_F(Choice, ConstantsOfThreeAlternativesAreLogRatiosOfShares) {
  std::string csv = "trip,alt,y\n";
  int trip = 0;
  const auto add = [&](const char* chosen, int count) {
    for (int i = 0; i < count; ++i, ++trip)
      for (const char* one : {"bus", "car"})
        csv += std::to_string(trip) + "," + one + "," + (std::string(one) == chosen ? "1" : "0") + "\n";
  };
  add("bus", 20);
  add("car", 50);
  add("none", 30);
  const auto schema = file("s.toml",
                           "[data]\nlayout = \"long\"\nsituation = \"trip\"\nalternative = \"alt\"\nchosen = "
                           "\"y\"\noutside = \"none\"\n[attributes]\n");
  const FitSummary fit = fit_choice(data(csv), schema, Settings{});
  ASSERT_EQ(bl::coefficients(fit.model).size(), 2U);  // the outside option is the reference: utility 0
  EXPECT_NEAR(bl::coefficients(fit.model)[0].estimate, std::log(20.0 / 30), 1e-8);
  EXPECT_NEAR(bl::coefficients(fit.model)[1].estimate, std::log(50.0 / 30), 1e-8);
  const OutputTable shares = bl::market_shares(fit.model, data(csv));
  EXPECT_NEAR(shares.columns[1].numbers[2], 0.3, 1e-9);
  EXPECT_EQ(shares.columns[2].numbers[1], 0.5);
}

TEST_F(Choice, CollinearAttributesAreFittedWithANote) {
  const std::string schema = two_by_two_schema("generic = [\"one\", \"x\"]\nreference = \"b\"\n");
  const FitSummary fit = fit_choice(data(two_by_two()), file("s.toml", schema), Settings{});
  ASSERT_EQ(fit.notes.size(), 1U);
  EXPECT_THAT(fit.notes[0], HasSubstr("one (collinear with constant[a])"));
  // The constant of a and `one` are the same column: one of them is held; x is determined.
  EXPECT_FALSE(std::isnan(bl::coefficients(fit.model)[0].standard_error));
  EXPECT_TRUE(std::isnan(bl::coefficients(fit.model)[1].standard_error));
  EXPECT_NEAR(bl::coefficients(fit.model)[2].standard_error,
              std::sqrt(1 / (kN0 * kP0 * (1 - kP0)) + 1 / (kN1 * kP1 * (1 - kP1))), 1e-7);
}

constexpr const char* kNetwork =
    "[data]\nchoice = \"y\"\nperson = \"id\"\n[attributes]\nx = \"x{}\"\n[[alternatives]]\nname = "
    "\"a\"\n[[alternatives]]\nname = \"b\"\n"
    "[utility]\nform = \"network\"\ncontext = [\"kind\"]\n[settings]\nlayers = \"8\"\nepochs = 60\nmembers = "
    "2\n";

TEST_F(Choice, NetworkLearnsTastesOfTheDecisionMaker) {
  const Data table = data(taste_data());
  const FitSummary fit = fit_choice(table, file("s.toml", kNetwork), Settings{});
  EXPECT_LT(metric(fit.test, "cross_entropy"),
            0.35);  // ln 2 = 0.693 where tastes are not seen; at best 0.2 ln 2 = 0.139
  EXPECT_EQ(
      metric(fit.train, "situations") + metric(fit.validation, "situations") + metric(fit.test, "situations"),
      400);
  const OutputTable rows = fit.model.predict(table);
  ASSERT_EQ(rows.rows, 400U);
  for (std::size_t i = 0; i < rows.rows; ++i)
    EXPECT_NEAR(rows.columns[1].numbers[i] + rows.columns[2].numbers[i], 1, 1e-12);
  EXPECT_EQ(metric(fit.model.evaluate(table, Part::test), "log_likelihood"),
            metric(fit.test, "log_likelihood"));
}

TEST_F(Choice, FilesGiveTheSameModelForAnyNumberOfThreads) {
  const Data table = data(taste_data());
  Settings one_thread, three_threads;
  one_thread.threads = 1;
  three_threads.threads = 3;
  const auto schema = file("s.toml", kNetwork);
  const Model first = fit_choice(table, schema, one_thread).model;
  const auto path = file("model.bl", "");
  fit_choice(table, schema, three_threads).model.save(path);
  const Model second = Model::load(path);
  const OutputTable a = first.predict(table, Part::all, {.threads = 1});
  const OutputTable b = second.predict(table, Part::all, {.threads = 2});
  EXPECT_EQ(a.columns[1].numbers, b.columns[1].numbers);
  EXPECT_EQ(metric(second.evaluate(table, Part::validation), "situations"),
            metric(first.evaluate(table, Part::validation), "situations"));
}

TEST_F(Choice, OtherFilesAreRefusedInWords) {
  const auto path = file("broken.bl", "no model");
  EXPECT_THROW(Model::load(path), ModelFileError);
  const auto schema = file("s.toml", two_by_two_schema("generic = [\"x\"]\n"));
  const Model model = fit_choice(data(two_by_two()), schema, Settings{}).model;
  model.save(path);
  EXPECT_EQ(Model::load(path).describe(), model.describe());
  EXPECT_THROW(model.evaluate(data("y,x\na,2\n"), Part::test), DataError);
  Settings settings;
  settings.target = "y";
  EXPECT_THROW(fit_choice(data(two_by_two()), schema, settings), UsageError);
}

// The same for a table's model: what a file says of its fit is not what the reader asks for.
TEST_F(Choice, ASettingThatAModelFileCannotHaveIsThatFilesFault) {
  const auto schema = file("s.toml", two_by_two_schema("generic = [\"x\"]\n"));
  Settings settings;
  settings.fractions = "7:1:2";
  std::string bytes = fit_choice(data(two_by_two()), schema, settings).model.to_bytes();
  const std::size_t at = bytes.find("split\\\":\\\"auto");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 10, 4, "both");
  const Model model = Model::load(file("edited.bl", bytes), true);
  EXPECT_THROW(model.evaluate(data(two_by_two()), Part::test), ModelFileError);
}

// The published four-parameter logit. The published estimates are those of an optimizer that stopped up
// to 1.3e-6 before the maximum; the exact ones are from Newton's method in Python (numpy, gradient below
// 1e-13). Runs where the environment variable BL_DATA names a folder that holds swissmetro.dat.
TEST_F(Choice, SwissmetroIsReproduced) {
  const char* folder = std::getenv("BL_DATA");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/swissmetro.dat";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "set BL_DATA to a folder with swissmetro.dat";
  const auto schema =
      std::filesystem::path(BL_TEST_DATA).parent_path().parent_path() / "examples/swissmetro_mnl.toml";
  const FitSummary fit = fit_choice(Data::read(path, Settings{}), schema.string(), Settings{});
  EXPECT_EQ(metric(fit.train, "situations"), 6768);
  EXPECT_NEAR(metric(fit.train, "log_likelihood"), -5331.252, 5e-4);
  EXPECT_NEAR(metric(fit.train, "null_log_likelihood"), -6964.663, 5e-4);
  const std::vector<ChoiceCoefficient> published = {{"constant[train]", -0.701187, 0.054874, 0.082562, 0},
                                                    {"constant[car]", -0.154633, 0.043235, 0.058163, 0},
                                                    {"time", -1.277859, 0.056883, 0.104254, 0},
                                                    {"cost", -1.083790, 0.051830, 0.068225, 0}};
  const std::vector<double> exact = {-0.7011867125, -0.1546324225, -1.2778602549, -1.0837906515};
  ASSERT_EQ(bl::coefficients(fit.model).size(), published.size());
  for (std::size_t k = 0; k < published.size(); ++k) {
    const ChoiceCoefficient one = bl::coefficients(fit.model)[k];
    EXPECT_EQ(one.name, published[k].name);
    EXPECT_NEAR(one.estimate, exact[k], 5e-9);
    EXPECT_NEAR(one.estimate, published[k].estimate, 2e-6);
    EXPECT_NEAR(one.standard_error, published[k].standard_error, 1e-6);
    EXPECT_NEAR(one.robust_error, published[k].robust_error, 1e-6);
  }
}

}  // namespace
}  // namespace bl
