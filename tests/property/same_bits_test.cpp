// The same seed gives bit-identical results with 1, 2 and 4 threads, on several ranks, and after a stop at
// any epoch and going on.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "support/random_problem.hpp"
#include "support/thread_ranks.hpp"
#include "training/trainer.hpp"

namespace bl::test {
namespace {

struct Setting {
  Task task;
  OptimizerKind optimizer;
};

std::string describe(const testing::TestParamInfo<Setting>& info) {
  return test::name(info.param.task) + "_" + std::string(bl::name(info.param.optimizer));
}

// Rows for several chunks and lanes, and a last batch that is not full.
constexpr Index kRows = 450;
constexpr std::int64_t kEpochs = 5;

template <class T>
struct Fitting {
  Problem<T> problem, other;
  Network<T> network;
  Objective<T> training, validation;
  TrainSpec spec;

  explicit Fitting(const Setting& setting)
      : problem(random_problem<T>(setting.task, architecture(setting.task), kRows, 1)),
        other(random_problem<T>(setting.task, architecture(setting.task), 90, 2)),
        network(problem.architecture),
        training(network, problem.spec, problem.data()),
        validation(network, other.spec, other.data()) {
    spec.optimizer.kind = setting.optimizer;
    spec.optimizer.learning_rate = 0.01;
    spec.optimizer.weight_decay = 0.001;
    spec.epochs = kEpochs;
    spec.batch_size = 192;
    spec.clip_norm = 5;
    spec.schedule = ScheduleKind::plateau;
    spec.plateau_patience = 1;
    spec.patience = 0;
    spec.gradient_tolerance = 0;
    spec.seed = 9;
  }

  static Architecture architecture(Task task) {
    Architecture a = stacked(input_shape(task), {17, 9});
    if (vector_form(task)) a = stacked_vector(input_shape(task), {17, 9}, 3);
    a.skip = Skip::dense;
    return a;
  }
};

template <class T>
std::vector<std::uint64_t> bits(const std::vector<T>& values) {
  std::vector<std::uint64_t> out;
  for (const T value : values) out.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  return out;
}

// All that training leaves behind, as bits.
template <class T>
std::vector<std::uint64_t> everything(const TrainingState<T>& state) {
  std::vector<std::uint64_t> all = bits(state.parameters);
  const auto append = [&](const std::vector<std::uint64_t>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(bits(state.best_parameters));
  append(bits(state.optimizer.first));
  append(bits(state.optimizer.second));
  append(bits(state.lbfgs.gradient));
  for (const auto& step : state.lbfgs.steps) append(bits(step));
  for (const EpochRecord& record : state.history)
    append(bits<double>(
        {record.train_loss, record.validation_loss, record.gradient_norm, record.learning_rate}));
  return all;
}

// Trains with this many threads, stopping after each epoch in `stops` and going on from a copy of the state
// with a new trainer, as after a kill.
template <class T>
std::vector<std::uint64_t> train(const Fitting<T>& fitting, std::size_t threads,
                                 const std::vector<std::int64_t>& stops) {
  TrainingState<T> state;
  for (std::size_t leg = 0; leg <= stops.size(); ++leg) {
    bool stop = false;
    const auto engine = make_engine<T>(Context(threads, {.should_stop = [&] { return stop; }}));
    Trainer<T> trainer(fitting.training, &fitting.validation, fitting.spec, *engine);
    if (leg == 0) state = trainer.start();
    TrainingHooks<T> hooks;
    TrainingState<T> saved;
    hooks.on_epoch = [&](const TrainingState<T>& now) {
      saved = now;
      stop = leg < stops.size() && now.epoch == stops[leg];
    };
    trainer.run(state, hooks);
    state = saved;
  }
  EXPECT_EQ(state.epoch, kEpochs);
  return everything(state);
}

// What every rank ends with, rank 0 first.
template <class T>
std::vector<std::vector<std::uint64_t>> train_on_ranks(const Fitting<T>& fitting, std::size_t size,
                                                       const std::vector<std::int64_t>& stops) {
  std::vector<std::vector<std::uint64_t>> results(size);
  run_ranks(size, [&](std::size_t rank) { results[rank] = train(fitting, 1 + rank % 2, stops); });
  return results;
}

class SameBits : public testing::TestWithParam<Setting> {
 public:
  template <class T>
  void check() {
    const Fitting<T> fitting(GetParam());
    const auto expected = train(fitting, 1, {});
    EXPECT_EQ(train(fitting, 2, {}), expected) << "two threads";
    EXPECT_EQ(train(fitting, 4, {}), expected) << "four threads";
    EXPECT_EQ(train(fitting, 1, {2}), expected) << "stopped after epoch 2";
    EXPECT_EQ(train(fitting, 3, {1, 4}), expected) << "stopped after epochs 1 and 4, with three threads";
    for (const std::size_t size : {2U, 3U, 8U})
      for (const auto& of_rank : train_on_ranks(fitting, size, {3}))
        EXPECT_EQ(of_rank, expected) << size << " ranks, stopped after epoch 3";
    Fitting<T> other(GetParam());
    other.spec.seed = 10;
    EXPECT_NE(train(other, 1, {}), expected) << "another seed";
  }
};

TEST_P(SameBits, Float32) {
  check<float>();
}
TEST_P(SameBits, Float64) {
  check<double>();
}

const std::vector<Setting> kSettings = [] {
  std::vector<Setting> all;
  for (const Task task :
       {Task::classes, Task::vector, Task::choice_named, Task::density_1d, Task::dsm_3d, Task::hybrid})
    for (const OptimizerKind optimizer : {OptimizerKind::adam, OptimizerKind::sgd, OptimizerKind::lbfgs})
      all.push_back({task, optimizer});
  return all;
}();

INSTANTIATE_TEST_SUITE_P(Training, SameBits, testing::ValuesIn(kSettings), describe);

}  // namespace
}  // namespace bl::test
