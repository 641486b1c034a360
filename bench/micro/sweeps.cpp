// Value and gradient of a batch, objective by objective: the sweeps of the network with bases and softmax.
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "compute/log_sum_exp.hpp"
#include "engine/cpu/batch.hpp"
#include "support/random_problem.hpp"

namespace bl::bench {
namespace {

constexpr Index kRows = 256;

void batch_gradient(benchmark::State& state, test::Task task, BasisKind basis) {
  Architecture a = stacked(test::input_shape(task), {36, 6});
  if (test::vector_form(task)) a = stacked_vector(test::input_shape(task), {36, 6}, 3);
  a.basis.kind = basis;
  if (basis == BasisKind::monomials)
    for (auto& degrees : a.layers[0].degrees) degrees = {2};
  const auto problem = test::random_problem<float>(task, a, kRows, 1);
  const Network<float> network(problem.architecture);
  const Objective<float> objective(network, problem.spec, problem.data());
  const Context job(1);
  BatchEvaluator<float> evaluator(objective, job);
  std::vector<float> parameters(static_cast<std::size_t>(network.layout().size())),
      gradient(parameters.size());
  starting_values<float>(network.architecture(), network.layout(), 1, parameters);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(kRows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const Noise noise{RandomStream(1, Purpose::test), problem.spec.sigma, {}};
  double loss = 0;
  for (auto _ : state) {
    loss = evaluator.evaluate(parameters, rows, noise, 1.0 / kRows, gradient).mean();
    benchmark::DoNotOptimize(gradient.data());
  }
  // The gradient against a difference of losses along itself.
  std::vector<float> ahead = parameters, behind = parameters;
  double square = 0;
  for (const float g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
  const double move = 1e-3 / std::sqrt(square);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ahead[i] += static_cast<float>(move) * gradient[i];
    behind[i] -= static_cast<float>(move) * gradient[i];
  }
  const auto mean = [&](const std::vector<float>& at) {
    return evaluator.evaluate(at, rows, noise, 1, {}).mean();
  };
  const double slope = (mean(ahead) - mean(behind)) / (2 * move);
  expect_near(state, slope / square, 1, 0.05, "difference of losses over the gradient's square");
  expect_near(state, std::isfinite(loss) ? 1 : 0, 1, 0, "finite loss");
  state.counters["rows"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRows, benchmark::Counter::kIsRate);
}

void softmax_rows(benchmark::State& state) {
  const auto classes = static_cast<std::size_t>(state.range(0));
  std::vector<float> scores(classes);
  RandomStream(1, Purpose::test).fill_normal(0, scores);
  float normaliser = 0;
  for (auto _ : state) {
    normaliser = log_sum_exp<float>(scores);
    benchmark::DoNotOptimize(normaliser);
  }
  double truth = 0;
  for (const float s : scores) truth += std::exp(static_cast<double>(s));
  expect_near(state, static_cast<double>(normaliser), std::log(truth), 1e-5, "log-sum-exp");
}

BENCHMARK_CAPTURE(batch_gradient, classes, test::Task::classes, BasisKind::affine);
BENCHMARK_CAPTURE(batch_gradient, classes_of_monomials, test::Task::classes, BasisKind::monomials);
BENCHMARK_CAPTURE(batch_gradient, vector_form, test::Task::vector, BasisKind::affine);
BENCHMARK_CAPTURE(batch_gradient, score_matching, test::Task::dsm_3d, BasisKind::affine);
BENCHMARK_CAPTURE(batch_gradient, density_of_quadrature, test::Task::density_1d, BasisKind::affine);
BENCHMARK(softmax_rows)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace bl::bench
