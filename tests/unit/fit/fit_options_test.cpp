// What a caller with rows in memory may ask of a fit: parts of its own, no test part, a model to go on from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/output.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

Data rows(int count) {
  std::vector<double> x;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < count; ++i) {
    x.push_back(std::sin(1.3 * i));
    y.emplace_back(i % 10 == 0 ? "rare" : std::sin(1.3 * i) > 0 ? "up" : "down");
  }
  return Data::from_columns({{"x", x, {}}, {"y", {}, y}}, "memory");
}

Settings small() {
  Settings settings;
  settings.target = "y";
  settings.layers = "3";
  settings.epochs = 6;
  return settings;
}

std::string predictions(const Model& model, const Data& data) {
  return format_table(model.predict(data, Part::all, {}), TableFormat::csv, true);
}

TEST(FitOptions, PartsAreThoseOfTheCaller) {
  FitOptions options;
  options.parts.assign(40, Part::train);
  options.parts[3] = options.parts[17] = Part::validation;
  options.parts[30] = Part::test;
  const FitSummary summary = fit(rows(40), small(), options);
  EXPECT_EQ(summary.train_rows, 37U);
  EXPECT_EQ(summary.validation_rows, 2U);
  EXPECT_EQ(summary.test_rows, 1U);
  EXPECT_THAT(test::message_of<UsageError>([&] { summary.model.part_rows(rows(40), Part::test); }),
              HasSubstr("row by row"));
  options.parts.pop_back();
  EXPECT_THAT(test::message_of<UsageError>([&] { fit(rows(40), small(), options); }), HasSubstr("39 parts"));
  options.parts.assign(40, Part::test);
  EXPECT_THAT(test::message_of<UsageError>([&] { fit(rows(40), small(), options); }), HasSubstr("training"));
}

// The fit judges rows with such a level, other commands refuse them: it says so.
TEST(FitOptions, LevelsOfHeldOutRowsAloneAreNoted) {
  std::vector<std::optional<std::string>> town, y;
  for (int i = 0; i < 40; ++i) {
    town.emplace_back(i == 30 ? "atlantis" : i % 3 == 0 ? "ghent" : "bruges");
    y.emplace_back(i % 2 == 0 ? "up" : "down");
  }
  const Data data = Data::from_columns({{"town", {}, town}, {"y", {}, y}}, "memory");
  FitOptions options;
  options.parts.assign(40, Part::train);
  const auto noted = [&](const Settings& settings) {
    const std::vector<std::string> notes = fit(data, settings, options).notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("'atlantis'") != std::string::npos &&
             note.find("`unseen_as_missing`") != std::string::npos;
    });
  };
  EXPECT_FALSE(noted(small()));
  options.parts[30] = Part::test;
  EXPECT_TRUE(noted(small()));
  Settings lenient = small();
  lenient.unseen = "missing";
  EXPECT_FALSE(noted(lenient));
}

// Without a test part the fit is that of the settings it names, so the command line can repeat it.
TEST(FitOptions, TrainingRowsOnlyIsAFitWithStratifiedRowsAndNoTestPart) {
  FitOptions options;
  options.training_rows_only = true;
  const FitSummary summary = fit(rows(80), small(), options);
  EXPECT_EQ(summary.train_rows, 70U);
  EXPECT_EQ(summary.test_rows, 0U);
  Settings named = small();
  named.fractions = "7:1:0";
  named.split = "stratified";
  EXPECT_EQ(fit(rows(80), named).model.to_bytes(), summary.model.to_bytes());
  Settings own = small();
  own.fractions = "3:1:1";
  EXPECT_EQ(fit(rows(80), own, options).test_rows, 16U);
}

