#include "training/trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bl/errors.hpp"
#include "compute/gradient_norm.hpp"
#include "support/random_problem.hpp"

namespace bl {
namespace {

using test::Problem;
using test::Task;
using testing::HasSubstr;

Problem<double> problem(Index rows = 60, std::uint64_t seed = 5) {
  Architecture a = stacked(test::input_shape(Task::classes), {4});
  auto p = test::random_problem<double>(Task::classes, a, rows, seed);
  // Something to learn: the class follows the sign of the context.
  for (Index i = 0; i < rows; ++i)
    p.classes[static_cast<std::size_t>(i)] = p.context(i, 0) > 0.5 ? 2 : p.context(i, 1) > 0 ? 1 : 0;
  return p;
}

// Everything that a trainer refers to, in one place.
struct TrainingRun {
  Problem<double> train, other;
  Network<double> network;
  Objective<double> objective, validation;
  Context job;
  std::function<bool()> should_stop = {};
  TrainSpec spec;
  TrainingHooks<double> hooks;
  TrainingState<double> state;

  explicit TrainingRun(TrainSpec s, Problem<double> p = problem())
      : train(std::move(p)),
        other(problem(40, 6)),
        network(train.architecture),
        objective(network, train.spec, train.data()),
        validation(network, other.spec, other.data()),
        job(1),
        spec(std::move(s)) {}

