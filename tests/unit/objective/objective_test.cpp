#include "objective/objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "bl/errors.hpp"
#include "engine/reference/reference_engine.hpp"
#include "support/finite_differences.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

using test::Problem;
using test::Task;
using testing::HasSubstr;

Problem<double> problem_of(Task task, Index rows = 6) {
  Architecture a = stacked(test::input_shape(task), {3});
  if (test::vector_form(task)) a = stacked_vector(test::input_shape(task), {3}, 3);
  return test::random_problem<double>(task, a, rows, 11);
}

// The message with which an objective on the spoilt problem is refused.
template <class Failure>
std::string refusal(Problem<double> problem, const std::function<void(Problem<double>&)>& spoil) {
  spoil(problem);
  const Network<double> network(problem.architecture);
  try {
    const Objective<double> objective(network, problem.spec, problem.data());
  } catch (const Failure& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Objective, SettingsThatMakeNoSense) {
  const auto classes = problem_of(Task::classes), dsm = problem_of(Task::dsm_1d);
  EXPECT_EQ(refusal<UsageError>(classes, [](auto&) {}), "accepted");
  for (const double tau :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal<UsageError>(classes, [&](auto& p) { p.spec.temperature = tau; }),
                HasSubstr("temperature"));
  EXPECT_THAT(refusal<UsageError>(classes, [](auto& p) { p.spec.kind = ObjectiveKind::score_matching; }),
              HasSubstr("continuous response"));
  EXPECT_THAT(refusal<UsageError>(dsm, [](auto& p) { p.spec.sigma = 0; }), HasSubstr("sigma"));
  EXPECT_THAT(refusal<UsageError>(dsm, [](auto& p) { p.spec.draws = 0; }), HasSubstr("draw"));
  EXPECT_THAT(refusal<UsageError>(dsm, [](auto& p) { p.spec.kind = ObjectiveKind::hybrid; }),
              HasSubstr("class response"));
  EXPECT_THAT(refusal<UsageError>(dsm, [](auto& p) { p.spec.kind = ObjectiveKind::likelihood; }),
              HasSubstr("quadrature rule has 0 dimensions, the response 1"));
  for (const ObjectiveKind kind : {ObjectiveKind::score_matching, ObjectiveKind::hybrid})
    EXPECT_THAT(refusal<UsageError>(problem_of(Task::choice), [&](auto& p) { p.spec.kind = kind; }),
                HasSubstr("alternatives"));
}

// Smoothing spreads a share of the observed class over all: loss and gradient are the same mixture of those
// of every class.
TEST(Objective, LabelSmoothingMixesTheClassesLosses) {
  constexpr double kShare = 0.3;
  const Context job(1);
  for (const Task task : {Task::classes, Task::vector}) {
    Problem<double> problem = problem_of(task, 1);
    const Network<double> network(problem.architecture);
    const auto parameters = test::random_parameters(network.layout(), 5);
    const auto evaluated = [&](double share, std::int32_t observed) {
      problem.spec.label_smoothing = share;
      problem.classes = {observed};
      test::LibraryLoss<double> loss(problem, network, job);
      std::vector<double> out(parameters.size());
      out.push_back(loss(parameters, std::span(out)));
      return out;
    };
    const auto smoothed = evaluated(kShare, 1);
    std::vector<std::vector<double>> plain;
    for (std::int32_t c = 0; c < 3; ++c) plain.push_back(evaluated(0, c));
    for (std::size_t i = 0; i < smoothed.size(); ++i)
      EXPECT_NEAR(smoothed[i],
                  (1 - kShare) * plain[1][i] + kShare / 3 * (plain[0][i] + plain[1][i] + plain[2][i]), 1e-12)
          << i;
  }
  EXPECT_THAT(
      refusal<UsageError>(problem_of(Task::density_1d), [](auto& p) { p.spec.label_smoothing = 0.1; }),
      HasSubstr("classes"));
}

TEST(Objective, DataThatDoNotFitTheModel) {
  const auto classes = problem_of(Task::classes), density = problem_of(Task::density_1d);
  EXPECT_THAT(refusal<DataError>(classes,
                                 [](auto& p) {
                                   p.rows = 0;
                                   p.weights.clear();
                                 }),
              HasSubstr("no rows"));
  EXPECT_THAT(refusal<DataError>(classes, [](auto& p) { p.context.resize(6, 5); }),
              HasSubstr("5 context columns and 6 rows of them, the model expects 2 and 6"));
  EXPECT_THAT(refusal<DataError>(classes, [](auto& p) { p.weights.pop_back(); }), HasSubstr("weight"));
  EXPECT_THAT(refusal<DataError>(classes, [](auto& p) { p.classes.pop_back(); }),
              HasSubstr("one class per row"));
  EXPECT_THAT(refusal<DataError>(classes, [](auto& p) { p.classes[2] = 3; }),
              HasSubstr("row 3: class 3 of 3"));
  EXPECT_THAT(refusal<DataError>(classes, [](auto& p) { p.classes[2] = -1; }),
              HasSubstr("row 3: class -1 of 3"));
  EXPECT_THAT(refusal<DataError>(density, [](auto& p) { p.values.resize(6, 2); }),
              HasSubstr("2 response columns"));
}

TEST(Objective, ChoiceSetsThatDoNotFit) {
  const auto choice = problem_of(Task::choice_named);
  EXPECT_EQ(refusal<DataError>(choice, [](auto&) {}), "accepted");
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.set_begin.pop_back(); }),
              HasSubstr("one choice set"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.chosen[1] = 9; }), HasSubstr("row 2: choice 9"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.set_begin[1] = p.set_begin[0]; }),
              HasSubstr("row 1: the choice set is empty"));
  EXPECT_THAT(
      refusal<DataError>(
          choice, [](auto& p) { p.available[static_cast<std::size_t>(p.set_begin[2] + p.chosen[2])] = 0; }),
      HasSubstr("row 3: the chosen alternative"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.alternative_classes[0] = 4; }),
              HasSubstr("alternative 4 of 4"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.alternative_classes.clear(); }),
              HasSubstr("identities"));
  // Lists shorter than the choice sets say would be read past their end.
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.alternative_classes.pop_back(); }),
              HasSubstr("identities"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.available.pop_back(); }), HasSubstr("availability"));
  EXPECT_THAT(refusal<DataError>(choice, [](auto& p) { p.attributes.resize(p.set_begin.back() - 1, 1); }),
              HasSubstr("attributes"));
}

