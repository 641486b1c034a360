// Answers that are not numbers are errors, whoever asks.
#include "predict/finite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/sample.hpp"
#include "bl/scenario.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

Data rows(bool classes) {
  std::vector<double> x, numbers;
  std::vector<std::optional<std::string>> texts;
  for (int i = 0; i < 60; ++i) {
    x.push_back(std::sin(1.3 * i));
    numbers.push_back(2 * x.back() + std::cos(2.9 * i));
    texts.emplace_back(numbers.back() > 0 ? "a" : "b");
  }
  Data::Column y{.name = "y"};
  if (classes)
    y.texts = texts;
  else
    y.numbers = numbers;
  return Data::from_columns({{"x", x, {}}, y}, "memory");
}

Model fitted(bool classes) {
  Settings settings;
  settings.target = "y";
  settings.layers = "3";
  settings.epochs = 3;
  settings.precision = "float64";
  return fit(rows(classes), settings).model;
}

// The same model with every parameter so many times as large.
Model scaled(const Model& model, double factor) {
  StoredModel stored = model.impl().stored;
  for (double& value : stored.parameters) value *= factor;
  return model_of(std::move(stored));
}

std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const NumericError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Finite, TheColumnAndTheRowAreNamed) {
  OutputTable table{.rows = 2, .columns = {{"mean(y)", {1, 2}, {}}}};
  const auto place = [](std::size_t row) { return "row " + std::to_string(row + 1); };
  require_finite(table, place);
  table.columns[0].numbers[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(failure([&] { require_finite(table, place); }),
              HasSubstr("row 2: mean(y) is not a finite number"));
  table.columns[0] = {"density(y)", {1, std::numeric_limits<double>::infinity()}, {}};
  require_finite(table, place);
}

TEST(Finite, AbsurdParametersAreNoAnswer) {
  const Data data = rows(true);
  const Model absurd = scaled(fitted(true), 1e308);
  EXPECT_NE(failure([&] { absurd.predict(data, Part::all, {}); }), "no error");
  EXPECT_NE(failure([&] { sample(absurd, data, {}); }), "no error");
  EXPECT_NE(failure([&] { solve_scenario(absurd, data, {.set = {"x += 1"}}); }), "no error");
}

// What is drawn is finite, what it stands for is not.
TEST(Finite, DrawsBeyondTheLargestNumber) {
  const Data data = rows(false);
  StoredModel stored = fitted(false).impl().stored;
  nlohmann::json encoder = stored.encoder.to_json();
  encoder.at("responses").at(0).at("scale") = 1e308;
  stored.encoder = Encoder::from_json(encoder);
  const Model huge = model_of(std::move(stored));
  EXPECT_THAT(failure([&] { sample(huge, data, {}); }), HasSubstr("y is not a finite number"));
}

TEST(Finite, SurplusInMoneyThatIsWorthNothing) {
  ChoiceDeclaration d;
  d.choice = "y";
  d.alternatives = {{.name = "a", .attributes = {{"x", "x"}}}, {.name = "b"}};
  const Model model = fit(rows(true), d, {}).model;
  StoredModel stored = model.impl().stored;
  for (double& value : stored.parameters)
    if (value != 1) value = -1e-310;  // but lambda
  const Model worthless = model_of(std::move(stored));
  EXPECT_THAT(failure([&] { what_if(worthless, rows(true), {.withdrawn = {"b"}}, "x"); }),
              HasSubstr("surplus is not a finite number"));
}

}  // namespace
}  // namespace bl
