// The engine of a GPU beside the reference engine and beside the processor's. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "engine/cpu/cpu_engine.hpp"
#include "gpu/gpu_fixture.hpp"
#include "training/trainer.hpp"

namespace bl::test {
namespace {

// Every n-th architecture; 1 for all.
std::size_t stride() {
  const char* text = std::getenv("BL_GPU_TEST_EVERY");
  return text ? std::strtoul(text, nullptr, 10) : 1;
}

struct AgreeCase {
  Task task;
  Path path;
};

class GpuAgrees : public Gpu, public testing::WithParamInterface<AgreeCase> {};

TEST_P(GpuAgrees, OnEveryActivationBasisAndSkip) {
  const auto [task, path] = GetParam();
  if (path == Path::heads_apart) cuda::tuning().wide_context = 0;
  if (path == Path::memory) cuda::tuning().streamed = true;
  Sides sides;
  double in_double = 0, in_float = 0;
  std::size_t number = 0;
  const std::size_t every = stride() * (path == Path::shared_memory ? 1 : 5);
  for_each_variant(task, [&](const Variant& variant) {
    if (++number % every != 0) return;
    const Network<double> network(architecture_of(task, variant));
    const auto drawn = draw(task, variant, network, task == Task::density_2d ? 2 : 4, sides);
    ASSERT_TRUE(drawn) << "no draw without a head near a kink";
    expect_agreement<double>(task, *drawn, *make_engine<double>(gpu_context()), in_double);
    expect_agreement<float>(task, *drawn, *make_engine<float>(gpu_context()), in_float);
  });
  RecordProperty("roundings_double", std::to_string(in_double));
  RecordProperty("roundings_float", std::to_string(in_float));
}

std::vector<AgreeCase> agree_cases() {
  std::vector<AgreeCase> all;
  for (const Task task : kTasks)
    for (const Path path : {Path::shared_memory, Path::heads_apart, Path::memory}) {
      all.push_back({task, path});
    }
  return all;
}
std::string case_name(const testing::TestParamInfo<AgreeCase>& info) {
  constexpr std::array<const char*, 3> names = {"shared_memory", "heads_apart", "memory"};
  return std::string(name(info.param.task)) + "_" + names.at(static_cast<std::size_t>(info.param.path));
}
INSTANTIATE_TEST_SUITE_P(Objective, GpuAgrees, testing::ValuesIn(agree_cases()), case_name);

TEST_F(Gpu, StepsAreThoseOfTheReferenceOnEveryPath) {
  for (const Path path : {Path::shared_memory, Path::heads_apart, Path::memory}) {
    cuda::tuning() = {.wide_context = path == Path::heads_apart ? 0 : 4096, .streamed = path == Path::memory};
    for (const Task task :
         {Task::classes, Task::vector, Task::choice_named, Task::dsm_3d, Task::hybrid_vector}) {
      const Fixture<double> f(task, 70, 16, {4, 3});
      for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
        for (const bool more : {false, true}) {
          SCOPED_TRACE(std::string(name(task)) + " path " + std::to_string(static_cast<int>(path)));
          const UpdateSpec spec = update_of(kind, more, f.state.parameters.size());
          const auto gpu = make_engine<double>(gpu_context());
          ReferenceEngine<double> reference(Context(1));
          StepsReport ours, truth;
          const LearnerState<double> a = f.after_steps(*gpu, spec, &ours),
                                     b = f.after_steps(reference, spec, &truth);
          const double tolerance = kind == OptimizerKind::sgd ? 1e-12 : 1e-8;
          EXPECT_EQ(ours.taken, 5U);
          EXPECT_EQ(a.optimizer.steps, 5);
          EXPECT_NEAR(ours.loss.loss, truth.loss.loss, 1e-8 * (1 + std::abs(truth.loss.loss)));
          EXPECT_NEAR(ours.first_loss, truth.first_loss, 1e-10);
          EXPECT_NEAR(ours.last.gradient_norm, truth.last.gradient_norm, 1e-8 * truth.last.gradient_norm);
          expect_near(a.parameters, b.parameters, tolerance);
          expect_near(a.averaged, b.averaged, tolerance);
          expect_near(a.optimizer.first, b.optimizer.first, tolerance);
          expect_near(a.optimizer.second, b.optimizer.second, tolerance);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(Gpu, TheSameBitsRunAfterRun) {
  for (const Path path : {Path::shared_memory, Path::heads_apart, Path::memory}) {
    cuda::tuning() = {.wide_context = path == Path::heads_apart ? 0 : 4096, .streamed = path == Path::memory};
    for (const Task task : {Task::classes, Task::dsm_3d}) {
      const Fixture<float> f(task, 500, 128, {36, 6});
      const UpdateSpec spec = update_of(OptimizerKind::adam, true, f.state.parameters.size());
      const auto once = make_engine<float>(gpu_context()), again = make_engine<float>(gpu_context());
      const LearnerState<float> a = f.after_steps(*once, spec), b = f.after_steps(*again, spec);
      EXPECT_EQ(a.parameters, b.parameters);
      EXPECT_EQ(a.averaged, b.averaged);
      EXPECT_NE(a.parameters, f.state.parameters);
    }
  }
}

TEST_F(Gpu, StepsGoOnFromAStateThatWasReadOnAnyDevice) {
  const Fixture<double> f(Task::classes, 40, 8, {4, 3});
  const UpdateSpec spec = update_of(OptimizerKind::adam, true, f.state.parameters.size());
  const auto whole = make_engine<double>(gpu_context());
  const LearnerState<double> at_once = f.after_steps(*whole, spec);
  LearnerState<double> moved = f.state;
  for (std::size_t i = 0; i < f.batches.size(); ++i) {  // the processor and the GPU take turns
    const auto engine = i % 2 == 0 ? make_engine<double>(gpu_context()) : make_engine<double>(Context(1));
    engine->write(f.network, spec, moved);
    EXPECT_TRUE(engine->step(engine->load(f.objective), f.batches[i], f.plan(0).noise, 0.01).taken);
    engine->read(moved);
  }
  expect_near(moved.parameters, at_once.parameters, 1e-9);
  expect_near(moved.averaged, at_once.averaged, 1e-9);
  EXPECT_EQ(moved.optimizer.steps, at_once.optimizer.steps);
}

TEST_F(Gpu, StepsEndWhereTheLossIsNotFinite) {
  for (const bool streamed : {false, true}) {
    cuda::tuning().streamed = streamed;
    Fixture<double> f(Task::classes, 16, 4, {4, 3});
    f.problem.context(f.order[5], 0) = std::numeric_limits<double>::quiet_NaN();  // in the second batch
    const auto engine = make_engine<double>(gpu_context());
    StepsReport report;
    const LearnerState<double> end = f.after_steps(*engine, update_of(OptimizerKind::sgd, false, 0), &report);
    EXPECT_FALSE(report.last.taken);
    EXPECT_EQ(report.taken, 1U);
    for (const double p : end.parameters) EXPECT_TRUE(std::isfinite(p));
  }
}

TEST_F(Gpu, LossesOfManyRowsAreThoseOfTheReference) {
  for (const Path path : {Path::shared_memory, Path::heads_apart, Path::memory}) {
    cuda::tuning() = {.wide_context = path == Path::heads_apart ? 0 : 4096, .streamed = path == Path::memory};
    SCOPED_TRACE(static_cast<int>(path));
    Fixture<double> f(Task::vector, 1300, 64, {4, 3});  // more than two batches of a loss
    ReferenceEngine<double> reference(Context(1));
    const auto loss = [&](Engine<double>& engine, std::span<double> gradient) {
      return engine.loss(engine.load(f.objective), {.rows = f.order}, f.plan(0).noise, f.state.parameters,
                         gradient);
    };
    std::vector<double> ours(f.state.parameters.size()), truth(ours.size());
    const LossSum expected = loss(reference, truth);
    const auto gpu = make_engine<double>(gpu_context());
    for (const bool slope : {false, true, false}) {
      const LossSum found = loss(*gpu, slope ? std::span<double>(ours) : std::span<double>());
      EXPECT_NEAR(found.loss, expected.loss, 1e-11 * expected.loss);
      EXPECT_NEAR(found.weight, expected.weight, 1e-11 * expected.weight);
    }
    for (std::size_t i = 0; i < ours.size(); ++i)
      ASSERT_NEAR(ours[i], truth[i], 1e-10 * (1 + std::abs(truth[i]))) << i;
    f.problem.context(f.order[700], 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(loss(*make_engine<double>(gpu_context()), {}).loss)) << "told as it is";
  }
}

TEST_F(Gpu, FitsTogetherAreThoseOfFitsAlone) {
  const Fixture<double> f(Task::choice, 50, 16, {4, 3});
  const auto fit = [&](std::size_t i, Engine<double>& engine) {
    const RowSet rows = engine.load(f.objective);
    LearnerState<double> state = f.state;
    starting_values<double>(f.network.architecture(), f.network.layout(), i, state.parameters);
    engine.write(f.network, update_of(OptimizerKind::adam, false, 0), state);
    for (std::size_t epoch = 0; epoch < 2 + i % 2; ++epoch) engine.steps(f.plan(rows), {});
    engine.read(state);
    return state.parameters;
  };
  std::vector<std::vector<double>> alone(9), side_by_side(9), again(9);
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = fit(i, *make_engine<double>(gpu_context()));
  const auto engine = make_engine<double>(gpu_context());
  engine->load(f.objective);
  engine->together(9, 1e3, [&](std::size_t i, Engine<double>& own) { side_by_side[i] = fit(i, own); });
  engine->together(9, 1e3, [&](std::size_t i, Engine<double>& own) { again[i] = fit(i, own); });
  EXPECT_EQ(again, side_by_side) << "who arrives when does not matter";
  // Sums are cut otherwise where blocks are shared by several fits: Adam divides small gradients by a root.
  for (std::size_t i = 0; i < alone.size(); ++i) expect_near(side_by_side[i], alone[i], 1e-8);
  EXPECT_THROW(engine->together(5, 1e3,
                                [](std::size_t i, Engine<double>&) {
                                  if (i == 2) throw std::runtime_error("the third");
                                }),
               std::runtime_error);
}

TEST_F(Gpu, FitsTogetherKeepTheirOwnUpdateRules) {
  const Fixture<double> f(Task::vector, 50, 16, {4, 3});
  const auto fit = [&](std::size_t i, Engine<double>& engine) {
    UpdateSpec spec = update_of(i == 3 ? OptimizerKind::sgd : OptimizerKind::adamw, false, 0);
    spec.optimizer.weight_decay = 0.5 * static_cast<double>(i % 3);
    if (i == 4) spec.bounds.assign(f.state.parameters.size(), Bound::non_negative);
    LearnerState<double> state = f.state;
    const RowSet rows = engine.load(f.objective);
    engine.write(f.network, spec, state);
    engine.steps(f.plan(rows), {});
    engine.read(state);
    return state.parameters;
  };
  std::vector<std::vector<double>> side_by_side(5);
  const auto engine = make_engine<double>(gpu_context());
  engine->load(f.objective);
  engine->together(5, 1e3, [&](std::size_t i, Engine<double>& own) { side_by_side[i] = fit(i, own); });
  for (std::size_t i = 0; i < side_by_side.size(); ++i)
    expect_near(side_by_side[i], fit(i, *make_engine<double>(gpu_context())), 1e-8);
  EXPECT_NE(side_by_side[0], side_by_side[1]);
}

// Every fit opens and closes cuBLAS and records its steps (two lengths of batches) while others do.
TEST_F(Gpu, LargeFitsTogetherDoNotSpoilEachOthersRecordings) {
  cuda::tuning() = {.wide_context = 4096, .streamed = true};
  const Fixture<float> f(Task::vector, 88, 64, {64, 32});
  const auto fit = [&](Engine<float>& engine) {
    LearnerState<float> state = f.state;
    const RowSet rows = engine.load(f.objective);
    engine.write(f.network, update_of(OptimizerKind::adamw, false, 0), state);
    engine.steps(f.plan(rows), {});
    engine.read(state);
    return state.parameters;
  };
  const std::vector<float> alone = fit(*make_engine<float>(gpu_context()));
  for (int round = 0; round < 10; ++round) {
    std::vector<std::vector<float>> side_by_side(8);
    const auto engine = make_engine<float>(gpu_context());
    engine->load(f.objective);
    engine->together(8, 1e6, [&](std::size_t i, Engine<float>& own) { side_by_side[i] = fit(own); });
    for (const std::vector<float>& one : side_by_side) ASSERT_EQ(one, alone) << "round " << round;
  }
}

TEST_F(Gpu, ChainsAreThoseOfTheReference) {
  for (const gibbs::Method method :
       {gibbs::Method::langevin, gibbs::Method::mala, gibbs::Method::hmc, gibbs::Method::paper}) {
    const Fixture<double> f(Task::dsm_3d, 3, 4, {4, 3});
    Matrix<double> start(12, 3);
    fill_normal(start, RandomStream(1, Purpose::test), 1, 0.5);
    ChainPlan<double> plan{.network = f.network,
                           .parameters = f.state.parameters,
                           .temperature = 0.8,
                           .context = f.problem.context.view(),
                           .rows = 3,
                           .chains_per_row = 4,
                           .box = gibbs::Box::cube(3, -2, 2),
                           .start = start.view(),
                           .free = {},
                           .held = {},
                           .options = {}};
    plan.options.method = method;
    plan.options.warmup = 2;
    plan.options.draws = 6;
    plan.options.step = 0.1;
    plan.options.max_leapfrog = 4;
    plan.options.chains_per_distribution = 4;
    const auto ours = make_engine<double>(gpu_context())->run_chains(plan);
    const auto truth = ReferenceEngine<double>(Context(1)).run_chains(plan);
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(ours.last(i, j), truth.last(i, j), 1e-10);
        EXPECT_NEAR(ours.draws(2, i, j), truth.draws(2, i, j), 1e-10);
      }
    EXPECT_NEAR(ours.acceptance, truth.acceptance, 1e-10);
    EXPECT_EQ(ours.divergences, truth.divergences);
  }
}

TEST_F(Gpu, TheTrainerEndsWhereItDoesOnTheProcessor) {
  const Fixture<double> f(Task::hybrid, 30, 8, {4, 3});
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::lbfgs}) {
    TrainSpec spec;
    spec.optimizer.kind = kind;
    spec.optimizer.learning_rate = 0.01;
    spec.epochs = 3;
    spec.batch_size = 8;
    const auto gpu = make_engine<double>(gpu_context()), processor = make_engine<double>(Context(1));
    Trainer<double> ours(f.objective, &f.objective, spec, *gpu),
        plain(f.objective, &f.objective, spec, *processor);
    TrainingState<double> a = ours.start(), b = plain.start();
    EXPECT_NEAR(ours.run(a).best_monitor, plain.run(b).best_monitor, 1e-9);
    expect_near(a.parameters, b.parameters, 1e-8);
  }
}

}  // namespace
}  // namespace bl::test
