// Training allocates nothing per step after the first: every call of operator new is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support/random_problem.hpp"
#include "training/trainer.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, whole)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bl::test {
namespace {

Architecture architecture(Task task, BasisKind basis) {
  Architecture a = stacked(input_shape(task), {6, 4});
  if (vector_form(task)) a = stacked_vector(input_shape(task), {6, 4}, 3);
  a.skip = Skip::dense;
  a.basis.kind = basis;
  for (auto& degrees : a.layers[0].degrees) degrees = {2};
  return a;
}

template <class T>
void expect_no_allocation_per_step(const Problem<T>& problem, double rate = 1e-3) {
  const Network<T> network(problem.architecture);
  const Objective<T> objective(network, problem.spec, problem.data());
  const Noise noise{RandomStream(1, Purpose::test), problem.spec.sigma, {}};
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    const auto engine = make_engine<T>(Context(threads));
    const RowSet loaded = engine->load(objective);
    LearnerState<T> state;
    state.parameters.resize(static_cast<std::size_t>(network.layout().size()));
    starting_values<T>(network.architecture(), network.layout(), 1, state.parameters);
    engine->write(network, {.clip_norm = 1, .average = 0.9}, state);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.rows));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    const auto steps = [&](int count) {
      for (int i = 0; i < count; ++i)
        EXPECT_TRUE(engine->step(loaded, {.rows = rows, .scale = 1.0 / 256}, noise, rate).taken);
    };
    steps(1);
    const std::int64_t before = allocations;
    steps(20);
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
  }
}

TEST(Allocation, TheCounterCounts) {
  const std::int64_t before = allocations;
  std::vector<double> vector(10);
  Matrix<double> matrix(3, 3);
  EXPECT_EQ(allocations - before, 2);
}

TEST(Allocation, NonePerStepAfterTheFirst) {
  for (const Task task : kTasks) {
    for (const BasisKind basis : {BasisKind::affine, BasisKind::monomials}) {
      SCOPED_TRACE(name(task));
      expect_no_allocation_per_step(random_problem<float>(task, architecture(task, basis), 256, 1));
      expect_no_allocation_per_step(random_problem<double>(task, architecture(task, basis), 256, 1));
    }
  }
}

// One number whose normaliser is exact. Long steps, so that kinks come into the interval which were outside.
TEST(Allocation, NonePerStepWhereTheNormaliserIsExact) {
  Architecture a = stacked(input_shape(Task::density_1d), {6});
  a.activations = {Activation::clip, Activation::relu, Activation::abs};
  auto problem = random_problem<double>(Task::density_1d, a, 256, 1);
  problem.spec.rule = {};
  problem.spec.exact = ExactResponse{.lower = -2, .upper = 2.5, .slots = {{-0.5, 0.5}}};
  expect_no_allocation_per_step(problem, 0.05);
}

// The loop itself, in epochs of 2 and of 32 batches, with room reserved for the records. (Ragged choice sets
// are left out: their workspaces grow until the largest chunk has come by.)
TEST(Allocation, TheLoopAllocatesNothingButRecords) {
  for (const Task task : {Task::classes, Task::vector, Task::dsm_1d, Task::hybrid}) {
    const auto problem = random_problem<float>(task, architecture(task, BasisKind::affine), 256, 1);
    const Network<float> network(problem.architecture);
    const Objective<float> objective(network, problem.spec, problem.data());
    const auto allocated = [&](std::int64_t batch_size) {
      TrainSpec spec;
      spec.batch_size = batch_size;
      spec.epochs = 12;
      const auto engine = make_engine<float>(Context(1));
      Trainer<float> trainer(objective, nullptr, spec, *engine);
      TrainingState<float> state = trainer.start();
      state.history.reserve(64);
      std::int64_t after_second = 0, last = 0;
      TrainingHooks<float> hooks;
      hooks.on_epoch = [&](const TrainingState<float>& now) {
        last = allocations;
        if (now.epoch == 2) after_second = last;
      };
      trainer.run(state, hooks);
      return last - after_second;
    };
    const std::int64_t few = allocated(128), many = allocated(8);
    EXPECT_EQ(few, 0) << name(task);
    EXPECT_EQ(many, 0) << name(task);
  }
}

}  // namespace
}  // namespace bl::test
