// The verbs of an engine, the same for all of them.
#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/cpu/cpu_engine.hpp"
#include "engine/reference/reference_engine.hpp"
#include "support/random_problem.hpp"
#include "training/trainer.hpp"

namespace bl {
namespace {

using test::Task;

// A problem, its loss, and batches of 4 of its rows in a fixed order.
template <class T>
struct Fixture {
  explicit Fixture(Task task, Index rows = 10)
      : problem(test::random_problem<T>(task, architecture(task), rows, 3)),
        network(problem.architecture),
        objective(network, problem.spec, problem.data()) {
    for (Index i = 0; i < rows; ++i) order.push_back((7 * i + 3) % rows);
    for (std::size_t from = 0; from < order.size(); from += 4)
      batches.push_back(
          {std::span<const std::int64_t>(order).subspan(from, std::min<std::size_t>(4, order.size() - from)),
           0.25});
    state.parameters.resize(static_cast<std::size_t>(network.layout().size()));
    starting_values<T>(network.architecture(), network.layout(), 5, state.parameters);
  }
  static Architecture architecture(Task task) {
    Architecture a = test::vector_form(task) ? stacked_vector(test::input_shape(task), {4, 3}, 3)
                                             : stacked(test::input_shape(task), {4, 3});
    a.activations = {Activation::tanh, Activation::softplus, Activation::square};
    return a;
  }
  StepPlan plan(RowSet from, double rate = 0.01) const {
    return {.from = from,
            .batches = batches,
            .noise = {RandomStream(1, Purpose::score_noise, 2), 0.4, {}},
            .rate = rate};
  }

