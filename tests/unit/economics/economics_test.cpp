// Effects, prices and scenarios against finite differences, hand counts and data changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/scenario.hpp"
#include "economics/assignment.hpp"
#include "explain/gradient.hpp"
#include "explain/head_place.hpp"
#include "explain/row_text.hpp"
#include "fitted/fitted_model.hpp"
#include "unit/explain/example_model.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using test::data_of;

const OutputColumn& column(const OutputTable& table, const std::string& name) {
  for (const OutputColumn& one : table.columns)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

double entry(const OutputTable& table, const std::string& row, const std::string& name) {
  const auto& rows = table.columns[0].texts;
  const auto at = std::find(rows.begin(), rows.end(), row) - rows.begin();
  return column(table, name).numbers.at(static_cast<std::size_t>(at));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// A model of these targets with kinks (relu) and curvature, on a support of three standard deviations.
StoredModel model_for(const Table& table, const Names& targets, double temperature = 1) {
  const Encoder encoder = test::example_encoder(table, targets);
  Architecture a = stacked(test::example_shape(encoder, targets, false), {3, 2});
  a.activations = {Activation::tanh, Activation::relu, Activation::square};
  StoredModel model = test::example_model(a, encoder, 4);
  const auto dims = static_cast<std::size_t>(a.input.values);
  model.response = Support{std::vector<double>(dims, -3), std::vector<double>(dims, 3)};
  model.temperature = temperature;
  return model;
}

// d E[y] / d share and d p / d share: the mean prediction when every row's share is moved. Its quadrature is
// good to 1e-8 of 9, one standard deviation of y, over two steps of 2e-4: 2e-4 and somewhat more for the two
// steps that take out the square of the step; effects are near 7.
TEST(Economics, EffectsAreThoseOfThePrediction) {
  const Table table = test::example_table(15);
  for (const Names& targets : {Names{"y"}, Names{"y", "label"}, Names{"label"}}) {
    const Model model = model_of(model_for(table, targets, 0.7));
    const OutputTable effects = economics(model, data_of(table), {});
    constexpr double kStep = 2e-4;
    const auto moved = [&](double step, const std::string& name) {
      Table changed = table;
      for (double& value : changed.columns[1].numbers.own()) value += step;
      return mean(column(model.predict(data_of(changed), Part::all, {.tolerance = 1e-8}), name).numbers);
    };
    const auto expect_effect = [&](const std::string& predicted, const std::string& outcome) {
      const auto difference = [&](double step) {
        return (moved(step, predicted) - moved(-step, predicted)) / (2 * step);
      };
      const double expected = (4 * difference(kStep) - difference(2 * kStep)) / 3;
      const double found = entry(effects, "share", "d" + outcome);
      EXPECT_NEAR(found, expected, 1e-4 * std::max(1.0, std::abs(expected))) << outcome;
      EXPECT_GT(std::abs(found), 1e-3) << "nothing would be tested";
    };
    if (test::has(targets, "y")) expect_effect("y", "E[y]");
    if (test::has(targets, "label")) expect_effect("p(yes)", "p(yes)");
  }
}

TEST(Economics, AtARowAndAveraged) {
  const Table table = test::example_table(6);
  const Model model = model_of(model_for(table, {"y"}));
  const OutputTable all = economics(model, data_of(table), {.numeraire = "age"});
  double marginal = 0, effect = 0, proportional = 0, outcomes = 0;
  for (std::size_t row = 1; row <= 6; ++row) {
    const OutputTable one = economics(model, data_of(table), {.numeraire = "age", .row = row});
    const double d = entry(one, "share", "dE[y]"), value = entry(one, "share", "value");
    EXPECT_NEAR(value, table.columns[1].numbers[row - 1], 1e-12);
    const double y = column(model.predict(data_of(table), Part::all, {}), "y").numbers[row - 1];
    EXPECT_NEAR(entry(one, "share", "elasticity_of_E[y]"), d * value / y, 1e-6 * std::abs(d * value / y));
    EXPECT_NEAR(entry(one, "share", "willingness_to_pay_in_age"),
                -entry(one, "share", "marginal_utility") / entry(one, "age", "marginal_utility"), 1e-9);
    marginal += entry(one, "share", "marginal_utility") / 6;
    effect += d / 6;
    proportional += d * value;
    outcomes += y;
  }
  EXPECT_NEAR(entry(all, "share", "marginal_utility"), marginal, 1e-9 * std::abs(marginal));
  EXPECT_NEAR(entry(all, "share", "dE[y]"), effect, 1e-9 * std::abs(effect));
  EXPECT_NEAR(entry(all, "share", "elasticity_of_E[y]"), proportional / outcomes,
              1e-6 * std::abs(proportional / outcomes));
  EXPECT_TRUE(std::isnan(entry(all, "y", "dE[y]"))) << "a response has no effect on itself";
  EXPECT_THROW(economics(model, data_of(table), {.row = 7}), UsageError);
}

TEST(Economics, WithoutResponsesOnlyThePrediction) {
  Table table = test::example_table(6);
  const Model model = model_of(model_for(table, {"y"}));
  const OutputTable with = economics(model, data_of(table), {});
  std::erase_if(table.columns, [](const Column& one) { return one.name == "y"; });
  const OutputTable without = economics(model, data_of(table), {});
  EXPECT_EQ(entry(without, "share", "dE[y]"), entry(with, "share", "dE[y]"));
  EXPECT_THROW(column(without, "marginal_utility"), std::out_of_range);
  EXPECT_THROW(economics(model, data_of(table), {.numeraire = "share"}), UsageError);
}

// Several continuous responses by draws: 400 of them have an error of a twentieth of a standard deviation.
TEST(Economics, SeveralResponsesByDraws) {
  const Table table = test::example_table(10);
  StoredModel stored = model_for(table, {"y", "w_2"});
  // U = -(z_y - z_share)^2 - z_w^2, all other weights zero: E[y] moves one for one with share, w not at all.
  const Encoder& encoder = stored.encoder;
  Architecture a = single_block(stored.architecture.input, {2}, {}, {});
  const auto share = std::int32_t{2};
  ASSERT_EQ(encoder.features()[encoder.columns()[2].feature].name, "share");
  const auto y = static_cast<std::int32_t>(a.input.context), w = y + 1;
  a.basis = {.kind = BasisKind::listed, .extra = {{y, y}, {share, y}, {w, w}}};
  a.activations[0] = Activation::identity;
  StoredModel model = test::example_model(a, encoder, 1);
  model.parameters = {-2, 4, -2, 0, inverse_softplus(1)};
  model.response = Support{{-6, -6}, {6, 6}};
  const OutputTable effects = economics(model_of(model), data_of(table), {});
  const double scale = encoder.responses()[0].scale / encoder.columns()[2].scale;
  // 10 rows of 400 draws: the estimated variance of y has relative error sqrt(2 / 4000) if draws are
  // independent; five times that, and chains are not.
  EXPECT_NEAR(entry(effects, "share", "dE[y]"), scale, 0.2 * scale);
  EXPECT_NEAR(entry(effects, "share", "dE[w_2]"), 0,
              0.2 * encoder.responses()[1].scale / encoder.columns()[2].scale);
}

// At a kink the utility has two slopes, found by one-sided differences.
TEST(OneSided, SlopesAtAKink) {
  explain::Problem p{.units = explain::Units::standardised, .response = "y"};
  p.variables = {{.name = "x", .column = "x"}, {.name = "L1.B1", .kind = explain::VariableKind::block}};
  explain::Head u{.name = "L1.B1.U1", .activation = Activation::identity, .lambda = 1};
  u.terms = {{0.5, 0.5, {{0, 1}}}};
  explain::Head c{
      .name = "L1.B1.C1", .kind = HeadKind::inequality, .activation = Activation::relu, .lambda = 3};
  c.terms = {{-2, 2, {{0, 1}}}};
  explain::Head t{
      .name = "L1.B1.T1", .kind = HeadKind::equality, .activation = Activation::abs, .lambda = 0.25};
  t.terms = {{1, 1, {{0, 2}}}, {4, 4, {{0, 1}}}};
  p.layers = {{{.name = "L1.B1", .variable = 1, .heads = {u, c, t}}}};
  p.outputs = {{.name = "U", .constant = 0, .blocks = {{1, 1}}}};
  const auto value = [&](double x) { return explain::evaluate(p, {x}).outputs[0]; };
  const explain::OneSided at = explain::one_sided(p, explain::evaluate(p, {0}), 0, 0, 1e-9);
  constexpr double kStep = 1e-7;
  EXPECT_NEAR(at.right, (value(kStep) - value(0)) / kStep, 1e-6);
  EXPECT_NEAR(at.left, (value(0) - value(-kStep)) / kStep, 1e-6);
  EXPECT_NEAR(at.right, 0.5 - 1, 1e-12);
  EXPECT_NEAR(at.left, 0.5 + 6 + 1, 1e-12);
  const explain::OneSided smooth = explain::one_sided(p, explain::evaluate(p, {1}), 0, 0, 1e-9);
  EXPECT_EQ(smooth.left, smooth.right);
  EXPECT_NEAR(smooth.right, explain::gradient(p, explain::evaluate(p, {1}), 0)[0], 1e-12);
}

// States and slacks counted from the formula, the shadow price from a bias moved by a little.
TEST(Constraints, SharesSlacksAndPrices) {
  const Table table = test::example_table(20);
  const StoredModel stored = model_for(table, {"label"});
  const OutputTable found = constraint_diagnostics(model_of(stored), data_of(table), {.numeraire = "age"});
  ASSERT_EQ(found.rows, 10U) << "a C and a T of five blocks";
  const auto problem =
      explain::read_problem(stored, test::example_classes({"label"}), explain::Units::standardised);
  const Encoded<double> rows = stored.encoder.encode<double>(table, all_rows(20));
  const auto utility_with = [&](double shift, Index row) {
    explain::Problem moved = problem;
    moved.layers[0][1].heads[1].constant -= shift;
    return explain::evaluate(
               moved, explain::problem_inputs(moved, rows.features.row(row), nullptr, rows.classes(row, 0)))
        .outputs[0];
  };
  double violated = 0, price = 0;
  std::vector<double> slacks;
  for (Index i = 0; i < 20; ++i) {
    const auto at = explain::evaluate(
        problem, explain::problem_inputs(problem, rows.features.row(i), nullptr, rows.classes(i, 0)));
    const double value = at.heads[0][1][1];
    slacks.push_back(-value);
    const auto state = explain::constraint_state(problem.layers[0][1].heads[1], value, at.variables);
    violated += state == explain::ConstraintState::violated ? 0.05 : 0;
    price += (utility_with(1e-6, i) - utility_with(-1e-6, i)) / 2e-6 / 20;
  }
  std::sort(slacks.begin(), slacks.end());
  EXPECT_EQ(found.columns[0].texts[2], "L1.B2.C1");
  EXPECT_NEAR(entry(found, "L1.B2.C1", "violated"), violated, 1e-12);
  EXPECT_NEAR(entry(found, "L1.B2.C1", "slack") + entry(found, "L1.B2.C1", "binding") + violated, 1, 1e-12);
  EXPECT_NEAR(entry(found, "L1.B2.C1", "slack_median"), (slacks[9] + slacks[10]) / 2, 1e-12);
  EXPECT_NEAR(entry(found, "L1.B2.C1", "shadow_price"), price, 1e-6 * std::max(1.0, std::abs(price)));
  EXPECT_GT(std::abs(price), 1e-3);
  const double unit = entry(economics(model_of(stored), data_of(table), {}), "age", "marginal_utility");
  EXPECT_NEAR(entry(found, "L1.B2.C1", "shadow_price_in_age"), price / unit, 1e-5 * std::abs(price / unit));
  EXPECT_THROW(constraint_diagnostics(model_of(stored), data_of(table), {.numeraire = "color"}), UsageError);
}

TEST(Constraints, AtTheBestResponseNothingIsObserved) {
  Table table = test::example_table(10);
  const Model model = model_of(model_for(table, {"y"}));
  const OutputTable observed = constraint_diagnostics(model, data_of(table), {});
  std::erase_if(table.columns, [](const Column& one) { return one.name == "y"; });
  const OutputTable best = constraint_diagnostics(model, data_of(table), {.at_best = true});
  EXPECT_NE(column(best, "slack_median").numbers, column(observed, "slack_median").numbers);
  EXPECT_THROW(constraint_diagnostics(model, data_of(table), {}), DataError);
}

// In one head at a time, against a model whose weights are taken out by hand.
TEST(Importance, ByHead) {
  const Table table = test::example_table(25);
  StoredModel stored = model_for(table, {"label"});
  const OutputTable lost = importance(model_of(stored), data_of(table), {.by_head = true});
  EXPECT_EQ(lost.rows, 5U * 9U) << "four columns and the response, nine heads that read data";
  const auto log_loss = [&](const StoredModel& model) {
    for (const Metric& metric : model_of(model).evaluate(data_of(table), Part::all, {}))
      if (metric.name == "log_loss") return metric.value;
    return 0.0;
  };
  const double whole = log_loss(stored);
  const ParameterLayout layout(stored.architecture);
  const TensorInfo& weight = layout.tensor("layers/0/C/weight");
  stored.parameters[static_cast<std::size_t>(weight.offset + 1 * weight.cols + 2)] = 0;  // share in L1.B2.C1
  double found = std::nan("");
  for (std::size_t i = 0; i < lost.rows; ++i)
    if (lost.columns[0].texts[i] == "share" && lost.columns[1].texts[i] == "L1.B2.C1")
      found = lost.columns[2].numbers[i];
  EXPECT_NEAR(found, log_loss(stored) - whole, 1e-12);
  EXPECT_GT(std::abs(found), 1e-9);
}

TEST(Assignment, Parts) {
  const auto expect = [](const std::string& text, const std::string& name, char operation,
                         const std::string& expression) {
    const Assignment found = Assignment::parse(text);
    EXPECT_EQ(found.column, name);
    EXPECT_EQ(found.operation, operation);
    EXPECT_EQ(found.expression, expression);
  };
  expect("price*=1.1", "price", '*', "1.1");
  expect(" price = price * (age == 3) ", "price", '=', "price * (age == 3)");
  expect("`a = b` -= x", "a = b", '-', "x");
  expect("a /= 2", "a", '/', "2");
  for (const char* wrong : {"price", "price ==", "= 3", "price =", "price == 3", "`price = 3", "`a`b = 3"})
    EXPECT_THROW(Assignment::parse(wrong), UsageError) << wrong;
}

TEST(Assignment, ChangesATable) {
  Table table = test::example_table(8);
  const Table before = table;
  Assignment::parse("age += share").apply(table);
  Assignment::parse("color = 'violet'").apply(table);
  for (Index i = 0; i < 8; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double sum = before.columns[0].numbers[k] + before.columns[1].numbers[k];
    EXPECT_EQ(table.columns[0].missing(i), before.columns[0].missing(i));
    if (!std::isnan(sum)) {
      EXPECT_EQ(table.columns[0].numbers[k], sum);
    }
    EXPECT_EQ(table.columns[2].cell_text(i), "violet");
  }
  EXPECT_THROW(Assignment::parse("share /= 0").apply(table), DataError);
  EXPECT_THROW(Assignment::parse("share = age").apply(table), DataError) << "age is missing here and there";
  EXPECT_THROW(Assignment::parse("color += 1").apply(table), UsageError);
  EXPECT_THROW(Assignment::parse("shore = 1").apply(table), DataError);
}

// The same as predictions of a table that was changed by hand.
TEST(Scenario, ASetColumn) {
  const Table table = test::example_table(12);
  for (const Names& targets : {Names{"y"}, Names{"label"}}) {
    const Model model = model_of(model_for(table, targets));
    Table changed = table;
    for (double& value : changed.columns[1].numbers.own()) value *= 1.5;
    const ScenarioResult result = solve_scenario(model, data_of(table), {.set = {"share *= 1.5"}});
    const std::string name = targets[0] == "y" ? "y" : "p(yes)";
    const auto before = column(model.predict(data_of(table), Part::all, {.tolerance = 1e-8}), name).numbers;
    const auto after = column(model.predict(data_of(changed), Part::all, {.tolerance = 1e-8}), name).numbers;
    EXPECT_EQ(column(result.rows, name + " before").numbers, before);
    EXPECT_EQ(column(result.rows, name + " after").numbers, after);
    EXPECT_NEAR(entry(result.summary, name, "change"), mean(after) - mean(before), 1e-12);
    EXPECT_GT(std::abs(mean(after) - mean(before)), 1e-6);
    const auto changes = column(result.rows, name + " change").numbers;
    EXPECT_EQ(entry(result.summary, name, "largest_change"),
              *std::max_element(changes.begin(), changes.end()));
    if (targets[0] == "label") {
      EXPECT_THAT(result.notes.back(), HasSubstr("12 rows change their most likely label"));
    }
  }
}

// A dropped constraint has no weight: the problem without its head; a scaled one has so many times its
// weight.
TEST(Scenario, EditedHeads) {
  const Table table = test::example_table(12);
  StoredModel stored = model_for(table, {"label"});
  const auto problem =
      explain::read_problem(stored, test::example_classes({"label"}), explain::Units::standardised);
  const ScenarioResult result = solve_scenario(
      model_of(stored), data_of(table),
      {.drop_constraints = {"L1.B2.C1"}, .scale_lambdas = {{"L2.B1.T1", 2.5}, {"L1.B3.U1", 0}}});
  explain::Problem edited = problem;
  edited.layers[0][1].heads.erase(edited.layers[0][1].heads.begin() + 1);
  edited.layers[1][0].heads[2].lambda *= 2.5;
  edited.layers[0][2].heads.erase(edited.layers[0][2].heads.begin());
  const Matrix<double> features = stored.encoder.encode_features<double>(table, all_rows(12));
  for (Index i = 0; i < 12; ++i) {
    std::vector<double> u;
    for (std::int32_t c = 0; c < 3; ++c)
      u.push_back(
          explain::evaluate(edited, explain::problem_inputs(edited, features.row(i), nullptr, c)).outputs[0]);
    const double sum = std::exp(u[0] - u[2]) + std::exp(u[1] - u[2]) + 1;
    EXPECT_NEAR(column(result.rows, "p(yes) after").numbers[static_cast<std::size_t>(i)], 1 / sum, 1e-10);
  }
}

TEST(Scenario, WhatCannotBe) {
  const Table table = test::example_table(6);
  const Model model = model_of(model_for(table, {"y"}));
  const Data data = data_of(table);
  EXPECT_THROW(solve_scenario(model, data, {}), UsageError);
  EXPECT_THROW(solve_scenario(model, data, {.set = {"y = 3"}}), UsageError) << "the response";
  EXPECT_THROW(solve_scenario(model, data, {.set = {"label = 'no'"}}), UsageError) << "not read";
  EXPECT_THROW(solve_scenario(model, data, {.drop_constraints = {"L1.B1.U1"}}), UsageError);
  EXPECT_THROW(solve_scenario(model, data, {.drop_constraints = {"L1.B9.C1"}}), UsageError);
  EXPECT_THROW(solve_scenario(model, data, {.scale_lambdas = {{"L1.B1.T1", -1}}}), UsageError);
  EXPECT_THAT(solve_scenario(model, data, {.set = {"share = 50"}}).notes.at(0), HasSubstr("extrapolation"));
}

TEST(Head, NamesAreThoseOfTheProblem) {
  const Table table = test::example_table(6);
  const StoredModel stored = model_for(table, {"y"});
  const auto problem = explain::read_problem(stored, {}, explain::Units::standardised);
  std::vector<std::string> names;
  for (const auto& layer : problem.layers)
    for (const auto& block : layer)
      for (const auto& head : block.heads) names.push_back(head.name);
  std::vector<std::string> places;
  for (const auto& place : explain::head_places(stored.architecture)) places.push_back(place.name);
  EXPECT_EQ(places, names);
}

}  // namespace
}  // namespace bl
