// Explanations that need data, against finite differences, grids and data changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "example_model.hpp"
#include "explain/best_response.hpp"
#include "explain/gradient.hpp"
#include "explain/render.hpp"
#include "explain/row_text.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using test::data_of;

StoredModel class_model(const Encoder& encoder) {
  Architecture a = stacked(test::example_shape(encoder, {"label"}, false), {3, 2});
  a.skip = Skip::input;
  a.activations = {Activation::tanh, Activation::softplus, Activation::square};
  return test::example_model(a, encoder, 4);
}

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

// Central differences of step 1e-5: truncation near 1e-10, rounding near 1e-11, both times third derivatives
// and values of size 10 to 100 here.
TEST(Gradient, IsTheFiniteDifference) {
  const Table table = test::example_table(20);
  const Names targets = {"y", "label"};
  const Encoder encoder = test::example_encoder(table, targets);
  for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
    Architecture a = stacked(test::example_shape(encoder, targets, false), {3, 2, 2});
    a.basis = {.kind = BasisKind::affine_plus, .extra = {{0, 0}, {0, 1}, {1, 1, 2}}};
    a.skip = skip;
    a.activations = {Activation::tanh, Activation::softplus, Activation::square};
    const auto problem = explain::read_problem(test::example_model(a, encoder, 2),
                                               test::example_classes(targets), explain::Units::standardised);
    std::vector<double> z;
    const RandomStream random(3, Purpose::test);
    for (Index i = 0; i < a.input.size(); ++i) z.push_back(random.normal(1, static_cast<std::uint64_t>(i)));
    const auto d = explain::gradient(problem, explain::evaluate(problem, z), 0);
    ASSERT_EQ(d.size(), z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      constexpr double kStep = 1e-5;
      auto up = z, down = z;
      up[i] += kStep;
      down[i] -= kStep;
      const double expected =
          (explain::evaluate(problem, up).outputs[0] - explain::evaluate(problem, down).outputs[0]) /
          (2 * kStep);
      EXPECT_NEAR(d[i], expected, 1e-7 * std::max(1.0, std::abs(expected))) << problem.variables[i].name;
    }
  }
}

TEST(Gradient, SlopesOfEveryActivation) {
  for (const Activation activation : kActivations)
    for (const double t : {-2.3, -0.4, 0.7, 1.9}) {
      constexpr double kStep = 1e-6;
      const double expected =
          (activate(activation, t + kStep) - activate(activation, t - kStep)) / (2 * kStep);
      EXPECT_NEAR(slope(activation, t), expected, 1e-8) << name(activation) << " at " << t;
    }
  EXPECT_EQ(slope(Activation::relu, 0), 0);
  EXPECT_EQ(slope(Activation::abs, 0), -1);
}

TEST(BestResponse, NoOtherResponseIsBetter) {
  const Table table = test::example_table(20);
  for (const Names& targets : {Names{"y"}, Names{"y", "w_2"}, Names{"y", "label"}, Names{"label"}}) {
    const Encoder encoder = test::example_encoder(table, targets);
    StoredModel model =
        test::example_model(stacked(test::example_shape(encoder, targets, false), {3}), encoder, 6);
    const auto dims = static_cast<std::size_t>(model.architecture.input.values);
    model.response = Support{std::vector<double>(dims, -3), std::vector<double>(dims, 3)};
    const gibbs::Utility utility(model.architecture, model.parameters, 1, model.support());
    const Matrix<double> features = encoder.encode_features<double>(table, std::vector<Index>{4});
    const explain::Response best = explain::best_response(utility, features.row(0));
    ASSERT_EQ(best.values.size(), dims);
    const auto value = [&](const std::vector<double>& v, std::int32_t c) {
      double u = 0;
      const auto size = static_cast<Index>(v.size());
      utility.log_density(features.row(0), c, {v.data(), 1, size, size}, std::span<double>(&u, 1));
      return u;
    };
    const double highest = value(best.values, best.class_index);
    for (std::int32_t c = 0; c < std::max<Index>(1, utility.classes()); ++c)
      for (int i = 0; i <= (dims > 0 ? 60 : 0); ++i)
        for (int j = 0; j <= (dims > 1 ? 60 : 0); ++j) {
          const std::vector<double> all = {-3 + 0.1 * i, -3 + 0.1 * j};
          EXPECT_LE(value({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(dims)}, c), highest + 1e-9);
        }
  }
}

