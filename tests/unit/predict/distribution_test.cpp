// Log-densities and utilities of given responses, against what the model predicts and against integrals.
#include "bl/distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "predict/row_quadrature.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

// Rows with a pattern, and whatever columns are asked for.
Data made(const std::vector<std::string>& names, int rows = 80) {
  std::vector<Data::Column> columns;
  for (const std::string& name : names) {
    Data::Column column{.name = name};
    for (int i = 0; i < rows; ++i) {
      const double x = std::sin(1.7 * i), z = std::cos(0.9 * i * i);
      if (name == "class")
        column.texts.emplace_back(x + z > 0.5 ? "high" : x - z > 0 ? "mid" : "low");
      else if (name == "weight")
        column.numbers.push_back(1 + i % 3);
      else
        column.numbers.push_back(name == "x"   ? x
                                 : name == "y" ? 10 + 4 * x + z
                                               : z - 0.5 * x + static_cast<double>(name.size()));
    }
    columns.push_back(std::move(column));
  }
  return Data::from_columns(std::move(columns), "memory");
}

Model fitted(const Data& data, const std::string& target, const std::string& weight = "") {
  Settings settings;
  settings.target = target;
  settings.weight = weight;
  settings.layers = "3";
  settings.epochs = 8;
  return fit(data, settings).model;
}

// The same rows with the response set to one value.
Data with(double x, const std::vector<double>& y) {
  return Data::from_columns({{"x", std::vector<double>(y.size(), x), {}}, {"y", y, {}}}, "memory");
}

TEST(LogDensity, OfAClassIsTheLogOfItsProbabilityAndNeedsNoWeights) {
  const Model model = fitted(made({"x", "class", "weight"}), "class", "weight");
  const Data rows = made({"x", "class"});
  const auto log_p = log_density(model, rows);
  const OutputTable table = model.predict(rows, Part::all, {});
  for (int i = 0; i < 80; ++i) {
    const double x = std::sin(1.7 * i), z = std::cos(0.9 * i * i);
    const std::string label = x + z > 0.5 ? "high" : x - z > 0 ? "mid" : "low";
    for (const OutputColumn& column : table.columns) {
      if (column.name != "p(" + label + ")") continue;
      EXPECT_NEAR(log_p[static_cast<std::size_t>(i)], std::log(column.numbers[static_cast<std::size_t>(i)]),
                  1e-12);
    }
  }
}

