// Products of two curves: exact derivatives by their weights, and a planted effect of two columns together
// that curves of single columns cannot learn.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/model.hpp"
#include "features/encoder.hpp"
#include "support/finite_differences.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

struct Rows {
  std::vector<double> a, b;
  std::vector<std::optional<std::string>> y;
  double entropy = 0;  // of the response given both columns

  Rows(std::size_t count, std::uint64_t seed) {
    const RandomStream random(seed, Purpose::test, 3);
    for (std::size_t i = 0; i < count; ++i) {
      a.push_back(2 * random.uniform(0, i) - 1);
      b.push_back(2 * random.uniform(1, i) - 1);
      const double p = probability(a.back(), b.back());
      y.emplace_back(random.uniform(2, i) < p ? "yes" : "no");
      entropy -= (p * std::log(p) + (1 - p) * std::log(1 - p)) / static_cast<double>(count);
    }
  }
  // Column b alone says nothing: the mean of sin(3a) is 0.
  static double probability(double a, double b) {
    return 1 / (1 + std::exp(-3 * std::sin(3 * a) * std::cos(2 * b)));
  }
  Data data() const { return Data::from_columns({{"a", a}, {"b", b}, {"y", {}, y}}, "planted"); }
};

// One block with one head: a generalised additive model, with or without the product.
Settings additive(const std::string& curves) {
  Settings s;
  s.target = "y";
  s.single = true;
  s.heads = "1,0,0";
  s.utility = "identity";
  s.optimizer = "adamw";
  s.epochs = 60;
  s.threads = 1;
  s.smoothness = 0.1;
  s.knots = 12;
  s.curves = curves;
  s.fractions = "0.8:0.2:0";
  return s;
}

double log_loss(const Model& model, const Data& data) {
  for (const Metric& metric : model.evaluate(data, Part::all, {}))
    if (metric.name == "log_loss") return metric.value;
  return std::nan("");
}

TEST(ProductCurves, LearnWhatSingleCurvesCannot) {
  const Rows rows(4000, 1), fresh(4000, 2);
  const double alone = log_loss(fit(rows.data(), additive("all")).model, fresh.data());
  const Model model = fit(rows.data(), additive("a~*b~")).model;
  const double together = log_loss(model, fresh.data());
  RecordProperty("alone", std::to_string(alone));
  RecordProperty("together", std::to_string(together));
  EXPECT_GT(alone, fresh.entropy + 0.07);
  EXPECT_LT(together, fresh.entropy + 0.02) << "entropy " << fresh.entropy;
  std::vector<double> a, b;
  for (int i = -9; i <= 9; i += 2)
    for (int j = -9; j <= 9; j += 2) {
      a.push_back(0.1 * i);
      b.push_back(0.1 * j);
    }
  const OutputTable table = model.predict(Data::from_columns({{"a", a}, {"b", b}}, "grid"));
  double squares = 0;
  for (const auto& column : table.columns)
    if (column.name == "p(yes)")
      for (std::size_t i = 0; i < a.size(); ++i)
        squares += std::pow(column.numbers[i] - Rows::probability(a[i], b[i]), 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(a.size())), 0.08);
  EXPECT_GT(squares, 0);
}

// In a default network too, which joins members of many blocks.
TEST(ProductCurves, StandInEveryKindOfHead) {
  const Rows rows(1200, 3);
  Settings s = additive("a~*b~");
  s.single = false;
  s.layers = "2,1";
  s.heads = "1,1,1";
  s.utility = s.optimizer = "auto";
  s.fractions = "0.8:0.1:0.1";
  s.epochs = 5;
  const Model model = fit(rows.data(), s).model;
  ExplainOptions options;
  options.terms = std::nullopt;
  options.full = true;
  const std::string text = explain_model(model, ExplainFormat::text, options);
  EXPECT_NE(text.find("a~*b~"), std::string::npos) << text;
}

TEST(ProductCurves, DerivativesByParametersAreExact) {
  const Rows rows(400, 4);
  Table table;
  table.source = "t.csv";
  table.rows = 400;
  Column a{"a", RawType::numeric, {}, {}, {}}, b{"b", RawType::numeric, {}, {}, {}},
      y{"y", RawType::text, {}, {}, {"no", "yes"}};
  test::Problem<double> problem;
  for (std::size_t i = 0; i < 400; ++i) {
    a.numbers.push_back(rows.a[i]);
    b.numbers.push_back(rows.b[i]);
    y.codes.push_back(rows.y[i] == "yes" ? 1 : 0);
    table.lines.append(static_cast<std::int64_t>(i) + 2);
  }
  table.columns = {a, b, y};
  EncodeOptions options;
  options.curves = {.all = true, .knots = 5, .products = {{"a", "b"}}};
  RoleOptions roles;
  roles.targets = {"y"};
  const Encoder encoder =
      Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
  Encoded<double> encoded = encoder.encode<double>(table, all_rows(30));
  problem.rows = 30;
  problem.context = std::move(encoded.features);
  for (Index i = 0; i < 30; ++i) problem.classes.push_back(encoded.classes(i, 0));
  problem.architecture =
      single_block({.context = problem.context.cols(), .values = 0, .classes = 2}, {1}, {1}, {1});
  problem.architecture.activations = {Activation::tanh, Activation::softplus, Activation::square};
  const Network<double> network(problem.architecture);
  const Context job(1);
  test::LibraryLoss<double> loss(problem, network, job);
  const std::vector<double> parameters = test::random_parameters(network.layout(), 5);
  std::vector<double> gradient(parameters.size());
  loss(parameters, gradient);
  const test::Function f = [&](std::span<const double> at) { return loss(at); };
  EXPECT_TRUE(test::gradient_matches(f, parameters, gradient));
  EXPECT_NE(gradient[static_cast<std::size_t>(problem.context.cols()) - 1], 0)
      << "of the last column of the product";
}

TEST(ProductCurves, WhatCannotBeIsRefused) {
  const Rows rows(300, 5);
  for (const char* curves : {"a~*a~", "a~*nothing~", "a~*b~, b~*a~", "a~*b~, a:increasing", "a~*y~"}) {
    Settings s = additive(curves);
    EXPECT_THROW(fit(rows.data(), s), UsageError) << curves;
  }
}

}  // namespace
}  // namespace bl
