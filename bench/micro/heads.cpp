// The fused loops over heads and blocks at the size of the Langevin benchmark's first layer: 64 points, 36
// blocks.
#include "compute/kernels.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"

namespace bl::bench {
namespace {

constexpr Index kPoints = 64;
constexpr Index kBlocks = 36;

template <class T>
struct Heads {
  BlockShape shape;
  std::vector<T> lambda;
  Matrix<T> a, phi, slope, a_dot, out, d_s, d_a;

  Heads() {
    shape.blocks = kBlocks;
    shape.sections = {{{Activation::tanh, 1, 0, 1},
                       {Activation::relu, -1, kBlocks, 1},
                       {Activation::abs, -1, 2 * kBlocks, 1}}};
    const RandomStream random(1, Purpose::test);
    for (Matrix<T>* m : {&a, &phi, &slope, &a_dot, &d_a}) m->resize(kPoints, shape.total());
    for (Matrix<T>* m : {&out, &d_s}) m->resize(kPoints, kBlocks);
    random.fill_normal(1, a.flat());
    random.fill_normal(2, a_dot.flat());
    random.fill_normal(3, d_s.flat());
    lambda.assign(static_cast<std::size_t>(shape.total()), T(0.7));
    forward();
  }
  void forward() {
    std::copy(a.flat().begin(), a.flat().end(), phi.flat().begin());
    kernels<T>().blocks_forward(shape, lambda.data(), phi.view(), slope.view(), out.view(), false);
  }
  double head(Index kind) const { return static_cast<double>(a(3, kind * kBlocks + 5)); }
  double tanh_slope() const { return 1 - std::tanh(head(0)) * std::tanh(head(0)); }
};

void per_head(benchmark::State& state) {
  state.counters["heads"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kPoints * kBlocks * 3, benchmark::Counter::kIsRate);
}

template <class T>
void heads_forward(benchmark::State& state) {
  Heads<T> h;
  for (auto _ : state) {
    h.forward();
    benchmark::DoNotOptimize(h.out.data());
  }
  const double truth = 0.7 * (std::tanh(h.head(0)) - std::max(0.0, h.head(1)) - std::abs(h.head(2)));
  expect_near(state, static_cast<double>(h.out(3, 5)), truth, 1e-5, "block");
  per_head(state);
}

template <class T>
void heads_tangent(benchmark::State& state) {
  Heads<T> h;
  for (auto _ : state) {
    std::fill(h.out.flat().begin(), h.out.flat().end(), T(0));
    kernels<T>().blocks_tangent(h.shape, h.lambda.data(), h.slope.view(), h.a_dot.view(), h.out.view());
    benchmark::DoNotOptimize(h.out.data());
  }
  const auto dot = [&](Index kind) { return static_cast<double>(h.a_dot(3, kind * kBlocks + 5)); };
  const double truth =
      0.7 * (h.tanh_slope() * dot(0) - (h.head(1) > 0 ? dot(1) : 0) - (h.head(2) > 0 ? dot(2) : -dot(2)));
  expect_near(state, static_cast<double>(h.out(3, 5)), truth, 1e-5, "tangent of a block");
  per_head(state);
}

template <class T>
void heads_backward(benchmark::State& state) {
  Heads<T> h;
  for (auto _ : state) {
    kernels<T>().blocks_backward(h.shape, h.lambda.data(), h.phi.view(), h.slope.view(), h.d_s.view(),
                                 h.d_a.view(), nullptr);
    benchmark::DoNotOptimize(h.d_a.data());
  }
  expect_near(state, static_cast<double>(h.d_a(3, 5)),
              0.7 * h.tanh_slope() * static_cast<double>(h.d_s(3, 5)), 1e-5, "derivative by a head");
  per_head(state);
}

template <class T>
void heads_backward_tangent(benchmark::State& state) {
  Heads<T> h;
  std::vector<T> d_lambda(h.lambda.size());
  const Matrix<T> a_dot = h.a_dot;
  for (auto _ : state) {
    std::copy(a_dot.flat().begin(), a_dot.flat().end(), h.a_dot.flat().begin());
    kernels<T>().blocks_backward_tangent(h.shape, h.lambda.data(), h.phi.view(), h.slope.view(),
                                         h.a_dot.view(), h.d_s.view(), h.d_s.view(), h.d_a.view(),
                                         d_lambda.data());
    benchmark::DoNotOptimize(h.d_a.data());
  }
  // d/da of ds phi + ds phi' a_dot, with the same seed for value and tangent.
  const double phi = std::tanh(h.head(0)), slope = h.tanh_slope();
  const double seed = static_cast<double>(h.d_s(3, 5)), dot = static_cast<double>(a_dot(3, 5));
  expect_near(state, static_cast<double>(h.d_a(3, 5)), 0.7 * seed * (slope - 2 * phi * slope * dot), 1e-5,
              "derivative through value and tangent");
  per_head(state);
}

BENCHMARK(heads_backward_tangent<float>);
BENCHMARK(heads_backward_tangent<double>);
BENCHMARK(heads_forward<float>);
BENCHMARK(heads_forward<double>);
BENCHMARK(heads_tangent<float>);
BENCHMARK(heads_tangent<double>);
BENCHMARK(heads_backward<float>);
BENCHMARK(heads_backward<double>);

}  // namespace
}  // namespace bl::bench