// exp integrates to one over the support: a Riemann sum of 4000 midpoints of a distribution that is smooth
// but for a few kinks is right to (width / 4000)^2 times a modest curvature.
TEST(LogDensity, OfANumberIntegratesToOneInItsOwnUnits) {
  const Model model = fitted(made({"x", "y"}), "y");
  const ResponseInfo y = model.responses()[0];
  const int points = 4000;
  const double step = (y.upper - y.lower) / points;
  std::vector<double> grid;
  for (int k = 0; k < points; ++k) grid.push_back(y.lower + (k + 0.5) * step);
  double mass = 0;
  for (const double one : log_density(model, with(0.3, grid))) mass += std::exp(one) * step;
  EXPECT_NEAR(mass, 1, 1e-5);
  const auto outside = log_density(model, with(0.3, {y.lower - 1, y.upper + 1}));
  EXPECT_EQ(outside[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(outside[1], -std::numeric_limits<double>::infinity());
}

// Differences of utilities over the temperature are differences of log-densities.
TEST(Utility, DiffersLikeTheLogDensity) {
  const Model model = fitted(made({"x", "y"}), "y");
  const Data points = with(-0.2, {8, 9.5, 12});
  const auto u = utility(model, points);
  for (const double temperature : {1.0, 2.5}) {
    const auto log_p = log_density(model, points, {.temperature = temperature});
    for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR((u[k] - u[0]) / temperature, log_p[k] - log_p[0], 1e-9);
  }
}

TEST(LogDensity, OfAClassAndANumberSumsToTheNumbersOwn) {
  const Data rows = made({"x", "y", "class"}, 40);
  const Model model = fitted(rows, "y,class");
  PredictOptions options;
  options.density_points = 3;  // lower end, middle, upper end
  options.tolerance = 1e-8;    // as log_density
  const ResponseInfo y = model.responses()[0];
  const Data middle = Data::from_columns(
      {{"x", {0.3}, {}}, {"y", {(y.lower + y.upper) / 2}, {}}, {"class", {}, {{"mid"}}}}, "memory");
  double at_middle = 0;
  for (const char* label : {"high", "mid", "low"}) {
    const Data one = Data::from_columns(
        {{"x", {0.3}, {}}, {"y", {(y.lower + y.upper) / 2}, {}}, {"class", {}, {{label}}}}, "memory");
    at_middle += std::exp(log_density(model, one)[0]);
  }
  const OutputTable table = model.predict(middle, Part::all, options);
  EXPECT_NEAR(at_middle, table.columns[table.columns.size() - 2].numbers[0], 1e-9);
}

// Metrics of two numbers take a coarser rule: its normalisers are off by 1e-3 at most, and so is their
// average logarithm.
TEST(LogDensity, OfTwoNumbersIsOnAverageTheLogLikelihoodOfTheMetrics) {
  const Data rows = made({"x", "y", "other"}, 60);
  const Model model = fitted(rows, "y,other");
  double sum = 0;
  for (const double one : log_density(model, rows)) sum += one;
  const auto metrics = model.evaluate(rows, Part::all, {});
  ASSERT_EQ(metrics.front().name, "log_likelihood");
  EXPECT_NEAR(metrics.front().value, sum / 60, 1e-3);
}

// What a fit says of held-out rows whose quadrature missed its tolerance; predictions without a place for
// notes refuse.
TEST(RowNotes, SayHowManyDistributionsMissedTheToleranceAndByHowMuch) {
  RowNotes notes;
  notes.add_quadrature(1e-7, 1e-6);
  EXPECT_TRUE(notes.texts().empty());
  notes.add_quadrature(3e-4, 1e-6);
  notes.add_quadrature(2e-5, 1e-6);
  ASSERT_EQ(notes.texts().size(), 1U);
  EXPECT_THAT(notes.texts()[0], HasSubstr("1e-06 in 2 of 3"));
  EXPECT_THAT(notes.texts()[0], HasSubstr("0.0003"));
  EXPECT_NO_THROW(require_error_below(1e-7, 1e-6));
  EXPECT_THROW(require_error_below(3e-4, 1e-6), NumericError);
}

TEST(RowNotes, SayWhichMeansATailDominates) {
  RowNotes notes;
  notes.add_mean(false);
  notes.add_mean(false);
  EXPECT_TRUE(notes.texts().empty());
  notes.add_mean(true);
  notes.add_mean(true);
  ASSERT_EQ(notes.texts().size(), 1U);
  EXPECT_THAT(notes.texts()[0], HasSubstr("the mean of 2 of 4 rows lies beyond 95% of its own distribution"));
}

TEST(RowNotes, SayWhichStandardDeviationsATailMakes) {
  RowNotes notes;
  notes.add_standard_deviation(0.68);  // normal
  notes.add_standard_deviation(0.95);  // log-normal, sigma 1.5
  EXPECT_TRUE(notes.texts().empty());
  notes.add_standard_deviation(0.999);
  ASSERT_EQ(notes.texts().size(), 1U);
  EXPECT_THAT(notes.texts()[0],
              HasSubstr("the tail dominates the standard deviation of 1 of 3 rows: more than 98%"));
}

// 100 rows foreseen with 0.99 for one class. One miss is what they imply; ten are too many.
TEST(RowNotes, SayWhereProbabilitiesAreOverconfident) {
  const std::array<double, 2> log_p = {std::log(0.99), std::log(0.01)};
  const auto texts = [&](int misses) {
    RowNotes notes;
    for (int i = 0; i < 100; ++i) notes.add_outcome(i < misses ? 1 : 0, log_p);
    return notes.texts();
  };
  EXPECT_TRUE(texts(1).empty());
  EXPECT_TRUE(texts(0).empty());
  ASSERT_EQ(texts(10).size(), 1U);
  // 0.1 log 100 + 0.9 log(1 / 0.99), and the entropy 0.01 log 100 + 0.99 log(1 / 0.99)
  EXPECT_THAT(texts(10)[0], HasSubstr("the log loss of 100 rows is 0.47 where the probabilities themselves "
                                      "imply 0.056"));
  RowNotes impossible;  // a class of probability 0 takes no part in the entropy, and its loss is infinite
  impossible.add_outcome(1, std::array<double, 2>{0.0, -std::numeric_limits<double>::infinity()});
  EXPECT_THAT(impossible.texts()[0], HasSubstr("is inf where"));
}

// Responses of 1 and 3, 50 of each: their average is 2 with an error of 1 / sqrt(100) = 0.1. Means 0.39 off
// are within four errors, means 0.41 off are not, and 0.19 off is less than a tenth of the responses at any
// number of rows.
TEST(RowNotes, SayWhereMeansAreNotThoseOfTheResponses) {
  const auto texts = [](double mean, int rows, double weight = 1) {
    RowNotes notes;
    for (int i = 0; i < rows; ++i) notes.add_response(mean, i % 2 == 0 ? 1 : 3, weight);
    return notes.texts();
  };
  EXPECT_TRUE(texts(2.39, 100).empty());
  EXPECT_TRUE(texts(1.61, 100).empty());
  EXPECT_TRUE(texts(2.19, 100'000).empty());
  for (const double weight : {1.0, 7.0}) {
    ASSERT_EQ(texts(2.41, 100, weight).size(), 1U);
    EXPECT_THAT(texts(2.41, 100, weight)[0],
                HasSubstr("the predicted means of 100 rows are 2.41 on average where the responses are 2:"));
    EXPECT_EQ(texts(1.59, 100, weight).size(), 1U);
  }
  RowNotes weighted;  // rows of weight 0 have no say
  for (int i = 0; i < 100; ++i) {
    weighted.add_response(2, i % 2 == 0 ? 1 : 3, 1);
    weighted.add_response(2, 100, 0);
  }
  EXPECT_TRUE(weighted.texts().empty());
}

// At a temperature of 1e-14 a distribution is one peak among roundings: an error where nobody listens, a
// number and a note where somebody does.
TEST(Notes, AQuadratureThatMissesItsToleranceReturnsItsNumbers) {
  const Data rows = made({"x", "y"}, 1);
  Settings settings;
  settings.target = "y";
  settings.layers = "3,2";  // no closed form
  settings.epochs = 8;
  const Model model = fit(made({"x", "y"}), settings).model;
  std::vector<std::string> heard;
  PredictOptions options;
  options.temperature = 1e-14;
  EXPECT_THROW(model.predict(rows, Part::all, options), NumericError);
  EXPECT_THROW(model.evaluate(rows, Part::all, options), NumericError);
  EXPECT_THROW(log_density(model, rows, {.temperature = 1e-14}), NumericError);
  options.on_note = [&](const std::string& text) { heard.push_back(text); };
  options.mode = true;
  const OutputTable table = model.predict(rows, Part::all, options);
  EXPECT_NEAR(table.columns[0].numbers[0], table.columns[2].numbers[0],
              1e-3);  // the mean of a peak is its mode
  options.mode = false;
  EXPECT_FALSE(model.evaluate(rows, Part::all, options).empty());
  EXPECT_EQ(log_density(model, rows, {.temperature = 1e-14, .on_note = options.on_note}).size(), 1U);
  ASSERT_EQ(heard.size(), 3U);
  for (const std::string& text : heard) EXPECT_THAT(text, HasSubstr("in 1 of 1 distributions"));
  heard.clear();
  options.temperature = 0;
  model.predict(rows, Part::all, options);
  EXPECT_TRUE(heard.empty());
}

// y = exp(4 z): the mean of a log-normal with sigma 4 lies beyond 97.7% of it, and nearly all within one
// standard deviation.
TEST(Notes, PredictSaysWhereTheTailOfALogAxisMakesTheMoments) {
  std::vector<double> x, y;
  for (int i = 0; i < 400; ++i) {
    x.push_back(std::sin(1.7 * i));
    const double u = std::fmod(0.5 + i * 0.6180339887498949, 1.0);
    y.push_back(std::exp(4 * std::log(u / (1 - u)) / 1.7));  // a logistic, nearly normal
  }
  const Data rows = Data::from_columns({{"x", x, {}}, {"y", y, {}}}, "memory");
  Settings settings;
  settings.target = "y";
  settings.epochs = 20;
  const Model model = fit(rows, settings).model;
  std::vector<std::string> heard;
  PredictOptions options;
  options.on_note = [&](const std::string& text) { heard.push_back(text); };
  model.predict(rows, Part::all, options);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_THAT(heard[0], HasSubstr("of 400 rows lies beyond 95% of its own distribution"));
  EXPECT_THAT(heard[1], HasSubstr("the tail dominates the standard deviation of"));
  options.quantiles = {0.5};  // whoever asks for the median does what the notes say
  model.predict(rows, Part::all, options);
  EXPECT_EQ(heard.size(), 2U);
}

// Two responses without features have one distribution; each row has the density that it has alone.
TEST(LogDensity, OfTwoNumbersWithoutFeaturesIsThatOfRowsAlone) {
  const Data rows = made({"y", "b"}, 40);
  const Model model = fitted(rows, "");
  const auto together = log_density(model, made({"y", "b"}, 3));
  for (int i = 0; i < 3; ++i) {
    const double x = std::sin(1.7 * i), z = std::cos(0.9 * i * i);
    const Data one =
        Data::from_columns({{"y", {10 + 4 * x + z}, {}}, {"b", {z - 0.5 * x + 1}, {}}}, "memory");
    EXPECT_DOUBLE_EQ(log_density(model, one)[0], together[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(model.predict(rows).columns[0].numbers[0], model.predict(rows).columns[0].numbers[39]);
}

TEST(LogDensity, OfThreeNumbersIsRefusedInWords) {
  const Model model = fitted(made({"y", "b", "ccc"}, 40), "");
  EXPECT_THAT(test::message_of<UsageError>([&] {
                log_density(model, made({"y", "b", "ccc"}, 2));
              }),
              HasSubstr("up to a constant"));
  EXPECT_EQ(utility(model, made({"y", "b", "ccc"}, 2)).size(), 2U);
}

}  // namespace
}  // namespace bl