TEST(Objective, AlternativesNeedTheScalarForm) {
  auto choice = problem_of(Task::choice);
  choice.architecture = stacked_vector({.context = 1, .values = 2, .classes = 0}, {3}, 3);
  EXPECT_THAT(refusal<UsageError>(choice, [](auto&) {}), HasSubstr("scalar form"));
}

TEST(Objective, HybridReportsItsTwoParts) {
  const auto problem = problem_of(Task::hybrid);
  const Network<double> network(problem.architecture);
  const auto parameters = test::random_parameters(network.layout(), 3);
  const auto evaluate = [&](ObjectiveKind kind) {
    ObjectiveSpec spec = problem.spec;
    spec.kind = kind;
    const Objective<double> objective(network, spec, problem.data());
    const Context job(1);
    BatchEvaluator<double> evaluator(objective, job);
    const std::vector<std::int64_t> rows = {0, 1, 2, 3, 4, 5};
    return evaluator.evaluate(parameters, rows, problem.given_noise(), 1, {});
  };
  const LossSum hybrid = evaluate(ObjectiveKind::hybrid);
  EXPECT_DOUBLE_EQ(hybrid.discrete, evaluate(ObjectiveKind::likelihood).loss);
  EXPECT_DOUBLE_EQ(hybrid.continuous, evaluate(ObjectiveKind::score_matching).loss);
  EXPECT_DOUBLE_EQ(hybrid.loss, 0.6 * hybrid.discrete + 1.3 * hybrid.continuous);
}

