// Matrix products at the sizes the network has: 64 points into 108 heads.
#include "compute/product.hpp"

#include "base/random.hpp"
#include "check.hpp"

namespace bl::bench {
namespace {

// c (64 x heads) = a (64 x inputs) b^T.
template <class T>
void product(benchmark::State& state) {
  const Index points = 64, inputs = static_cast<Index>(state.range(0)),
              heads = static_cast<Index>(state.range(1));
  Matrix<T> a(points, inputs), b(heads, inputs), c(points, heads);
  const RandomStream random(1, Purpose::test);
  random.fill_normal(1, a.flat());
  random.fill_normal(2, b.flat());
  for (auto _ : state) {
    multiply_transposed<T>(a.view(), b.view(), c.view(), Accumulate::no);
    benchmark::DoNotOptimize(c.data());
  }
  double truth = 0;
  for (Index k = 0; k < inputs; ++k) truth += static_cast<double>(a(7, k)) * static_cast<double>(b(11, k));
  expect_near(state, static_cast<double>(c(7, 11)), truth, 1e-4, "entry of the product");
  state.counters["flops"] = benchmark::Counter(
      2.0 * static_cast<double>(state.iterations()) * static_cast<double>(points * inputs * heads),
      benchmark::Counter::kIsRate);
}

BENCHMARK(product<float>)->Args({12, 108})->Args({36, 18})->Args({256, 256});
BENCHMARK(product<double>)->Args({12, 108})->Args({36, 18})->Args({256, 256});

}  // namespace
}  // namespace bl::bench
