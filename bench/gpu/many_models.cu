#include "gpu/many_models.cuh"

#include <chrono>

#include "engine/cuda/cuda_engine.cuh"

namespace bl::bench {

using namespace bl::cuda;  // NOLINT(google-build-using-namespace)

ManyModels train_many(const Objective<float>& objective, int models, int batch, int epochs, double rate,
                      double sigma) {
  const Stream stream;
  const Placed<float> placed(objective, stream);
  const Network<float>& network = objective.network();
  const auto n = static_cast<std::size_t>(models), rows = static_cast<std::size_t>(objective.data().rows);
  std::vector<Learner<float>> learners(n);
  std::vector<Request<float>> requests(n);
  std::vector<std::vector<std::int64_t>> orders(
      n, std::vector<std::int64_t>(rows * static_cast<std::size_t>(epochs)));
  std::vector<std::vector<Batch>> batches(n);
  std::vector<Request<float>*> all;
  for (std::size_t m = 0; m < n; ++m) {
    std::vector<float> start(static_cast<std::size_t>(network.layout().size()));
    starting_values<float>(network.architecture(), network.layout(), m, start);
    const std::vector<float> padded = placed.padded(start), zeros(padded.size(), 0.0F);
    learners[m].raw.write(padded, stream);
    for (Array<float>* one : {&learners[m].first, &learners[m].second, &learners[m].mean, &learners[m].decay})
      one->write(zeros, stream);
    learners[m].slots.write(placed.model().slots, stream);
    learners[m].rule = {.kind = OptimizerKind::adam, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    check(cudaStreamSynchronize(stream), "loading the models");
    for (int epoch = 0; epoch < epochs; ++epoch)
      for (std::size_t from = 0; from < rows; from += static_cast<std::size_t>(batch)) {
        const std::size_t count = std::min(rows - from, static_cast<std::size_t>(batch));
        batches[m].push_back({std::span<const std::int64_t>(orders[m]).subspan(
                                  static_cast<std::size_t>(epoch) * rows + from, count),
                              1.0 / static_cast<double>(count)});
      }
    for (int epoch = 0; epoch < epochs; ++epoch)
      shuffled_order(RandomStream(m, Purpose::shuffle, static_cast<std::uint32_t>(epoch)),
                     std::span(orders[m]).subspan(static_cast<std::size_t>(epoch) * rows, rows));
    requests[m].noise = {RandomStream(m, Purpose::score_noise), sigma, {}};
    requests[m].placed = &placed;
    requests[m].learner = &learners[m];
    requests[m].rate = rate;
    requests[m].batches = batches[m];
    all.push_back(&requests[m]);
  }
  Scratch<float> scratch;
  ManyModels result;
  const std::size_t warm = (rows + static_cast<std::size_t>(batch) - 1) / static_cast<std::size_t>(batch);
  run_requests<float>(all, 0, warm, scratch, stream);
  for (Request<float>& request : requests) request.out = {};
  const auto started = std::chrono::steady_clock::now();
  run_requests<float>(all, warm, batches[0].size(), scratch, stream);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  result.launch_seconds = scratch.launch_seconds;
  for (const Request<float>& request : requests)
    result.mean_loss +=
        total_loss(placed.resident_plan(), request.out.loss) / request.out.loss[2] / static_cast<double>(n);
  return result;
}

}  // namespace bl::bench
