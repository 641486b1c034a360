// The workloads of docs/gpu.md on the GPU, through the trainer that `bl fit` uses.
//
//   bench_gpu list | problem WORK FOLDER       as bench_training
//   bench_gpu train WORK cuda|tf32|bf16|cpu RUNS [EPOCHS]  trains RUNS times from the same start; prints JSON
//   bench_gpu chains CHAINS STEPS              Langevin; prints chain-steps a second, and how long a run took
//   bench_gpu many [2,1]|[36,6] MODELS EPOCHS  models side by side; model-rows a second
//
// compare.py runs it in turn with PyTorch whose steps are recorded as CUDA graphs.
#include <fmt/format.h>

#include "gpu/gpu_works.hpp"
#include "gpu/many_models.cuh"
#include "langevin_problem.hpp"
#include "training_setup.hpp"

namespace bl::bench {
namespace {

// cpu, cuda, or a precision of a GPU's products.
Device device_named(const std::string& name) {
  return {.kind = name == "cpu" ? Device::Kind::cpu : Device::Kind::cuda,
          .products = name == "tf32"   ? Device::Products::tf32
                      : name == "bf16" ? Device::Products::bf16
                                       : Device::Products::float32};
}

ordered_json train(const std::string& name, const std::string& device, int runs, Index epochs) {
  Work work = find_gpu_work(name);
  if (epochs > 0) work.epochs = epochs;
  const Setup setup(work);
  const Context job = Context(1).on(device_named(device)), all(0);
  const auto engine = make_engine<float>(job);
  std::vector<double> wall;
  double final_loss = 0;
  const RowSet loaded = engine->load(setup.objective);
  const auto rows_all = static_cast<std::size_t>(setup.work.rows),
             batch = static_cast<std::size_t>(setup.work.batch);
  std::vector<std::vector<std::int64_t>> orders(static_cast<std::size_t>(setup.work.epochs),
                                                std::vector<std::int64_t>(rows_all));
  for (std::size_t e = 0; e < orders.size(); ++e)
    shuffled_order(RandomStream(kSeed, Purpose::shuffle, static_cast<std::uint32_t>(e)), orders[e]);
  for (int run = 0; run < runs; ++run) {
    TrainingState<float> state = Trainer<float>(setup.objective, nullptr, setup.spec, *engine).start();
    engine->write(setup.network, setup.spec, state);
    Clock clock;
    for (std::size_t e = 0; e < orders.size(); ++e) {
      if (e == 1) clock = Clock();  // the first brings the state to the GPU
      std::vector<Batch> batches;
      for (std::size_t from = 0; from < rows_all; from += batch) {
        const std::size_t count = std::min(batch, rows_all - from);
        batches.push_back({std::span<const std::int64_t>(orders[e]).subspan(from, count),
                           1.0 / static_cast<double>(count)});
      }
      engine->steps(
          {.from = loaded,
           .batches = batches,
           .noise = {RandomStream(kSeed, Purpose::score_noise, static_cast<std::uint32_t>(e)), kSigma, {}},
           .rate = kLearningRate},
          {});
    }
    wall.push_back(clock.seconds());
    engine->read(state);
    const auto rows = first_rows(std::min<Index>(setup.work.rows, 8192));
    if (run + 1 == runs) final_loss = setup.loss(state.parameters, rows, all, {}).mean();
  }
  return {{"seconds", wall}, {"final_loss", final_loss}};
}

ordered_json chains(Index count, Index steps) {
  const Network<float> network(langevin_architecture());
  const LangevinProblem problem = langevin_problem(network.layout());
  Matrix<float> context(count, kContext), start(count, kResponses);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(problem.context.row(i % kChains), kContext, context.row(i));
    std::copy_n(problem.start.row(i % kChains), kResponses, start.row(i));
  }
  const Context job = Context(0).on({.kind = Device::Kind::cuda});
  const auto engine = make_engine<float>(job);
  ChainPlan<float> plan{.network = network,
                        .parameters = problem.parameters,
                        .temperature = kTemperature,
                        .context = context.view(),
                        .rows = count,
                        .chains_per_row = 1,
                        .box = gibbs::Box::unbounded(kResponses),
                        .start = start.view(),
                        .free = {},
                        .held = {},
                        .options = {}};
  plan.options.method = gibbs::Method::langevin;
  plan.options.warmup = 0;
  plan.options.draws = 1;
  plan.options.step = kStep;
  const auto time_of = [&](Index thin) {
    plan.options.thin = thin;
    double best = 1e300;
    for (int run = 0; run < 3; ++run) {
      const Clock clock;
      engine->run_chains(plan);
      best = std::min(best, clock.seconds());
    }
    return best;
  };
  const double few = time_of(1), many = time_of(steps + 1);
  return {{"chain_steps_per_second", static_cast<double>(count * steps) / (many - few)}, {"seconds", many}};
}

ordered_json many(const std::string& shape, int models, int epochs) {
  const bool small = shape == "[2,1]";
  const Setup setup(score_work("many", small ? std::vector<Index>{2, 1} : std::vector<Index>{36, 6}, 1,
                               small ? 303 : 2000, small ? 64 : 256, 1));
  const ManyModels done =
      train_many(setup.objective, models, static_cast<int>(setup.work.batch), epochs, kLearningRate, kSigma);
  const double rows = static_cast<double>(models) * static_cast<double>(setup.work.rows) * (epochs - 1);
  return {{"model_rows_per_second", rows / done.launch_seconds},
          {"with_copies", rows / done.seconds},
          {"mean_loss", done.mean_loss}};
}

int run(const std::vector<std::string>& arguments) {
  const auto is = [&](const char* verb, std::size_t count) {
    return arguments.size() == count && arguments[0] == verb;
  };
  if (is("list", 1))
    fmt::print("{}\n", list(gpu_works()).dump());
  else if (is("problem", 3))
    write_problem(find_gpu_work(arguments[1]), arguments[2]);
  else if (is("train", 4) || is("train", 5))
    fmt::print("{}\n", train(arguments[1], arguments[2], std::stoi(arguments[3]),
                             arguments.size() == 5 ? std::stol(arguments[4]) : 0)
                           .dump());
  else if (is("chains", 3))
    fmt::print("{}\n", chains(std::stol(arguments[1]), std::stol(arguments[2])).dump());
  else if (is("many", 4))
    fmt::print("{}\n", many(arguments[1], std::stoi(arguments[2]), std::stoi(arguments[3])).dump());
  else
    return 2;
  return 0;
}

}  // namespace
}  // namespace bl::bench

int main(int argc, char** argv) {
  try {
    const int code = bl::bench::run({argv + 1, argv + argc});
    if (code == 2)
      fmt::print(stderr,
                 "usage: bench_gpu list | problem WORK FOLDER | train WORK DEVICE RUNS [EPOCHS] | "
                 "chains CHAINS STEPS | many SHAPE MODELS EPOCHS\n");
    return code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_gpu: {}\n", error.what());
    return 1;
  }
}