  FitReport go(bool validate = false) {
    const auto engine = make_engine<double>(Context(1, {.should_stop = should_stop}));
    Trainer<double> trainer(objective, validate ? &validation : nullptr, spec, *engine);
    if (state.parameters.empty()) state = trainer.start();
    return trainer.run(state, hooks);
  }
};

TrainSpec quick(std::int64_t epochs) {
  TrainSpec spec;
  spec.epochs = epochs;
  spec.batch_size = 16;
  spec.optimizer.learning_rate = 0.01;
  return spec;
}

TEST(Trainer, ARunLearnsAndReportsItsHistory) {
  TrainingRun run(quick(30));
  std::int64_t heard = 0;
  run.hooks.on_epoch = [&](const TrainingState<double>& state) { EXPECT_EQ(state.epoch, ++heard); };
  const FitReport report = run.go(true);
  EXPECT_EQ(report.reason, StopReason::max_epochs);
  EXPECT_EQ(report.cause, "all 30 epochs were run");
  EXPECT_EQ(report.epochs, 30);
  EXPECT_EQ(heard, 30);
  ASSERT_EQ(report.history.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    const EpochRecord& record = report.history[i];
    EXPECT_EQ(record.epoch, static_cast<std::int64_t>(i) + 1);
    EXPECT_TRUE(std::isfinite(record.train_loss) && std::isfinite(record.validation_loss));
    EXPECT_EQ(record.monitor, record.validation_loss);
    EXPECT_GT(record.gradient_norm, 0);
    EXPECT_EQ(record.learning_rate, 0.01);
  }
  EXPECT_LT(report.history.back().train_loss, 0.8 * report.history.front().train_loss);
  EXPECT_EQ(report.final_loss, report.history.back().train_loss);
  EXPECT_GT(report.seconds, 0);
}

// One epoch of one batch is one step: the same as evaluating and stepping by hand.
TEST(Trainer, OneBatchIsOneStepOfTheMeanGradient) {
  for (const double clip : {0.0, 0.05}) {
    TrainSpec spec = quick(1);
    spec.batch_size = 1000;
    spec.clip_norm = clip;
    spec.optimizer.kind = OptimizerKind::sgd;
    TrainingRun run(spec);
    const FitReport report = run.go();
    std::vector<double> p(run.state.parameters.size()), g(p.size());
    starting_values<double>(run.network.architecture(), run.network.layout(), 0, p);
    test::LibraryLoss<double> loss(run.train, run.network, run.job);
    const double value = loss(p, g);
    EXPECT_NEAR(report.final_loss, value, 1e-12);
    const double length = gradient_norm<double>(g);
    EXPECT_NEAR(report.gradient_norm, length, 1e-12) << "the norm before clipping";
    EXPECT_GT(length, 0.05);
    const double factor = clip > 0 ? clip / length : 1;
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_NEAR(run.state.parameters[i], p[i] - 0.01 * factor * g[i], 1e-14) << i;
  }
}

TEST(Trainer, SchedulesOfTheRate) {
  TrainSpec spec = quick(10);
  spec.schedule = ScheduleKind::cosine;
  const FitReport cosine = TrainingRun(spec).go();
  for (std::size_t e = 0; e < 10; ++e)
    EXPECT_NEAR(cosine.history[e].learning_rate,
                0.005 * (1 + std::cos(std::numbers::pi * static_cast<double>(e) / 10)), 1e-15);
  // A monitor that never improves: with patience 2, the rate is halved after every third stale epoch.
  spec.schedule = ScheduleKind::plateau;
  spec.plateau_patience = 2;
  spec.patience = 0;
  TrainingRun plateau(spec);
  plateau.hooks.metric = [](std::span<const double>) { return 1.0; };
  const FitReport report = plateau.go();
  const std::vector<double> expected = {1, 1, 1, 1, .5, .5, .5, .25, .25, .25};
  for (std::size_t e = 0; e < 10; ++e)
    EXPECT_DOUBLE_EQ(report.history[e].learning_rate, 0.01 * expected[e]) << e;
}

TEST(Trainer, EarlyStoppingRestoresTheBest) {
  TrainSpec spec = quick(50);
  spec.patience = 4;
  TrainingRun run(spec);
  std::vector<std::vector<double>> seen;
  const std::vector<double> script = {5, 3, 4, 2, 2.5, 2.0, 2.1, 9, 9, 9, 9};
  run.hooks.metric = [&](std::span<const double> p) {
    seen.emplace_back(p.begin(), p.end());
    return script.at(seen.size() - 1);
  };
  const FitReport report = run.go();
  EXPECT_EQ(report.reason, StopReason::early_stopping);
  EXPECT_THAT(report.cause, HasSubstr("4 epochs"));
  EXPECT_EQ(report.epochs, 8) << "epoch 4 was best; an equal value is no improvement";
  EXPECT_EQ(report.best_epoch, 4);
  EXPECT_EQ(report.best_monitor, 2);
  EXPECT_EQ(run.state.parameters, seen[3]);
  EXPECT_NE(run.state.parameters, seen.back());
}

TEST(Trainer, PatienceZeroNeverStopsEarly) {
  TrainSpec spec = quick(30);
  spec.patience = 0;
  TrainingRun run(spec);
  run.hooks.metric = [](std::span<const double>) { return 1.0; };
  EXPECT_EQ(run.go().reason, StopReason::max_epochs);
}

TEST(Trainer, TimeLimitAndInterruptEndTheRun) {
  TrainSpec spec = quick(1000000);
  spec.time_limit = 1e-9;
  const FitReport late = TrainingRun(spec).go();
  EXPECT_EQ(late.reason, StopReason::time_limit);
  EXPECT_THAT(late.cause, HasSubstr("time limit of 1e-09 s"));

  spec.time_limit = 0;
  TrainingRun run(spec);
  int asked = 0;
  run.should_stop = [&] { return ++asked == 9; };  // 4 batches an epoch and once after it
  const FitReport stopped = run.go();
  EXPECT_EQ(stopped.reason, StopReason::interrupted);
  EXPECT_THAT(stopped.cause, HasSubstr("epoch 2"));
  EXPECT_EQ(stopped.epochs, 1) << "a cut epoch leaves no record";

  spec.optimizer.kind = OptimizerKind::lbfgs;
  spec.gradient_tolerance = 0;
  TrainingRun full(spec);
  full.should_stop = [] { return true; };
  EXPECT_EQ(full.go().reason, StopReason::interrupted);
  spec.time_limit = 1e-9;
  EXPECT_EQ(TrainingRun(spec).go().reason, StopReason::time_limit);
}

TEST(Trainer, LbfgsConvergesOrFindsNoDescent) {
  TrainSpec spec = quick(500);
  spec.optimizer.kind = OptimizerKind::lbfgs;
  spec.gradient_tolerance = 1e-3;
  auto smooth = problem();
  smooth.architecture.activations = {Activation::tanh, Activation::softplus, Activation::square};
  const FitReport converged = TrainingRun(spec, smooth).go();
  EXPECT_EQ(converged.reason, StopReason::converged) << converged.cause;
  EXPECT_LE(converged.gradient_norm, 1e-3);
  EXPECT_EQ(converged.history.size(), static_cast<std::size_t>(converged.epochs));

  // A single |.| head fitted to a density: the minimum lies at a kink of some row.
  Architecture a = single_block({.context = 0, .values = 1, .classes = 0}, {}, {}, {1});
  a.basis.kind = BasisKind::affine;
  auto kinked = test::random_problem<double>(Task::density_1d, a, 5, 1);
  kinked.spec.rule = composite_rule({{-8}, {8}}, 64);
  const Network<double> network(a);
  const Objective<double> objective(network, kinked.spec, kinked.data());
  const auto engine = make_engine<double>(Context(1));
  spec.gradient_tolerance = 1e-12;
  Trainer<double> trainer(objective, nullptr, spec, *engine);
  auto state = trainer.start();
  const FitReport stuck = trainer.run(state);
  EXPECT_EQ(stuck.reason, StopReason::no_descent) << stuck.cause;
  EXPECT_THAT(stuck.cause, HasSubstr("kink"));
}

TEST(Trainer, NotANumberInTheDataIsDivergenceWithItsCause) {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::lbfgs}) {
    for (const Activation rho : {Activation::relu, Activation::softplus}) {
      TrainSpec spec = quick(5);
      spec.optimizer.kind = kind;
      auto p = problem();
      p.architecture.activations[1] = rho;
      p.context(7, 1) = std::numeric_limits<double>::quiet_NaN();
      TrainingRun run(spec, p);
      const FitReport report = run.go();
      EXPECT_EQ(report.reason, StopReason::diverged);
      EXPECT_THAT(report.cause, HasSubstr("nan"));
      EXPECT_TRUE(std::isnan(report.final_loss));
    }
  }
}

