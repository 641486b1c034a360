// A work of the benchmarks ready to be trained, and written out for other programs.
#pragma once

#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "engine/cpu/batch.hpp"
#include "training/trainer.hpp"
#include "training_works.hpp"

namespace bl::bench {

using nlohmann::ordered_json;

struct Setup {
  Work work;
  WorkData data;
  Network<float> network;
  Objective<float> objective;
  TrainSpec spec;

  explicit Setup(Work one)
      : work(std::move(one)),
        data(work),
        network(work.architecture),
        objective(network, {.kind = work.objective, .sigma = kSigma, .rule = {}}, data.view()) {
    spec.optimizer.learning_rate = kLearningRate;
    spec.epochs = work.epochs;
    spec.batch_size = work.batch;
    spec.patience = 0;
    spec.seed = kSeed;
  }

  LossSum loss(std::span<const float> parameters, std::span<const std::int64_t> rows, const Context& job,
               std::span<float> gradient) const {
    BatchEvaluator<float> evaluator(objective, job);
    const Noise fixed{RandomStream(kSeed, Purpose::test), kSigma, data.noise.view()};
    return evaluator.evaluate(parameters, rows, fixed, 1.0 / static_cast<double>(rows.size()), gradient);
  }
};

template <class T>
void write_binary(const std::string& path, std::span<const T> values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) throw std::runtime_error("cannot write " + path);
}

inline std::vector<std::int64_t> first_rows(Index count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

inline void write_problem(const Work& work, const std::string& folder) {
  const Setup setup(work);
  const Context job(1);
  const TrainingState<float> start =
      Trainer<float>(setup.objective, nullptr, setup.spec, *make_engine<float>(job)).start();
  std::vector<float> gradient(start.parameters.size());
  const LossSum loss = setup.loss(start.parameters, first_rows(setup.work.batch), job, gradient);
  const auto epochs = setup.work.epochs, rows = setup.work.rows, responses = setup.data.values.cols();
  std::vector<std::int64_t> orders;
  std::vector<float> noise;
  for (Index epoch = 0; epoch < epochs; ++epoch) {
    auto order = first_rows(rows);
    shuffled_order(RandomStream(kSeed, Purpose::shuffle, static_cast<std::uint32_t>(epoch)), order);
    orders.insert(orders.end(), order.begin(), order.end());
    Matrix<float> e(rows, responses);
    const RandomStream stream(kSeed, Purpose::score_noise, static_cast<std::uint32_t>(epoch));
    for (Index i = 0; i < rows; ++i)
      stream.fill_normal(static_cast<std::uint64_t>(i),
                         std::span<float>(e.row(i), static_cast<std::size_t>(responses)));
    noise.insert(noise.end(), e.flat().begin(), e.flat().end());
  }
  write_binary<float>(folder + "/context.f32", setup.data.context.flat());
  write_binary<float>(folder + "/values.f32", setup.data.values.flat());
  write_binary<std::int32_t>(folder + "/classes.i32", setup.data.classes);
  write_binary<double>(folder + "/fixed_noise.f64", setup.data.noise.flat());
  write_binary<float>(folder + "/parameters.f32", start.parameters);
  write_binary<float>(folder + "/gradient.f32", gradient);
  write_binary<std::int64_t>(folder + "/orders.i64", orders);
  write_binary<float>(folder + "/noise.f32", noise);
  ordered_json tensors = ordered_json::array();
  for (const TensorInfo& t : setup.network.layout().tensors())
    tensors.push_back({{"name", t.name}, {"offset", t.offset}, {"rows", t.rows}, {"cols", t.cols}});
  ordered_json meta = {{"start_loss", loss.mean()}, {"tensors", tensors}};
  std::ofstream(folder + "/problem.json") << meta.dump();
}

struct Clock {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  std::clock_t processor = std::clock();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  }
  // Of all threads of this process.
  double processor_seconds() const { return static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC; }
};

inline ordered_json list(const std::vector<Work>& works) {
  ordered_json all = ordered_json::array();
  for (const Work& work : works) {
    const Architecture& a = work.architecture;
    std::vector<Index> widths;
    for (const LayerSpec& layer : a.layers) widths.push_back(layer.blocks);
    all.push_back(
        {{"name", work.name},
         {"title", work.title},
         {"objective", work.objective == ObjectiveKind::likelihood ? "likelihood" : "score_matching"},
         {"form", a.form == Form::scalar ? "scalar" : "vector"},
         {"context", a.input.context},
         {"values", a.input.values},
         {"classes", a.form == Form::vector ? a.outputs : a.input.classes},
         {"widths", widths},
         {"readout_bias", a.readout.bias},
         {"rows", work.rows},
         {"batch", work.batch},
         {"epochs", work.epochs},
         {"learning_rate", kLearningRate},
         {"sigma", kSigma},
         {"product_operations_per_row", product_operations_per_row(a)}});
  }
  return all;
}

}  // namespace bl::bench
