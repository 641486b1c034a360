// Standard normal numbers for the chains of the Langevin benchmark.
#include "check.hpp"
#include "compute/normal_rows.hpp"

namespace bl::bench {
namespace {

template <class T>
void normals(benchmark::State& state) {
  Matrix<T> out(512, 8);
  std::uint32_t epoch = 0;
  for (auto _ : state) {
    fill_normal_rows({1, Purpose::sampler_move, ++epoch}, 0, out.view());
    benchmark::DoNotOptimize(out.data());
  }
  const RandomStream truth(1, Purpose::sampler_move, epoch);
  expect_near(state, static_cast<double>(out(300, 5)), truth.normal(300, 5), 1e-6, "normal number");
  state.counters["numbers"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 512 * 8, benchmark::Counter::kIsRate);
}

BENCHMARK(normals<float>);
BENCHMARK(normals<double>);

}  // namespace
}  // namespace bl::bench