TEST(Trainer, AnAbsurdLearningRateIsDivergence) {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::sgd}) {
    TrainSpec spec = quick(20);
    spec.optimizer.kind = kind;
    spec.optimizer.learning_rate = 1e30;
    TrainingRun run(spec);
    const FitReport report = run.go();
    EXPECT_EQ(report.reason, StopReason::diverged) << name(kind) << ": " << report.cause;
    EXPECT_THAT(report.cause, HasSubstr("`learning_rate`"));
    EXPECT_LE(report.epochs, 2);
  }
}

TEST(Trainer, MaskedEntriesStayZero) {
  Architecture a = single_block(test::input_shape(Task::density_1d), {2, 1}, {3}, {1});
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd, OptimizerKind::lbfgs}) {
    TrainSpec spec = quick(5);
    spec.optimizer.kind = kind;
    spec.optimizer.weight_decay = 0.01;
    const auto p = test::random_problem<double>(Task::density_1d, a, 40, 1);
    const Network<double> network(a);
    const Objective<double> objective(network, p.spec, p.data());
    const auto engine = make_engine<double>(Context(1));
    Trainer<double> trainer(objective, nullptr, spec, *engine);
    auto state = trainer.start();
    trainer.run(state);
    const auto& mask = network.layout().free_mask();
    ASSERT_FALSE(mask.empty());
    for (std::size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(state.parameters[i] == 0, mask[i] == 0) << i;
  }
}

// Validation uses the same noise at every epoch: a model that does not move has one validation loss.
TEST(Trainer, ValidationNoiseIsTheSameAtEveryEpoch) {
  const Architecture a = stacked(test::input_shape(Task::dsm_1d), {3});
  const auto p = test::random_problem<double>(Task::dsm_1d, a, 50, 1);
  const Network<double> network(a);
  const Objective<double> objective(network, p.spec, p.data());
  const auto engine = make_engine<double>(Context(1));
  TrainSpec spec = quick(4);
  spec.optimizer.learning_rate = 1e-300;
  Trainer<double> trainer(objective, &objective, spec, *engine);
  auto state = trainer.start();
  const FitReport report = trainer.run(state);
  for (const EpochRecord& record : report.history)
    EXPECT_EQ(record.validation_loss, report.history[0].validation_loss);
  EXPECT_NE(report.history[1].train_loss, report.history[0].train_loss) << "training noise is fresh";
}