TEST(FitOptions, GoesOnFromAModel) {
  const Data data = rows(80);
  Settings settings = small();
  settings.members = 2;
  settings.average = 0;
  const FitSummary first = fit(data, settings);
  FitOptions options;
  options.start = first.model;
  Settings none = settings;
  none.learning_rate = 1e-12;  // so that nothing is learned beyond the start
  none.epochs = 1;
  const OutputTable before = first.model.predict(data, Part::all, {});
  const OutputTable after = fit(data, none, options).model.predict(data, Part::all, {});
  for (std::size_t c = 1; c < before.columns.size(); ++c)
    for (std::size_t i = 0; i < before.rows; ++i)
      EXPECT_NEAR(before.columns[c].numbers[i], after.columns[c].numbers[i], 1e-5);  // float32 and a step
  EXPECT_NE(predictions(fit(data, settings, options).model, data), predictions(first.model, data));
  settings.layers = "4";
  EXPECT_THAT(test::message_of<UsageError>([&] { fit(data, settings, options); }),
              HasSubstr("another architecture"));
}

// Its columns stay encoded as they are; what says the same is no contradiction.
TEST(FitOptions, SettingsOfAnEncodingThatIsThereAreRefused) {
  Settings settings = small();
  settings.outliers = "plain";
  FitOptions options;
  options.start = fit(rows(80), settings).model;
  EXPECT_NO_THROW(fit(rows(80), settings, options));
  for (const auto& [name, value] : {std::pair("outliers", "robust"), std::pair("missing", "error"),
                                    std::pair("unseen", "missing"), std::pair("target", "x")}) {
    Settings other = settings;
    set(other, name, value);
    const std::string message = test::message_of<UsageError>([&] { fit(rows(80), other, options); });
    EXPECT_THAT(message, HasSubstr("`" + std::string(name) + "` = '" + value + "' has no effect"));
    EXPECT_THAT(message, HasSubstr("goes on from a model"));
    options.list_unused = true;
    EXPECT_EQ(fit(rows(80), other, options).unused.size(), 1U) << name;
    options.list_unused = false;
  }
}

TEST(FitOptions, PartsLeaveNothingToCut) {
  FitOptions options;
  options.parts.assign(40, Part::train);
  for (const auto& [name, value] : {std::pair("fractions", "7:1:2"), std::pair("split", "random")}) {
    Settings settings = small();
    set(settings, name, value);
    EXPECT_THAT(test::message_of<UsageError>([&] { fit(rows(40), settings, options); }),
                HasSubstr("every row has its part"))
        << name;
  }
  options.training_rows_only = true;
  EXPECT_NO_THROW(fit(rows(40), small(), options));
}

TEST(FitOptions, AFitToTheMinimumDoesNotGoOnFromACheckpoint) {
  Settings settings = small();
  settings.layers = "1";
  settings.starts = 1;
  FitOptions options;
  options.resume = true;
  EXPECT_THAT(test::message_of<UsageError>([&] { fit(rows(40), settings, options); }),
              HasSubstr("begins anew; leave out `resume`"));
}

// The readout of a default network for a number is learned in a unit of its own: the model that is kept has
// the likelihood that training saw, and a fit that goes on from it begins there. The training rule's nodes
// are 0.1 apart, which leaves a normaliser with kinks wrong by the square of that.
TEST(FitOptions, TheReadoutsUnitIsGoneFromTheModel) {
  std::vector<double> x, y;
  for (int i = 0; i < 80; ++i) {
    x.push_back(std::sin(1.3 * i));
    y.push_back(3 * x.back() + std::cos(2.9 * i * i));
  }
  const Data data = Data::from_columns({{"x", x, {}}, {"y", y, {}}}, "memory");
  Settings settings;
  settings.target = "y";
  settings.members = 1;
  settings.epochs = 30;
  double seen = 0;
  FitOptions options;
  for (std::size_t i = 0; i < y.size(); ++i)
    options.parts.push_back(i % 4 == 0 ? Part::validation : Part::train);
  options.on_progress = [&](const FitProgress& progress) { seen = progress.best; };
  const FitSummary first = fit(data, settings, options);
  const auto likelihood = [](const FitSummary& summary) {
    for (const Metric& metric : summary.validation)
      if (metric.name == "log_likelihood") return metric.value;
    return std::numeric_limits<double>::quiet_NaN();
  };
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (options.parts[i] != Part::train) continue;
    mean += y[i] / static_cast<double>(first.train_rows);
    square += y[i] * y[i] / static_cast<double>(first.train_rows);
  }
  const double log_scale = 0.5 * std::log(square - mean * mean);  // of the encoded response
  EXPECT_NEAR(likelihood(first), -seen - log_scale, 0.01);

  options.start = first.model;
  settings.epochs = 1;
  settings.learning_rate = 1e-12;
  settings.average = 0;
  EXPECT_NEAR(likelihood(fit(data, settings, options)), likelihood(first), 1e-5);  // float32
}