TEST(Row, ConstraintStates) {
  using explain::ConstraintState;
  explain::Head c{.name = "L1.B1.C1", .kind = HeadKind::inequality, .constant = -1};
  c.terms = {{2, 2, {{0, 1}}}};
  const auto state = [&](double x) { return explain::constraint_state(c, 2 * x - 1, {x}); };
  EXPECT_EQ(state(0.3), ConstraintState::slack);
  EXPECT_EQ(state(0.505), ConstraintState::binding);
  EXPECT_EQ(state(0.6), ConstraintState::violated);
  c.kind = HeadKind::equality;
  EXPECT_EQ(state(0.5), ConstraintState::met);
  EXPECT_EQ(state(0.3), ConstraintState::off);
}

TEST(Row, NamesResponseHeadsAndTotals) {
  const Table table = test::example_table(20);
  const Encoder encoder = test::example_encoder(table, {"label"});
  const Model model = model_of(class_model(encoder));
  const std::string text = explain_row(model, data_of(table), 3);
  EXPECT_THAT(text, HasSubstr("Row 3 (example.csv:4)"));
  EXPECT_THAT(text, HasSubstr(": label = " + table.column("label").cell_text(2)));
  EXPECT_THAT(text, HasSubstr("L2.B1"));
  EXPECT_THAT(text, HasSubstr("C1 <= 0"));
  // Two different responses are set side by side, whether the best one was observed or not.
  for (std::size_t row = 1; row <= 20; ++row) {
    const std::string one = explain_row(model, data_of(table), row);
    const bool best = one.find("observed and best: label") != std::string::npos;
    EXPECT_EQ(one.find("next best: label") != std::string::npos, best);
    EXPECT_EQ(one.find("\nbest: label") == std::string::npos, best);
  }
  PredictOptions options;
  options.utilities = true;
  const OutputTable predicted = model.predict(data_of(table), Part::all, options);
  const double observed = column(predicted, "utility(" + table.column("label").cell_text(2) + ")").numbers[2];
  EXPECT_THAT(text, HasSubstr(explain::number_text(observed)));
  EXPECT_THROW(explain_row(model, data_of(table), 0), UsageError);
  EXPECT_THROW(explain_row(model, data_of(table), 21), UsageError);
}

// Every row's share moved by a little: the mean change of the predicted probabilities.
TEST(Economics, ProbabilitiesMoveAsPredicted) {
  const Table table = test::example_table(25);
  const Encoder encoder = test::example_encoder(table, {"label"});
  const Model model = model_of(class_model(encoder));
  const OutputTable effects = economics(model, data_of(table), {.numeraire = "age"});
  EXPECT_DOUBLE_EQ(entry(effects, "age", "rate_for_age"), 1);
  EXPECT_DOUBLE_EQ(entry(effects, "share", "rate_for_age"),
                   entry(effects, "share", "marginal_utility") / entry(effects, "age", "marginal_utility"));
  constexpr double kStep = 1e-6;  // of a column with standard deviation 0.1
  const auto mean_probability = [&](double step, const std::string& label) {
    Table moved = table;
    for (double& value : moved.columns[1].numbers.own()) value += step;
    const OutputTable predicted = model.predict(data_of(moved), Part::all, {});
    double mean = 0;
    for (const double p : column(predicted, "p(" + label + ")").numbers) mean += p / 25;
    return mean;
  };
  double sum = 0;
  for (const std::string& label : test::kLabels) {
    const double expected = (mean_probability(kStep, label) - mean_probability(-kStep, label)) / (2 * kStep);
    EXPECT_NEAR(entry(effects, "share", "dp(" + label + ")"), expected, 1e-7);
    sum += entry(effects, "share", "dp(" + label + ")");
  }
  EXPECT_NEAR(sum, 0, 1e-13);
  EXPECT_THROW(economics(model, data_of(table), {.numeraire = "agee"}), UsageError);
}

// In an affine model a standardised number without its terms is a number at its mean.
TEST(Importance, IsTheLossWithTheColumnAtItsMean) {
  const Table table = test::example_table(25);
  const Encoder encoder = test::example_encoder(table, {"label"});
  const Model model = model_of(class_model(encoder));
  const OutputTable lost = importance(model, data_of(table), {});
  ASSERT_EQ(lost.rows, 5U);  // four columns, and the response alone
  EXPECT_TRUE(std::is_sorted(lost.columns[1].numbers.rbegin(), lost.columns[1].numbers.rend()));
  const auto log_loss = [&](const Table& t) {
    for (const Metric& metric : model.evaluate(data_of(t), Part::all, {}))
      if (metric.name == "log_loss") return metric.value;
    return 0.0;
  };
  Table at_mean = table;
  for (double& value : at_mean.columns[1].numbers.own()) value = encoder.features()[1].mean;
  EXPECT_NEAR(entry(lost, "share", "log_likelihood_lost"), log_loss(at_mean) - log_loss(table), 1e-12);
  EXPECT_GT(std::abs(entry(lost, "share", "log_likelihood_lost")), 1e-6);
}

}  // namespace
}  // namespace bl
