// Trains the workloads of training_works.hpp (float32, Adam) through the trainer that `bl fit` uses.
//
//   bench_training list                      the workloads, as JSON
//   bench_training problem WORK FOLDER       writes data, starting values, row orders and noise there, and
//                                            our loss and gradient at the start
//   bench_training train WORK THREADS RUNS   trains RUNS times from the same start; prints JSON
//   bench_training product THREADS           operations per second, and per second of processor time, of a
//                                            2048^3 product by OpenBLAS
//   bench_training growth THREADS MOST_ROWS  processor time per row, by the number of rows and of classes
//
// compare.py runs this in turn with the published package and with plain PyTorch.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "training_setup.hpp"

namespace bl::bench {
namespace {

ordered_json train(const std::string& name, std::size_t threads, int runs) {
  const Setup setup(find_work(name));
  const Context job(threads);
  std::vector<double> wall, processor;
  double final_loss = 0;
  for (int run = 0; run < runs; ++run) {
    const auto engine = make_engine<float>(job);
    Trainer<float> trainer(setup.objective, nullptr, setup.spec, *engine);
    TrainingState<float> state = trainer.start();
    const Clock clock;
    trainer.run(state);
    wall.push_back(clock.seconds());
    processor.push_back(clock.processor_seconds());
    const auto rows = first_rows(setup.work.rows);
    final_loss = setup.loss(state.parameters, rows, job, {}).mean();
  }
  return {{"seconds", wall}, {"processor_seconds", processor}, {"final_loss", final_loss}};
}

// Every thread multiplies matrices of its own.
std::array<double, 2> product_rate(std::size_t threads) {
  constexpr int kSize = 2048, kSlice = kSize / 8;
  openblas_set_num_threads(1);
  const Context job(threads);
  Matrix<float> a(kSize, kSize), b(kSize, kSize), c(kSize, kSize);
  std::fill(a.flat().begin(), a.flat().end(), 0.5F);
  std::fill(b.flat().begin(), b.flat().end(), 0.25F);
  double wall = 1e300, processor = 1e300;
  for (int run = 0; run < 3; ++run) {
    const Clock clock;
    job.run(kSize / kSlice, [&](std::size_t slice) {
      const Index from = static_cast<Index>(slice) * kSlice;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSlice, kSize, kSize, 1, a.row(from), kSize,
                  b.data(), kSize, 0, c.row(from), kSize);
    });
    wall = std::min(wall, clock.seconds());
    processor = std::min(processor, clock.processor_seconds());
  }
  if (c(kSize - 1, 7) != 0.125F * kSize) throw std::runtime_error("the product is wrong");
  constexpr double kOperations = 2.0 * kSize * kSize * kSize;
  return {kOperations / wall, kOperations / processor};
}

// Nanoseconds of processor time per row and epoch: the fastest of the runs.
double nanoseconds_per_row(const Work& work, const Context& job) {
  const Setup setup(work);
  double best = 1e300;
  const int runs = work.rows <= 100000 ? 5 : 1;
  for (int run = 0; run < runs; ++run) {
    const auto engine = make_engine<float>(job);
    Trainer<float> trainer(setup.objective, nullptr, setup.spec, *engine);
    TrainingState<float> state = trainer.start();
    const Clock clock;
    const FitReport report = trainer.run(state);
    if (!std::isfinite(report.final_loss)) throw std::runtime_error("the loss is not finite");
    best = std::min(best, clock.processor_seconds());
  }
  return 1e9 * best / static_cast<double>(work.rows * work.epochs);
}

// Time per row against the number of rows, and against the number of classes in the scalar form.
ordered_json growth(std::size_t threads, Index most_rows) {
  const Context job(threads);
  ordered_json out = {{"rows", ordered_json::array()}, {"classes", ordered_json::array()}};
  for (Index rows = 1000; rows <= most_rows; rows *= 10) {
    const Work work = score_work("growth", {36, 6}, 1, rows, 256, std::max<Index>(1, 10000 / rows));
    out["rows"].push_back({{"rows", rows}, {"nanoseconds_per_row", nanoseconds_per_row(work, job)}});
  }
  for (const Index classes : {2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    const Work work = class_work(
        "growth", "", stacked({.context = 105, .values = 0, .classes = classes}, {36, 6}), 1024, 256, 1);
    out["classes"].push_back({{"classes", classes}, {"nanoseconds_per_row", nanoseconds_per_row(work, job)}});
  }
  return out;
}

int run(const std::vector<std::string>& arguments) {
  const auto is = [&](const char* verb, std::size_t count) {
    return arguments.size() == count && arguments[0] == verb;
  };
  if (is("list", 1)) {
    fmt::print("{}\n", list(training_works()).dump());
  } else if (is("problem", 3)) {
    write_problem(find_work(arguments[1]), arguments[2]);
  } else if (is("train", 4)) {
    fmt::print("{}\n", train(arguments[1], std::stoul(arguments[2]), std::stoi(arguments[3])).dump());
  } else if (is("product", 2)) {
    const auto [wall, processor] = product_rate(std::stoul(arguments[1]));
    fmt::print("{} {}\n", wall, processor);
  } else if (is("growth", 3)) {
    fmt::print("{}\n", growth(std::stoul(arguments[1]), std::stol(arguments[2])).dump());
  } else {
    fmt::print(
        stderr,
        "usage: bench_training list | problem WORK FOLDER | train WORK THREADS RUNS | product THREADS | "
        "growth THREADS MOST_ROWS\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace bl::bench

int main(int argc, char** argv) {
  try {
    return bl::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_training: {}\n", error.what());
    return 1;
  }
}