// What is returned and what a file holds are bit-identical, also of joined networks in single precision.
TEST(Model, BytesAreThoseOfTheFileAndGiveTheSameModel) {
  const Data data = rows(60);
  Settings settings = small();
  settings.members = 3;
  const Model model = fit(data, settings).model;
  const test::TemporaryFolder folder;
  model.save(folder.file("m.bl"));
  EXPECT_EQ(Model::load(folder.file("m.bl")).to_bytes(), model.to_bytes());
  const Model again = Model::from_bytes(model.to_bytes(), "memory");
  EXPECT_EQ(predictions(again, data), predictions(model, data));
  EXPECT_THAT(test::message_of<ModelFileError>([] { Model::from_bytes("nonsense", "these bytes"); }),
              HasSubstr("these bytes"));
}

TEST(Model, KnowsItsColumns) {
  std::vector<double> constant(40, 2);
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) {
    x.push_back(std::sin(i));
    y.push_back(std::cos(i) + i * 0.01);
  }
  Settings settings = small();
  const Model model =
      fit(Data::from_columns({{"x", x, {}}, {"c", constant, {}}, {"y", y, {}}}, "memory"), settings).model;
  ASSERT_EQ(model.features().size(), 2U);
  EXPECT_TRUE(model.features()[0].used);
  EXPECT_FALSE(model.features()[1].used);
  ASSERT_EQ(model.responses().size(), 1U);
  EXPECT_TRUE(model.responses()[0].levels.empty());
  EXPECT_LT(model.responses()[0].lower, -1);
  EXPECT_GT(model.responses()[0].upper, 1.4);
}

// Softmax over V of what is available gives the probabilities; the schema needs no file.
TEST(ChoiceModel, UtilitiesExplainTheProbabilitiesAndBytesTheModel) {
  const std::string schema =
      "[data]\nlayout = \"long\"\nsituation = \"s\"\nalternative = \"a\"\nchosen = \"picked\"\n"
      "[attributes]\nprice = \"price\"\n[utility]\nform = \"linear\"\n";
  std::vector<double> situation, picked, price;
  std::vector<std::optional<std::string>> alternative;
  for (int s = 0; s < 30; ++s)
    for (int a = 0; a < (s % 3 == 0 ? 2 : 3); ++a) {
      situation.push_back(s);
      alternative.emplace_back(std::string(1, static_cast<char>('a' + a)));
      price.push_back(1 + std::sin(s + 2.0 * a));
      picked.push_back(a == s % 2 ? 1 : 0);
    }
  const Data data = Data::from_columns(
      {{"s", situation, {}}, {"a", {}, alternative}, {"picked", picked, {}}, {"price", price, {}}}, "memory");
  const Model model = fit(data, ChoiceDeclaration::parse(schema, "schema"), {}).model;
  EXPECT_THAT(alternatives(model), testing::ElementsAre("a", "b", "c"));
  const OutputTable p = model.predict(data, Part::all, {.utilities = true});
  ASSERT_EQ(p.columns.size(), 8U);  // the label, three probabilities, the likeliest, three utilities
  const auto utility = [&](std::size_t c, std::size_t i) { return p.columns[4 + c].numbers[i]; };
  EXPECT_TRUE(std::isnan(utility(3, 0)));  // c is not there in the first situation
  for (std::size_t i = 0; i < p.rows; ++i) {
    double total = 0;
    for (std::size_t c = 1; c <= 3; ++c) total += std::isnan(utility(c, i)) ? 0 : std::exp(utility(c, i));
    for (std::size_t c = 1; c <= 3; ++c) {
      const double expected = std::isnan(utility(c, i)) ? 0 : std::exp(utility(c, i)) / total;
      EXPECT_NEAR(p.columns[c].numbers[i], expected, 1e-12);
    }
  }
  EXPECT_EQ(Model::from_bytes(model.to_bytes(), "memory").to_bytes(), model.to_bytes());
}

}  // namespace
}  // namespace bl
