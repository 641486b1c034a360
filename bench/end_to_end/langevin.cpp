// Times a Langevin step of 512 chains (float32) through the sampler that `bl sample` uses.
//
//   bench_langevin problem FILE   writes weights, contexts, starts and our gradient there, as JSON
//   bench_langevin time THREADS   prints wall and processor seconds per step: the medians of several runs
//
// langevin_torch.py times the same step of the published package and compares the gradients.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "gibbs/network_density.hpp"
#include "gibbs/sampler.hpp"
#include "langevin_problem.hpp"

namespace bl::bench {
namespace {

constexpr int kRuns = 7;
constexpr Index kKept = 4;  // draws kept per chain: the moves between them are what is timed
constexpr Index kMovesPerKept = 250;

struct Setup {
  Network<float> network{langevin_architecture()};
  LangevinProblem problem = langevin_problem(network.layout());
  PreparedParameters<float> prepared;
  Setup() { network.prepare(problem.parameters, prepared); }
  gibbs::NetworkDensity<float> distribution() const {
    return {network, prepared, kTemperature, problem.context, kChains, 1};
  }
};

std::vector<float> numbers(std::span<const float> values) {
  return {values.begin(), values.end()};
}

Matrix<float> score_gradient(const Setup& setup) {
  const auto distribution = setup.distribution();
  Matrix<float> gradient(kChains, kResponses);
  std::vector<float> value(static_cast<std::size_t>(kChains));
  for (Index first = 0; first < kChains; first += gibbs::kChainsPerChunk)
    distribution.evaluate(first, setup.problem.start.view().row_range(first, gibbs::kChainsPerChunk),
                          std::span(value).subspan(static_cast<std::size_t>(first), gibbs::kChainsPerChunk),
                          gradient.view().row_range(first, gibbs::kChainsPerChunk));
  return gradient;
}

void write_problem(const std::string& path) {
  const Setup setup;
  nlohmann::ordered_json out;
  out["temperature"] = kTemperature;
  out["step"] = kStep;
  out["x"] = {{"shape", {kChains, kContext}}, {"values", numbers(setup.problem.context.flat())}};
  out["y"] = {{"shape", {kChains, kResponses}}, {"values", numbers(setup.problem.start.flat())}};
  for (const TensorInfo& tensor : setup.network.layout().tensors()) {
    const auto all = std::span<const float>(setup.problem.parameters);
    out["weights"][tensor.name] = {{"shape", {tensor.rows, tensor.cols}},
                                   {"values", numbers(all.subspan(static_cast<std::size_t>(tensor.offset),
                                                                  static_cast<std::size_t>(tensor.size())))}};
  }
  out["gradient"] = {{"shape", {kChains, kResponses}}, {"values", numbers(score_gradient(setup).flat())}};
  std::ofstream file(path);
  if (!(file << out.dump())) throw std::runtime_error("cannot write " + path);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Of all threads of this process.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print_seconds_per_step(const Setup& setup, const Context& job) {
  gibbs::SamplerOptions options;
  options.method = gibbs::Method::langevin;
  options.step = kStep;
  options.warmup = 0;
  options.draws = kKept;
  options.thin = kMovesPerKept;
  options.chains_per_distribution = 1;
  const auto distribution = setup.distribution();
  const auto box = gibbs::Box::unbounded(kResponses);
  constexpr double kMoves = static_cast<double>(kKept * kMovesPerKept);
  std::vector<double> wall, processor;
  for (int run = 0; run <= kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    const double busy = processor_seconds();
    const auto result = gibbs::sample<float>(distribution, box, setup.problem.start.view(), options, job);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    for (const float y : result.last.flat())
      if (!std::isfinite(y)) throw std::runtime_error("a chain left the finite numbers");
    if (run == 0) continue;  // warms up
    wall.push_back(taken.count() / kMoves);
    processor.push_back((processor_seconds() - busy) / kMoves);
  }
  fmt::print("{:.9g} {:.9g}\n", median(wall), median(processor));
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "problem") {
    write_problem(arguments[1]);
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "time") {
    const Context job(static_cast<std::size_t>(std::stoul(arguments[1])));
    const Setup setup;
    print_seconds_per_step(setup, job);
    return 0;
  }
  fmt::print(stderr, "usage: bench_langevin problem FILE | time THREADS\n");
  return 2;
}

}  // namespace
}  // namespace bl::bench

int main(int argc, char** argv) {
  try {
    return bl::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_langevin: {}\n", error.what());
    return 1;
  }
}
