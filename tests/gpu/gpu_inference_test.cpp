// Many fits side by side on the GPU, as inference runs them, beside the processor's.
#include "bl/reproduce.hpp"
#include "gpu/gpu_fixture.hpp"
#include "inference/bootstrap.hpp"
#include "unit/inference/made_data.hpp"

namespace bl::test {
namespace {

using inference::Bootstrap;

const Context& gpu_job() {
  static const Context job = Context(2).on({.kind = Device::Kind::cuda});
  return job;
}

struct Fitted {
  LogitData data;
  Network<double> network{logit_architecture()};
  Objective<double> objective;
  inference::EstimateSpec spec;

  explicit Fitted(Index rows) : data(rows, 21), objective(network, {}, data.view()) {
    spec.minimiser.starts = 3;
  }
};

// Both end where the gradient's norm is below 1e-8.
TEST_F(Gpu, ResamplesEndWhereTheyDoOnTheProcessor) {
  const Fitted fitted(700);
  const Context processor(2);
  const inference::Estimate e = inference::estimate(fitted.objective, fitted.spec, processor);
  const inference::BootstrapSpec how{.resamples = 300, .seed = 3, .clusters = {}};
  const Bootstrap truth = bootstrap(fitted.objective, e, fitted.spec, how, processor),
                  ours = bootstrap(fitted.objective, e, fitted.spec, how, gpu_job()),
                  again = bootstrap(fitted.objective, e, fitted.spec, how, gpu_job());
  EXPECT_EQ(ours.failed, truth.failed);
  ASSERT_EQ(ours.draws.rows(), truth.draws.rows());
  EXPECT_LT((ours.draws - truth.draws).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(again.draws, ours.draws) << "who is run with whom does not matter";
}

TEST_F(Gpu, StartsEndWhereTheyDoOnTheProcessor) {
  const Fitted fitted(300);
  const Context processor(2);
  const inference::Minimisation truth = minimise(fitted.objective, fitted.spec.minimiser,
                                                 *make_engine<double>(processor)),
                                ours = minimise(fitted.objective, fitted.spec.minimiser,
                                                *make_engine<double>(gpu_job()));
  EXPECT_EQ(ours.starts, truth.starts);
  EXPECT_EQ(ours.optima.size(), truth.optima.size());
  EXPECT_NEAR(ours.best.loss, truth.best.loss, 1e-12);
  expect_near(ours.best.parameters, truth.best.parameters, 1e-6);
}

// Fits within fits: starts of replications.
TEST_F(Gpu, ReplicationsEndWhereTheyDoOnTheProcessor) {
  IdentificationOptions options = {.models = {identification_models().front()},
                                   .replications = 12,
                                   .sizes = {200},
                                   .coverage_rows = 200,
                                   .starts = 1,
                                   .threads = 2};
  const auto truth = reproduce_identification(options);
  options.device = "cuda";
  const auto ours = reproduce_identification(options);
  ASSERT_EQ(ours.size(), truth.size());
  for (std::size_t m = 0; m < ours.size(); ++m) {
    const RecoveryRound &a = ours[m].at_coverage_rows(), &b = truth[m].at_coverage_rows();
    EXPECT_EQ(a.not_converged, b.not_converged);
    ASSERT_EQ(a.parameters.size(), b.parameters.size());
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      EXPECT_NEAR(a.parameters[k].mean, b.parameters[k].mean, 1e-5);
      EXPECT_NEAR(a.parameters[k].standard_error, b.parameters[k].standard_error, 1e-5);
    }
  }
}

// Rows that differ in their weights alone are one copy on the GPU.
TEST_F(Gpu, RowsWithOtherWeightsAreOtherRows) {
  const Fixture<double> f(Task::choice_named, 30, 30, {4, 3});
  const Noise noise{RandomStream(1, Purpose::score_noise), 0.3, {}};
  const auto engine = make_engine<double>(gpu_context());
  engine->load(f.objective);
  engine->together(6, 0, [&](std::size_t i, Engine<double>& own) {
    std::vector<double> weights(30, 1.0);
    weights[i] = 3;
    DatasetView<double> data = f.problem.data();
    data.weights = weights;
    const Objective<double> heavier(f.network, f.problem.spec, data);
    ReferenceEngine<double> reference(Context(1));
    const Evaluation truth = evaluate<double>(reference, heavier, f.state.parameters, noise),
                     ours = evaluate<double>(own, heavier, f.state.parameters, noise),
                     base = evaluate<double>(own, f.objective, f.state.parameters, noise),
                     plain = evaluate<double>(reference, f.objective, f.state.parameters, noise);
    EXPECT_NEAR(ours.sum.loss, truth.sum.loss, 1e-10);
    EXPECT_NEAR(base.sum.loss, plain.sum.loss, 1e-10);
    expect_near(ours.gradient, truth.gradient, 1e-10);
  });
}

// More wide models than can share the GPU with their weights kept by their blocks.
TEST_F(Gpu, ManyWideFitsTakeTurns) {
  Architecture a = stacked_vector({.context = 300, .values = 0, .classes = 0}, {40}, 3);
  const Problem<float> problem = random_problem<float>(Task::vector, a, 48, 3);
  const Network<float> network(a);
  const Objective<float> objective(network, problem.spec, problem.data());
  std::vector<std::int64_t> rows(48);
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<Batch> batches(3, Batch{rows, 1.0 / 48});
  const auto fit = [&](std::size_t i, Engine<float>& engine) {
    const RowSet loaded = engine.load(objective);
    LearnerState<float> state;
    state.parameters.resize(static_cast<std::size_t>(network.layout().size()));
    starting_values<float>(a, network.layout(), i, state.parameters);
    engine.write(network, update_of(OptimizerKind::sgd, false, 0), state);
    EXPECT_EQ(engine
                  .steps({.from = loaded,
                          .batches = batches,
                          .noise = {RandomStream(1, Purpose::score_noise), 1, {}},
                          .rate = 0.01},
                         {})
                  .taken,
              3U);
    engine.read(state);
    return state.parameters;
  };
  constexpr std::size_t kFits = 150;
  std::vector<std::vector<float>> side_by_side(kFits);
  const auto engine = make_engine<float>(gpu_context());
  engine->load(objective);
  engine->together(kFits, 0, [&](std::size_t i, Engine<float>& own) { side_by_side[i] = fit(i, own); });
  for (const std::size_t i : {std::size_t{0}, std::size_t{77}, kFits - 1}) {
    ReferenceEngine<float> reference(Context(1));
    const std::vector<float> truth = fit(i, reference);
    for (std::size_t k = 0; k < truth.size(); ++k) ASSERT_NEAR(side_by_side[i][k], truth[k], 1e-4);
  }
}

}  // namespace
}  // namespace bl::test