TEST(Trainer, SettingsThatMakeNoSense) {
  const auto refusal = [](const std::function<void(TrainSpec&)>& spoil) -> std::string {
    TrainSpec spec = quick(1);
    spoil(spec);
    try {
      TrainingRun(spec).go();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal([](TrainSpec& s) { s.optimizer.learning_rate = 0; }), HasSubstr("learning rate"));
  EXPECT_THAT(refusal([](TrainSpec& s) { s.optimizer.learning_rate = std::nan(""); }),
              HasSubstr("learning rate"));
  EXPECT_THAT(refusal([](TrainSpec& s) { s.epochs = 0; }), HasSubstr("epochs"));
  EXPECT_THAT(refusal([](TrainSpec& s) { s.batch_size = 0; }), HasSubstr("batch size"));
  EXPECT_THAT(refusal([](TrainSpec& s) { s.optimizer.weight_decay = -1; }), HasSubstr("weight decay"));
  auto weightless = problem();
  std::fill(weightless.weights.begin(), weightless.weights.end(), 0.0);
  EXPECT_THROW(TrainingRun(quick(1), weightless).go(), DataError);
  EXPECT_EQ(schedule_from_name("cosine"), ScheduleKind::cosine);
  EXPECT_THROW(schedule_from_name("linear"), UsageError);
}

// One step an epoch: the running mean is rebuilt here from the parameters after every step.
TEST(Trainer, KeepsTheRunningMeanOfTheParameters) {
  TrainSpec spec;
  spec.epochs = 30;
  spec.batch_size = 60;
  spec.average = 0.7;
  spec.optimizer.learning_rate = 0.05;
  TrainingRun run(spec);
  std::vector<double> mean;
  int step = 0;
  run.hooks.on_epoch = [&](const TrainingState<double>& state) {
    if (mean.empty()) mean = state.parameters;
    ++step;
    const double past = std::min(0.7, step / (step + 10.0));
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = past * mean[i] + (1 - past) * state.parameters[i];
    ASSERT_EQ(state.averaged.size(), mean.size());
  };
  run.go();
  ASSERT_EQ(step, 30);
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(run.state.parameters[i], mean[i], 1e-15);
}

TEST(Trainer, AValidationLossThatIsNoNumberIsDivergence) {
  TrainSpec spec;
  spec.epochs = 5;
  TrainingRun run(spec);
  run.other.context(3, 0) = std::numeric_limits<double>::quiet_NaN();
  const FitReport report = run.go(true);
  EXPECT_EQ(report.reason, StopReason::diverged);
  EXPECT_THAT(report.cause, HasSubstr("validation loss"));
}

// A good start, then steps so large that nothing stays finite.
FitReport diverge_late(TrainingRun& run, bool validate) {
  run.go(validate);
  run.spec.optimizer.kind = OptimizerKind::sgd;
  run.spec.optimizer.learning_rate = 1e300;
  run.spec.epochs += 5;
  run.state.optimizer = {};
  return run.go(validate);
}

TEST(Trainer, ARunThatDivergesLateKeepsItsBestEpoch) {
  TrainingRun run(quick(10)), calm(quick(10));
  calm.go(true);
  const FitReport report = diverge_late(run, true);
  EXPECT_EQ(report.reason, StopReason::diverged);
  EXPECT_TRUE(report.usable);
  EXPECT_LE(report.best_epoch, 10);
  EXPECT_EQ(run.state.parameters, calm.state.parameters);
}

TEST(Trainer, WithoutValidationARunThatDivergesKeepsItsLastWholeEpoch) {
  TrainingRun run(quick(10)), calm(quick(10));
  calm.go(false);
  const FitReport report = diverge_late(run, false);
  EXPECT_EQ(report.reason, StopReason::diverged);
  EXPECT_TRUE(report.usable);
  EXPECT_EQ(run.state.parameters, calm.state.parameters);
}

TEST(Trainer, ARunThatDivergesAtOnceIsNotUsable) {
  TrainSpec spec = quick(10);
  spec.optimizer.kind = OptimizerKind::sgd;
  spec.optimizer.learning_rate = 1e300;
  TrainingRun run(spec);
  const FitReport report = run.go(true);
  EXPECT_EQ(report.reason, StopReason::diverged);
  EXPECT_FALSE(report.usable);
}

}  // namespace
}  // namespace bl
