// One Langevin step of a chunk of chains, its parts, and the sweeps of the network it is made of.
#include <vector>

#include "check.hpp"
#include "engine/reference/utility.hpp"
#include "gibbs/chain_moves.hpp"
#include "gibbs/network_density.hpp"
#include "langevin_problem.hpp"

namespace bl::bench {
namespace {

constexpr Index kChunk = gibbs::kChainsPerChunk;

struct Setup {
  Network<float> network{langevin_architecture()};
  LangevinProblem problem = langevin_problem(network.layout());
  PreparedParameters<float> prepared;
  Setup() { network.prepare(problem.parameters, prepared); }

  // BL/tau of chain 5, written from the formulas.
  double truth(const float* y) const {
    const std::vector<double> parameters(problem.parameters.begin(), problem.parameters.end());
    const reference::Utility plain(network.architecture(), network.layout(), parameters);
    std::vector<double> z(problem.context.row(5), problem.context.row(5) + kContext);
    z.insert(z.end(), y, y + kResponses);
    return plain.outputs(z)[0] / kTemperature;
  }
};

void score_gradient(benchmark::State& state) {
  const Setup s;
  const gibbs::NetworkDensity<float> distribution(s.network, s.prepared, kTemperature, s.problem.context,
                                                  kChains, 1);
  std::vector<float> value(static_cast<std::size_t>(kChunk));
  Matrix<float> gradient(kChunk, kResponses);
  const auto points = s.problem.start.view().row_range(0, kChunk);
  for (auto _ : state) {
    distribution.evaluate(0, points, value, gradient.view());
    benchmark::DoNotOptimize(gradient.data());
  }
  expect_near(state, static_cast<double>(value[5]), s.truth(s.problem.start.row(5)), 1e-4, "utility");
}

void tangent_sweep(benchmark::State& state) {
  const Setup s;
  NetworkWorkspace<float> ws;
  std::vector<std::int32_t> begin;
  for (Index i = 0; i <= kChunk; ++i) begin.push_back(static_cast<std::int32_t>(i));
  const Points<float> points{
      s.problem.context.view().row_range(0, kChunk), begin, s.problem.start.view().row_range(0, kChunk), {}};
  Matrix<float> direction(kChunk, kResponses);
  RandomStream(2, Purpose::test).fill_normal(1, direction.flat());
  s.network.forward(s.prepared, points, ws);
  for (auto _ : state) {
    s.network.tangent(s.prepared, points, direction.view(), ws);
    benchmark::DoNotOptimize(ws.scores_dot.data());
  }
  std::vector<float> ahead(s.problem.start.row(5), s.problem.start.row(5) + kResponses), behind = ahead;
  constexpr float kMove = 1.0F / 1024;
  for (std::size_t j = 0; j < ahead.size(); ++j) {
    ahead[j] += kMove * direction(5, static_cast<Index>(j));
    behind[j] -= kMove * direction(5, static_cast<Index>(j));
  }
  const double slope =
      (s.truth(ahead.data()) - s.truth(behind.data())) / (2.0 * static_cast<double>(kMove)) * kTemperature;
  expect_near(state, static_cast<double>(ws.scores_dot(5, 0)), slope, 5e-3 * (1 + std::abs(slope)),
              "slope of the utility");
}

void langevin_step(benchmark::State& state) {
  const Setup s;
  const gibbs::NetworkDensity<float> distribution(s.network, s.prepared, kTemperature, s.problem.context,
                                                  kChains, 1);
  gibbs::ChainMoves<float> chains(distribution, gibbs::Box::unbounded(kResponses), s.problem.start.view(), 1);
  gibbs::MoveSettings<float> settings;
  settings.step = kStep;
  settings.adjusted = false;
  for (Index chunk = 0; chunk < chains.chunks(); ++chunk) chains.refresh(chunk);
  std::uint32_t move = 0;
  double alive = 0;
  for (auto _ : state) {
    alive = 0;
    for (Index chunk = 0; chunk < chains.chunks(); ++chunk)
      alive += chains.advance(chunk, move, settings).acceptance;
    ++move;
  }
  expect_near(state, alive, static_cast<double>(kChains), 0, "chains that moved");
  state.counters["chain_steps"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(kChains), benchmark::Counter::kIsRate);
}

BENCHMARK(score_gradient);
BENCHMARK(tangent_sweep);
BENCHMARK(langevin_step);

}  // namespace
}  // namespace bl::bench