// Cutting a batch into chunks and lanes changes nothing but the order of sums; no rows at all give zero.
TEST(BatchEvaluator, AnyCutGivesTheSameSum) {
  for (const Task task : test::kTasks) {
    SCOPED_TRACE(test::name(task));
    const auto problem = problem_of(task, 150);
    const Network<double> network(problem.architecture);
    const Objective<double> objective(network, problem.spec, problem.data());
    EXPECT_GE(objective.rows_per_chunk(), 1);
    const auto parameters = test::random_parameters(network.layout(), 3);
    const Context job(2);
    BatchEvaluator<double> evaluator(objective, job);
    std::vector<std::int64_t> rows(150);
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    std::vector<double> whole(parameters.size()), part(parameters.size()), sum(parameters.size(), 0.0);
    const LossSum at_once = evaluator.evaluate(parameters, rows, problem.given_noise(), 0.5, whole);
    LossSum total;
    for (const std::int64_t row : rows) {
      total.add(evaluator.evaluate(parameters, {&row, 1}, problem.given_noise(), 0.5, part));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    EXPECT_NEAR(at_once.loss, total.loss, 1e-12 * std::abs(total.loss));
    EXPECT_NEAR(at_once.weight, total.weight, 1e-12 * total.weight);
    const double scale = test::largest_entry(sum);
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(whole[i], sum[i], 1e-11 * scale) << i;
  }
}

// Without a context the rows of a chunk share one normaliser; the plain loops take it row by row.
TEST(Objective, ANormaliserThatRowsShareIsThatOfEachRow) {
  for (const Task task : {Task::density_1d, Task::density_2d}) {
    InputShape input = test::input_shape(task);
    input.context = 0;
    const auto problem = test::random_problem<double>(task, stacked(input, {3, 2}), 30, 11);
    const Network<double> network(problem.architecture);
    const Objective<double> objective(network, problem.spec, problem.data());
    const auto parameters = test::random_parameters(network.layout(), 5);
    const Context job(2);
    BatchEvaluator<double> evaluator(objective, job);
    std::vector<std::int64_t> rows(30);
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    std::vector<double> gradient(parameters.size()), plain(parameters.size());
    const LossSum shared = evaluator.evaluate(parameters, rows, problem.given_noise(), 0.5, gradient);
    const auto reference = std::make_unique<ReferenceEngine<double>>(Context(1));
    const LossSum each = reference->loss(reference->load(objective), {.rows = rows, .scale = 0.5},
                                         problem.given_noise(), parameters, plain);
    EXPECT_NEAR(shared.loss, each.loss, 1e-12 * std::abs(each.loss));
    const double scale = test::largest_entry(plain);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(gradient[i], plain[i], 1e-11 * scale) << i;
  }
}

TEST(BatchEvaluator, NoRowsGiveZero) {
  const auto problem = problem_of(Task::classes);
  const Network<double> network(problem.architecture);
  const Objective<double> objective(network, problem.spec, problem.data());
  const Context job(1);
  BatchEvaluator<double> evaluator(objective, job);
  const auto parameters = test::random_parameters(network.layout(), 3);
  std::vector<double> gradient(parameters.size(), 7.0);
  EXPECT_EQ(evaluator.evaluate(parameters, {}, problem.given_noise(), 1, gradient).loss, 0.0);
  for (const double g : gradient) EXPECT_EQ(g, 0.0);
}

// Scores far beyond exp's range: the loss is their difference, exactly, and nothing overflows.
TEST(Objective, ExtremeUtilitiesStayFinite) {
  Architecture a = stacked({.context = 0, .values = 0, .classes = 2}, {1});
  a.activations[0] = Activation::identity;
  a.layers[0].degrees[1].clear();
  a.layers[0].degrees[2].clear();
  a.lambda = a.readout.sign = Sign::free;
  const Network<float> network(a);
  // Parameters: weights of the two classes, bias, lambda, readout weight and bias.
  const std::vector<float> parameters = {1e6F, -1e6F, 0, 1, 1, 0};
  Problem<float> p;
  p.rows = 2;
  p.classes = {0, 1};
  p.context.resize(2, 0);
  p.values.resize(2, 0);
  const Objective<float> objective(network, {}, p.data());
  const Context job(1);
  BatchEvaluator<float> evaluator(objective, job);
  std::vector<float> gradient(6);
  const std::vector<std::int64_t> rows = {0, 1};
  const LossSum loss =
      evaluator.evaluate(parameters, rows, {RandomStream(0, Purpose::test), 0, {}}, 1, gradient);
  EXPECT_EQ(loss.loss, 2e6);
  EXPECT_EQ(gradient[0], 1.0F);
  EXPECT_EQ(gradient[1], -1.0F);
}

}  // namespace
}  // namespace bl
