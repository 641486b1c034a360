#include "artifact/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "artifact/digest.hpp"
#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"
#include "support/random_problem.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

template <class T>
TrainingState<T> some_state() {
  TrainingState<T> s;
  s.epoch = 12;
  s.parameters = {T(0.1), T(-2), T(1e-30)};
  s.best_parameters = {T(0.3), T(4), T(-0.0)};
  s.best_monitor = 0.1 + 0.2;
  s.best_epoch = 9;
  s.stale_epochs = 3;
  s.plateau_epochs = 2;
  s.rate_factor = 0.25;
  s.optimizer = {.steps = 77, .first = {T(1), T(2), T(3)}, .second = {T(0.1), T(0.2), T(0.3)}};
  s.lbfgs.started = true;
  s.lbfgs.value = 1.0 / 3;
  s.lbfgs.gradient = {T(5), T(6), T(7)};
  s.lbfgs.steps = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}};
  s.lbfgs.changes = {{T(2), T(0), T(0)}, {T(0), T(2), T(0)}};
  s.history = {{.epoch = 1, .train_loss = 0.7, .gradient_norm = 2, .learning_rate = 0.01},
               {.epoch = 2,
                .train_loss = 0.6,
                .validation_loss = 0.65,
                .monitor = 0.65,
                .gradient_norm = 1,
                .learning_rate = 0.005}};
  return s;
}

template <class T>
void expect_equal(const TrainingState<T>& a, const TrainingState<T>& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.best_parameters, b.best_parameters);
  EXPECT_EQ(a.best_monitor, b.best_monitor);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.stale_epochs, b.stale_epochs);
  EXPECT_EQ(a.plateau_epochs, b.plateau_epochs);
  EXPECT_EQ(a.rate_factor, b.rate_factor);
  EXPECT_EQ(a.optimizer.steps, b.optimizer.steps);
  EXPECT_EQ(a.optimizer.first, b.optimizer.first);
  EXPECT_EQ(a.optimizer.second, b.optimizer.second);
  EXPECT_EQ(a.lbfgs.started, b.lbfgs.started);
  EXPECT_EQ(a.lbfgs.value, b.lbfgs.value);
  EXPECT_EQ(a.lbfgs.gradient, b.lbfgs.gradient);
  EXPECT_EQ(a.lbfgs.steps, b.lbfgs.steps);
  EXPECT_EQ(a.lbfgs.changes, b.lbfgs.changes);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].epoch, b.history[i].epoch);
    EXPECT_EQ(a.history[i].train_loss, b.history[i].train_loss);
    EXPECT_EQ(std::isnan(a.history[i].validation_loss), std::isnan(b.history[i].validation_loss));
    EXPECT_EQ(std::isnan(a.history[i].monitor), std::isnan(b.history[i].monitor));
    EXPECT_EQ(a.history[i].gradient_norm, b.history[i].gradient_norm);
    EXPECT_EQ(a.history[i].learning_rate, b.history[i].learning_rate);
  }
  EXPECT_EQ(a.history.back().validation_loss, b.history.back().validation_loss);
}

template <class T>
TrainingState<T> fresh() {
  TrainingState<T> state;
  state.parameters.assign(3, T(0));
  return state;
}

template <class T>
class CheckpointTest : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckpointTest, Numbers);

TYPED_TEST(CheckpointTest, GivesBackEveryFieldOfTheState) {
  const test::TemporaryFolder folder;
  Checkpoint<TypeParam> checkpoint(folder.file("c"), "data", "settings", 0);
  checkpoint.save(some_state<TypeParam>(), Context(1));
  TrainingState<TypeParam> state = fresh<TypeParam>();
  ASSERT_TRUE(checkpoint.load(state));
  expect_equal(state, some_state<TypeParam>());
}

TEST(Checkpoint, APlaceThatCannotBeWrittenIsToldAndTriedAgain) {
  const test::TemporaryFolder folder;
  const Context job(1);
  Checkpoint<float> checkpoint(folder.file("later/c"), "data", "settings", 0);
  EXPECT_NO_THROW(checkpoint.save(some_state<float>(), job));
  EXPECT_THAT(checkpoint.failure(), testing::HasSubstr("later/c"));
  std::filesystem::create_directory(folder.file("later"));
  checkpoint.save(some_state<float>(), job);
  EXPECT_EQ(checkpoint.failure(), "");
  EXPECT_TRUE(std::filesystem::exists(folder.file("later/c")));
}

TEST(Checkpoint, IsNotWrittenTooOftenNorWithoutAPath) {
  const test::TemporaryFolder folder;
  Checkpoint<float>(folder.file("c"), "data", "settings", 1e6).save(some_state<float>(), Context(1));
  EXPECT_FALSE(std::filesystem::exists(folder.file("c")));
  Checkpoint<float> none("", "data", "settings", 0);
  none.save(some_state<float>(), Context(1));
  TrainingState<float> state = fresh<float>();
  EXPECT_FALSE(none.load(state));
  EXPECT_FALSE(Checkpoint<float>(folder.file("c"), "data", "settings").load(state));
  EXPECT_EQ(state.epoch, 0);
}

class BadCheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    Checkpoint<float>(folder_.file("c"), "data", "settings", 0).save(some_state<float>(), Context(1));
  }
  template <class T = float>
  std::string refusal(const std::string& data = "data", const std::string& settings = "settings") {
    TrainingState<T> state = fresh<T>();
    const std::string message = test::message_of<ModelFileError>(
        [&] { Checkpoint<T>(folder_.file("c"), data, settings).load(state); });
    EXPECT_EQ(state.epoch, 0);  // untouched
    EXPECT_THAT(message, HasSubstr(folder_.file("c")));
    return message;
  }
  std::string refusal_of(artifact::TensorFile file) {
    artifact::add_digest(file);
    artifact::save(folder_.file("c"), file);
    return refusal();
  }
  const test::TemporaryFolder folder_;
};

TEST_F(BadCheckpointTest, OfAnotherRunIsRefused) {
  EXPECT_THAT(refusal("other"), HasSubstr("other data"));
  EXPECT_THAT(refusal("data", "other"), HasSubstr("other settings"));
  EXPECT_THAT(refusal<double>(), HasSubstr("dtype"));
}

TEST_F(BadCheckpointTest, DamagedIsRefused) {
  const artifact::TensorFile good = artifact::load(folder_.file("c"));
  auto file = good;
  file.metadata["format"] = "behavior_learning.model";
  EXPECT_THAT(refusal_of(file), HasSubstr("not a checkpoint"));
  file = good;
  file.metadata["format_version"] = "2";
  EXPECT_THAT(refusal_of(file), HasSubstr("version"));
  file = good;
  file.tensors.erase("optimizer/first");
  EXPECT_THAT(refusal_of(file), HasSubstr("optimizer/first"));
  for (const char* name :
       {"parameters", "best_parameters", "optimizer/second", "lbfgs/gradient", "lbfgs/step/1"}) {
    file = good;
    file.tensors[name] = artifact::Tensor::of<float>(std::vector<float>(5), {5});
    EXPECT_THAT(refusal_of(file), HasSubstr("does not fit")) << name;
  }
  file = good;
  file.tensors["counters"] =
      artifact::Tensor::of<std::int64_t>(std::vector<std::int64_t>{12, 9, 3, 2, 77, 1, 1LL << 60}, {7});
  EXPECT_THAT(refusal_of(file), HasSubstr("lbfgs/step/2"));
  file.tensors["counters"] = artifact::Tensor::of<std::int64_t>(std::vector<std::int64_t>{12, 9}, {2});
  EXPECT_THAT(refusal_of(file), HasSubstr("does not fit"));
  folder_.write("c", "");
  refusal();
}

TEST_F(BadCheckpointTest, AChangedBitIsRefused) {
  artifact::TensorFile file = artifact::load(folder_.file("c"));
  std::string& bytes = file.tensors.at("parameters").bytes;
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
  artifact::save(folder_.file("c"), file);
  EXPECT_THAT(refusal(), HasSubstr("damaged"));
}

// Stopped after four epochs, saved, read by a new trainer: bit-identical to ten epochs in one go.
class ResumeTest : public testing::TestWithParam<OptimizerKind> {};

TEST_P(ResumeTest, GoesOnToTheSameBits) {
  const auto problem = test::random_problem<float>(
      test::Task::classes, stacked(test::input_shape(test::Task::classes), {3, 2}), 50, 8);
  const auto other = test::random_problem<float>(
      test::Task::classes, stacked(test::input_shape(test::Task::classes), {3, 2}), 20, 9);
  const Network<float> network(problem.architecture);
  const Objective<float> objective(network, problem.spec, problem.data());
  const Objective<float> validation(network, other.spec, other.data());
  const test::TemporaryFolder folder;
  const Context job(1, {.should_stop = [&] { return std::filesystem::exists(folder.file("c")); }});
  const auto engine = make_engine<float>(Context(1)), stopping = make_engine<float>(job);
  TrainSpec spec;
  spec.epochs = 10;
  spec.batch_size = 16;
  spec.optimizer.kind = GetParam();
  spec.schedule = ScheduleKind::plateau;
  spec.plateau_patience = 1;
  spec.seed = 4;

  Trainer<float> whole(objective, &validation, spec, *engine);
  TrainingState<float> expected = whole.start();
  const FitReport report = whole.run(expected);

  Checkpoint<float> checkpoint(folder.file("c"), "data", "settings", 0);
  Trainer<float> first(objective, &validation, spec, *stopping);
  TrainingState<float> cut = first.start();
  TrainingHooks<float> hooks;
  hooks.on_epoch = [&](const TrainingState<float>& state) {
    if (state.epoch == 4) checkpoint.save(state, job);
  };
  first.run(cut, hooks);

  Trainer<float> second(objective, &validation, spec, *engine);
  TrainingState<float> state = second.start();
  ASSERT_TRUE(checkpoint.load(state));
  EXPECT_EQ(state.epoch, 4);
  const FitReport resumed = second.run(state);
  expect_equal(state, expected);
  EXPECT_EQ(resumed.epochs, report.epochs);
  EXPECT_EQ(resumed.final_loss, report.final_loss);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ResumeTest,
                         testing::Values(OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd,
                                         OptimizerKind::lbfgs),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace bl
