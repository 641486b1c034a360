// Chains by a few lanes of a warp and by the threads of a block, beside the reference engine.
#include <limits>

#include "gpu/gpu_fixture.hpp"

namespace bl::test {
namespace {

// Chains of a model with values of its own for every parameter; four of them for each row.
template <class T>
struct ChainCase {
  Network<T> network;
  std::vector<T> parameters;
  Matrix<T> context, start;
  ChainPlan<T> plan;

  ChainCase(const Architecture& a, Index rows, gibbs::Method method)
      : network(a),
        parameters(static_cast<std::size_t>(network.layout().size())),
        context(rows, a.input.context),
        start(4 * rows, a.input.values),
        plan{.network = network,
             .parameters = parameters,
             .temperature = 0.8,
             .context = {},
             .rows = rows,
             .chains_per_row = 4,
             .box = gibbs::Box::cube(a.input.values, -2, 2),
             .start = {},
             .free = {},
             .held = {},
             .options = {}} {
    starting_values<T>(a, network.layout(), 5, parameters);
    fill_normal(context, RandomStream(2, Purpose::test), 1, 0.7);
    fill_normal(start, RandomStream(1, Purpose::test), 1, 0.5);
    plan.context = context.view();
    plan.start = start.view();
    plan.options.method = method;
    plan.options.warmup = 2;
    plan.options.draws = 5;
    plan.options.thin = 2;
    plan.options.step = 0.1;
    plan.options.max_leapfrog = 4;
    plan.options.chains_per_distribution = 4;
  }
};

Architecture shape(Index context, Index values, const std::vector<Index>& widths) {
  return stacked({.context = context, .values = values, .classes = 0}, widths);
}

std::vector<Architecture> plain_stacks() {
  std::vector<Architecture> all = {shape(0, 1, {4}),       shape(3, 2, {5, 3}),  shape(12, 8, {36, 6}),
                                   shape(2, 5, {6, 5, 3}), shape(1, 11, {7, 2}), shape(3, 4, {1})};
  all[1].activations = {Activation::tanh, Activation::softplus, Activation::square};
  all[1].layers[0].degrees = {{{1, 1}, {}, {1}}};
  all[2].readout.sign = Sign::free;
  all[3].lambda = Sign::free;
  all[3].activations = {Activation::identity, Activation::softplus, Activation::huber};
  all[3].layers[1].degrees = {{{}, {1, 1, 1}, {1, 1}}};
  all[4].readout.bias = false;
  all[4].activations = {Activation::clip, Activation::relu, Activation::abs};
  all[4].basis.response_only = true;
  return all;
}

void expect_same(const gibbs::SamplerResult<double>& ours, const gibbs::SamplerResult<double>& truth,
                 double tolerance) {
  for (Index i = 0; i < truth.last.rows(); ++i)
    for (Index j = 0; j < truth.last.cols(); ++j) {
      EXPECT_NEAR(ours.last(i, j), truth.last(i, j), tolerance);
      EXPECT_NEAR(ours.draws(1, i, j), truth.draws(1, i, j), tolerance);
    }
  EXPECT_NEAR(ours.acceptance, truth.acceptance, tolerance);
  EXPECT_EQ(ours.divergences, truth.divergences);
  EXPECT_EQ(ours.stopped, truth.stopped);
}

TEST_F(Gpu, ChainsOfLanesAndOfBlocksAreThoseOfTheReference) {
  int number = 0;
  for (const Architecture& a : plain_stacks()) {
    for (const gibbs::Method method : {gibbs::Method::langevin, gibbs::Method::hmc}) {
      const ChainCase<double> chains(a, 3, method);
      const auto truth = ReferenceEngine<double>(Context(1)).run_chains(chains.plan);
      for (const int lanes : {0, 4, 16}) {
        SCOPED_TRACE(std::to_string(number) + ", lanes " + std::to_string(lanes));
        cuda::tuning().chain_lanes = lanes;
        ASSERT_EQ(cuda::lanes_of_chain(chains.plan), lanes);
        expect_same(make_engine<double>(gpu_context())->run_chains(chains.plan), truth, 1e-9);
        if (HasFailure()) return;
      }
    }
    ++number;
  }
}

// In float32 a chain of 10 moves stays within some hundred roundings of its coordinates, which are below 2.
TEST_F(Gpu, ChainsInFloat32StayBesideThoseInFloat64) {
  Architecture a = shape(12, 8, {36, 6});
  a.activations = {Activation::tanh, Activation::softplus,
                   Activation::square};  // no kinks to be on one side of
  const ChainCase<float> ours(a, 40, gibbs::Method::langevin);
  ChainCase<double> theirs(a, 40, gibbs::Method::langevin);
  theirs.parameters.assign(ours.parameters.begin(), ours.parameters.end());
  std::copy(ours.context.flat().begin(), ours.context.flat().end(), theirs.context.flat().begin());
  std::copy(ours.start.flat().begin(), ours.start.flat().end(), theirs.start.flat().begin());
  theirs.plan.parameters = theirs.parameters;
  theirs.plan.options.warmup = 0;
  ChainPlan<float> plan = ours.plan;
  plan.options.warmup = 0;
  const auto truth = ReferenceEngine<double>(Context(1)).run_chains(theirs.plan);
  const double rounding = 2.0 * std::numeric_limits<float>::epsilon();
  for (const int lanes : {0, 4, 16}) {
    SCOPED_TRACE(lanes);
    cuda::tuning().chain_lanes = lanes;
    const auto found = make_engine<float>(gpu_context())->run_chains(plan);
    const auto again = make_engine<float>(gpu_context())->run_chains(plan);
    for (Index i = 0; i < truth.last.rows(); ++i)
      for (Index j = 0; j < truth.last.cols(); ++j) {
        ASSERT_NEAR(found.last(i, j), truth.last(i, j), 200 * rounding);
        ASSERT_EQ(found.last(i, j), again.last(i, j)) << "bit-identical from run to run";
      }
  }
}

// A utility that grows with the square: a long step leaves the finite numbers.
TEST_F(Gpu, ChainsThatLeaveTheFiniteNumbersStopWhereTheReferenceStops) {
  Architecture a = shape(2, 3, {4, 2});
  a.activations = {Activation::identity, Activation::relu, Activation::square};
  a.lambda = Sign::free;
  ChainCase<double> chains(a, 3, gibbs::Method::langevin);
  chains.plan.box = gibbs::Box::unbounded(3);
  chains.plan.options.warmup = 0;
  chains.plan.options.draws = 60;
  chains.plan.options.step = 40;
  const auto truth = ReferenceEngine<double>(Context(1)).run_chains(chains.plan);
  ASSERT_GT(truth.divergences, 0);
  for (const int lanes : {0, 4, 16}) {
    SCOPED_TRACE(lanes);
    cuda::tuning().chain_lanes = lanes;
    const auto ours = make_engine<double>(gpu_context())->run_chains(chains.plan);
    EXPECT_EQ(ours.divergences, truth.divergences);
    EXPECT_EQ(ours.stopped, truth.stopped);
    for (Index i = 0; i < ours.last.rows(); ++i)
      for (Index j = 0; j < ours.last.cols(); ++j) EXPECT_TRUE(std::isfinite(ours.last(i, j)));
  }
}

TEST_F(Gpu, LanesWorkOnChainsOfPlainStacksAlone) {
  const auto lanes = [](const Architecture& a, Index rows) {
    return cuda::lanes_of_chain(ChainCase<double>(a, rows, gibbs::Method::mala).plan);
  };
  const Architecture plain = shape(3, 2, {5, 3});
  EXPECT_EQ(lanes(plain, 20), 16) << "few chains";
  EXPECT_EQ(lanes(plain, 20000), 4) << "many chains";
  for (const Skip skip : {Skip::input, Skip::dense, Skip::residual}) {
    Architecture a = plain;
    a.skip = skip;
    EXPECT_EQ(lanes(a, 20), 0);
  }
  EXPECT_EQ(lanes(shape(1, 13, {4}), 20), 0) << "more responses than registers are kept for";
  EXPECT_EQ(lanes(single_block({.context = 1, .values = 2, .classes = 0}, {2}, {1}, {1}), 20), 0)
      << "products of inputs";
  EXPECT_EQ(lanes(shape(1, 2, {600, 100}), 20), 0) << "more parameters than shared memory";
}

}  // namespace
}  // namespace bl::test
