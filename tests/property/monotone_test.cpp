// Signs of attributes in a network: over random architectures, parameters and points, the utility never moves
// the wrong way, neither in its gradient nor over steps of any length.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "model/monotone.hpp"
#include "model/network.hpp"
#include "support/random_problem.hpp"
#include "training/trainer.hpp"

namespace bl {
namespace {

constexpr InputShape kShape = {.context = 3, .values = 4, .classes = 3};
constexpr std::array<int, 4> kDirections = {-1, 1, 0, -1};
constexpr Index kPoints = 400;

struct Case {
  const char* name;
  Architecture architecture;
};

Architecture layers(const std::vector<Index>& widths, Skip skip) {
  Architecture a = stacked(kShape, widths);
  a.skip = skip;
  a.activations[2] = Activation::square;
  return a;
}

std::vector<Case> cases() {
  Architecture two_heads = layers({5, 3}, Skip::none);
  for (LayerSpec& layer : two_heads.layers) layer.degrees = {{{1, 1}, {1, 1}, {1}}};
  two_heads.activations = {Activation::identity, Activation::softplus, Activation::huber};
  Architecture clipped = layers({5, 3}, Skip::none);
  clipped.activations[0] = Activation::clip;
  Architecture interactions = layers({4, 2}, Skip::none);
  interactions.basis.kind = BasisKind::affine_plus;
  // An attribute with a direction times: a class, the context, itself, a free attribute.
  interactions.basis.extra = {{3, 8}, {0, 3}, {3, 3}, {4, 5}, {5, 5}, {1, 5}};
  return {{"one layer", layers({6}, Skip::none)},
          {"two layers", layers({8, 3}, Skip::none)},
          {"three layers", layers({5, 4, 2}, Skip::none)},
          {"input skip", layers({4, 4, 2}, Skip::input)},
          {"dense skip", layers({4, 3, 2}, Skip::dense)},
          {"residual, equal widths", layers({4, 4, 4}, Skip::residual)},
          {"residual, projected", layers({5, 3, 2}, Skip::residual)},
          {"several heads", two_heads},
          {"clipped utilities", clipped},
          {"products", interactions},
          {"single block", single_block(kShape, {2}, {2, 1}, {2})}};
}

std::vector<double> random_numbers(std::uint64_t seed, std::size_t count, double scale) {
  const RandomStream stream(seed, Purpose::initial_values);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(scale * stream.normal(0, i));
  return numbers;
}

struct RandomPoints {
  Matrix<double> context, values;
  std::vector<std::int32_t> begin, classes;

  explicit RandomPoints(std::uint64_t seed)
      : context(kPoints, kShape.context), values(kPoints, kShape.values), begin(kPoints + 1) {
    const auto x = random_numbers(seed, context.flat().size(), 1.5);
    const auto v = random_numbers(seed + 1, values.flat().size(), 1.5);
    std::copy(x.begin(), x.end(), context.flat().begin());
    std::copy(v.begin(), v.end(), values.flat().begin());
    std::iota(begin.begin(), begin.end(), 0);
    for (Index p = 0; p < kPoints; ++p) classes.push_back(static_cast<std::int32_t>(p % kShape.classes));
  }
  Points<double> points() const {
    return {.context = context.view(), .begin = begin, .values = values.view(), .classes = classes};
  }
};

TEST(Monotone, UtilityNeverMovesTheWrongWay) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Network<double> network(one.architecture);
    const auto bounds = monotone_bounds(one.architecture, kDirections);
    bool up = false, down = false;
    std::array<bool, kDirections.size()> moves = {};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      auto parameters = random_numbers(100 * seed, bounds.size(), 0.7);
      (seed % 2 == 0 ? project<double> : mirror<double>)(bounds, parameters);
      PreparedParameters<double> prepared;
      network.prepare(parameters, prepared);
      RandomPoints at(100 * seed + 50);
      NetworkWorkspace<double> ws;
      network.forward(prepared, at.points(), ws);
      const Matrix<double> before = ws.scores;
      Matrix<double> ones(kPoints, 1), gradient(kPoints, kShape.values);
      std::fill(ones.flat().begin(), ones.flat().end(), 1.0);
      network.value_gradient(prepared, at.points(), std::as_const(ones).view(), ws, gradient.view());
      for (Index k = 0; k < kShape.values; ++k) {
        const int direction = kDirections[static_cast<std::size_t>(k)];
        for (Index p = 0; p < kPoints; ++p) {
          // A sum of products of one sign each: exact, whatever the rounding.
          EXPECT_GE(direction * gradient(p, k), 0);
          moves[static_cast<std::size_t>(k)] |= std::abs(gradient(p, k)) > 1e-3;
          up |= direction == 0 && gradient(p, k) > 0;
          down |= direction == 0 && gradient(p, k) < 0;
        }
        if (direction == 0) continue;
        // Steps from a thousandth to three standard deviations.
        RandomPoints moved = at;
        for (Index p = 0; p < kPoints; ++p)
          moved.values(p, k) += direction * (0.001 + 0.06 * static_cast<double>(p % 50));
        network.forward(prepared, moved.points(), ws);
        for (Index p = 0; p < kPoints; ++p)
          EXPECT_GE(ws.scores(p, 0) - before(p, 0), -1e-12 * (1 + std::abs(before(p, 0))));
      }
    }
    EXPECT_TRUE(up && down);  // what has no direction goes both ways
    for (const bool one_moves : moves) EXPECT_TRUE(one_moves);
  }
}

TEST(Monotone, TrainingStaysWithinTheBounds) {
  const auto problem = test::random_problem<float>(
      test::Task::choice, stacked(test::input_shape(test::Task::choice), {6, 3}), 60, 5);
  const Network<float> network(problem.architecture);
  const Objective<float> objective(network, problem.spec, problem.data());
  const auto engine = make_engine<float>(Context(1));
  TrainSpec spec;
  spec.epochs = 30;
  spec.optimizer.learning_rate = 0.05;
  spec.average = 0.9;
  spec.bounds = monotone_bounds(problem.architecture, std::array<int, 2>{-1, 1});
  Trainer<float> trainer(objective, nullptr, spec, *engine);
  TrainingState<float> state = trainer.start();
  const std::vector<float> start = state.parameters;
  const auto inside = [&](const std::vector<float>& parameters) {
    std::vector<float> projected = parameters;
    project<float>(spec.bounds, projected);
    return projected == parameters;
  };
  EXPECT_TRUE(inside(start));
  TrainingHooks<float> hooks;
  hooks.on_epoch = [&](const TrainingState<float>& current) {
    EXPECT_TRUE(inside(current.parameters));
    EXPECT_TRUE(inside(current.averaged));
  };
  trainer.run(state, hooks);
  EXPECT_TRUE(inside(state.parameters));
  EXPECT_NE(state.parameters, start);
  spec.optimizer.kind = OptimizerKind::lbfgs;
  EXPECT_THROW(Trainer<float>(objective, nullptr, spec, *engine), UsageError);
}

TEST(Monotone, NegativeLambdasAndReadoutsAreRefused) {
  Architecture a = layers({4}, Skip::none);
  a.lambda = Sign::free;
  EXPECT_THROW(monotone_bounds(a, kDirections), UsageError);
  a = layers({4}, Skip::none);
  a.readout.sign = Sign::free;
  EXPECT_THROW(monotone_bounds(a, kDirections), UsageError);
  EXPECT_NO_THROW(monotone_bounds(a, std::array<int, 4>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace bl