  test::Problem<T> problem;
  Network<T> network;
  Objective<T> objective;
  std::vector<std::int64_t> order;
  std::vector<Batch> batches;
  LearnerState<T> state;
};

UpdateSpec update_of(OptimizerKind kind) {
  UpdateSpec spec;
  spec.optimizer.kind = kind;
  spec.optimizer.weight_decay = 0.01;
  return spec;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Engine, StepsAreThoseOfTheReference) {
  for (const Task task : {Task::classes, Task::choice_named, Task::dsm_3d, Task::hybrid_vector}) {
    const Fixture<double> f(task);
    for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
      for (const bool more : {false, true}) {  // clipping, a running mean, bounds
        UpdateSpec spec = update_of(kind);
        if (more) {
          spec.clip_norm = 0.05;
          spec.average = 0.9;
          spec.bounds.assign(f.state.parameters.size(), Bound::none);
          spec.bounds[0] = Bound::non_negative;
          spec.bounds[1] = Bound::non_positive;
        }
        CpuEngine<double> cpu(Context(2));
        ReferenceEngine<double> reference(Context(1));
        std::vector<LearnerState<double>> ends;
        std::vector<StepsReport> reports;
        for (Engine<double>* engine : std::initializer_list<Engine<double>*>{&cpu, &reference}) {
          const RowSet rows = engine->load(f.objective);
          engine->write(f.network, spec, f.state);
          reports.push_back(engine->steps(f.plan(rows), {}));
          engine->read(ends.emplace_back());
        }
        // Moments are means of gradients to rounding; adam divides small ones by a root of 1e-8 and more.
        const double tolerance = kind == OptimizerKind::sgd ? 1e-13 : 1e-8;
        EXPECT_EQ(reports[0].taken, 3U);
        EXPECT_FALSE(reports[0].stopped);
        EXPECT_EQ(reports[1].taken, 3U);
        EXPECT_NEAR(reports[0].loss.loss, reports[1].loss.loss, 1e-8 * (1 + std::abs(reports[1].loss.loss)));
        EXPECT_NEAR(reports[0].last.gradient_norm, reports[1].last.gradient_norm,
                    1e-8 * reports[1].last.gradient_norm);
        expect_near(ends[0].parameters, ends[1].parameters, tolerance);
        expect_near(ends[0].averaged, ends[1].averaged, tolerance);
        expect_near(ends[0].optimizer.first, ends[1].optimizer.first, tolerance);
        expect_near(ends[0].optimizer.second, ends[1].optimizer.second, tolerance);
        EXPECT_EQ(ends[0].optimizer.steps, 3);
        EXPECT_EQ(ends[1].optimizer.steps, 3);
        EXPECT_EQ(ends[0].averaged.empty(), !more);
        EXPECT_NE(ends[0].parameters, f.state.parameters);
        if (more) {
          EXPECT_GE(ends[0].parameters[0], 0);
          EXPECT_LE(ends[0].parameters[1], 0);
        }
      }
    }
  }
}

TEST(Engine, ManyStepsAreSingleStepsAndGoOnFromAStateThatWasRead) {
  const Fixture<float> f(Task::classes);
  UpdateSpec spec = update_of(OptimizerKind::adam);
  spec.average = 0.5;
  CpuEngine<float> whole(Context(1));
  const RowSet rows = whole.load(f.objective);
  whole.write(f.network, spec, f.state);
  const StepsReport report = whole.steps(f.plan(rows), {});
  LearnerState<float> at_once, between = f.state;
  whole.read(at_once);
  LossSum sum;
  for (const Batch& batch : f.batches) {
    CpuEngine<float> fresh(Context(2));
    fresh.write(f.network, spec, between);
    const StepReport one = fresh.step(fresh.load(f.objective), batch, f.plan(rows).noise, 0.01);
    EXPECT_TRUE(one.taken);
    sum.add(one.loss);
    fresh.read(between);
  }
  EXPECT_EQ(at_once.parameters, between.parameters);
  EXPECT_EQ(at_once.averaged, between.averaged);
  EXPECT_EQ(at_once.optimizer.second, between.optimizer.second);
  EXPECT_EQ(report.loss.loss, sum.loss);
}

TEST(Engine, StepsEndWhereTheCallerWantsOrTheLossIsNotFinite) {
  Fixture<double> f(Task::classes);
  CpuEngine<double> engine(Context(1));
  const RowSet rows = engine.load(f.objective);
  engine.write(f.network, update_of(OptimizerKind::sgd), f.state);
  int asked = 0;
  const StepsReport stopped = engine.steps(f.plan(rows), [&] { return ++asked == 2; });
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(stopped.taken, 2U);
  EXPECT_TRUE(stopped.last.taken);

  f.problem.context(f.order[5], 0) = std::numeric_limits<double>::quiet_NaN();  // in the second batch
  engine.write(f.network, update_of(OptimizerKind::sgd), f.state);
  const StepsReport diverged = engine.steps(f.plan(rows), {});
  EXPECT_FALSE(diverged.stopped);
  EXPECT_FALSE(diverged.last.taken);
  EXPECT_EQ(diverged.taken, 1U);
  LearnerState<double> state;
  engine.read(state);
  for (const double p : state.parameters) EXPECT_TRUE(std::isfinite(p));
}

TEST(Engine, LoadsAnObjectiveOnce) {
  const Fixture<double> f(Task::classes), other(Task::dsm_1d);
  CpuEngine<double> engine(Context(1));
  const RowSet first = engine.load(f.objective), second = engine.load(other.objective);
  EXPECT_NE(first, second);
  EXPECT_EQ(engine.load(f.objective), first);
}

TEST(Engine, FitsTogetherGiveTheBitsOfFitsAlone) {
  const Fixture<float> f(Task::choice);
  const auto fit = [&](std::size_t i, Engine<float>& engine) {
    const RowSet rows = engine.load(f.objective);
    LearnerState<float> state = f.state;
    starting_values<float>(f.network.architecture(), f.network.layout(), i, state.parameters);
    engine.write(f.network, update_of(OptimizerKind::adam), state);
    engine.steps(f.plan(rows), {});
    engine.read(state);
    return state.parameters;
  };
  std::vector<std::vector<float>> alone;
  for (std::size_t i = 0; i < 5; ++i) {
    CpuEngine<float> own(Context(1));
    alone.push_back(fit(i, own));
  }
  for (const std::size_t threads : {1U, 3U}) {
    for (const double numbers : {1e3, 1e9}) {  // small steps run side by side, long ones one after the other
      CpuEngine<float> engine{Context(threads)};
      engine.load(f.objective);
      EXPECT_EQ(engine.at_once(5, numbers), numbers < 1e6 ? threads : 1U);
      std::vector<std::vector<float>> ends(5);
      engine.together(5, numbers, [&](std::size_t i, Engine<float>& own) {
        EXPECT_NE(&own, &engine);
        EXPECT_EQ(own.context().threads(), numbers < 1e6 ? 1U : threads);
        ends[i] = fit(i, own);
      });
      EXPECT_EQ(ends, alone);
      EXPECT_THROW(engine.together(5, numbers,
                                   [](std::size_t i, Engine<float>&) {
                                     if (i == 2) throw std::runtime_error("the third");
                                   }),
                   std::runtime_error);
    }
  }
}

// Few moves, so that chains that differ by roundings have not drifted apart.
TEST(Engine, ChainsAreThoseOfTheReference) {
  for (const Task task : {Task::dsm_3d, Task::hybrid, Task::hybrid_vector}) {
    for (const bool conditional : {false, true}) {
      SCOPED_TRACE(test::name(task));
      const Fixture<double> f(task, 3);
      const Index dims = f.network.architecture().input.values;
      if (conditional && dims < 2) continue;
      const Index moving = conditional ? 1 : dims, chains = 12;
      Matrix<double> start(chains, moving), held(chains, dims);
      test::fill_normal(start, RandomStream(1, Purpose::test), 1, 0.5);
      test::fill_normal(held, RandomStream(1, Purpose::test), 2, 0.5);
      ChainPlan<double> plan{.network = f.network,
                             .parameters = f.state.parameters,
                             .temperature = 0.8,
                             .context = f.problem.context.view(),
                             .rows = 3,
                             .chains_per_row = 4,
                             .box = gibbs::Box::cube(moving, -2, 2),
                             .start = start.view(),
                             .free = conditional ? std::vector<Index>{1} : std::vector<Index>{},
                             .held = held.view(),
                             .options = {}};
      plan.options.warmup = 0;
      plan.options.draws = 6;
      plan.options.step = 0.1;
      plan.options.max_leapfrog = 4;
      plan.options.chains_per_distribution = 4;
      const auto ours = CpuEngine<double>(Context(2)).run_chains(plan);
      const auto truth = ReferenceEngine<double>(Context(1)).run_chains(plan);
      bool moved = false;
      for (Index i = 0; i < chains; ++i)
        for (Index j = 0; j < moving; ++j) {
          EXPECT_NEAR(ours.last(i, j), truth.last(i, j), 1e-10);
          moved = moved || ours.last(i, j) != start(i, j);
        }
      EXPECT_TRUE(moved);
      ASSERT_EQ(ours.classes.rows(), truth.classes.rows());
      for (std::size_t i = 0; i < truth.classes.flat().size(); ++i)
        EXPECT_EQ(ours.classes.flat()[i], truth.classes.flat()[i]);
    }
  }
}

TEST(Engine, TheTrainerDoesNotKnowWhereItRuns) {
  const Fixture<double> f(Task::hybrid);
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::lbfgs}) {
    TrainSpec spec;
    spec.optimizer.kind = kind;
    spec.optimizer.learning_rate = 0.01;
    spec.epochs = 3;
    spec.batch_size = 4;
    CpuEngine<double> cpu(Context(2));
    ReferenceEngine<double> reference(Context(1));
    Trainer<double> ours(f.objective, &f.objective, spec, cpu),
        plain(f.objective, &f.objective, spec, reference);
    TrainingState<double> a = ours.start(), b = plain.start();
    const FitReport report = ours.run(a);
    EXPECT_NEAR(report.best_monitor, plain.run(b).best_monitor, 1e-9);
    expect_near(a.parameters, b.parameters, 1e-8);
    EXPECT_LT(report.history.back().train_loss, report.history.front().train_loss);
  }
}

TEST(Engine, AContextThatWantsToStopEndsTraining) {
  const Fixture<double> f(Task::classes);
  int asked = 0;
  CpuEngine<double> engine(Context(1, {.should_stop = [&] { return ++asked == 5; }}));
  TrainSpec spec;
  spec.batch_size = 4;
  Trainer<double> trainer(f.objective, nullptr, spec, engine);
  TrainingState<double> state = trainer.start();
  EXPECT_EQ(trainer.run(state).reason, StopReason::interrupted);
  EXPECT_EQ(state.epoch, 1) << "three batches, a question after the epoch, and the first batch of the second";
}

}  // namespace
}  // namespace bl
