// Models too large for a block: every operation is a launch over memory of the GPU, and the launches of a
// step are recorded once as a graph.
#pragma once

#include <map>
#include <memory>

#include "engine/cuda/batcher.cuh"
#include "engine/cuda/cublas.cuh"

namespace bl::cuda {

template <class T>
class Streamed {
 public:
  Streamed(cudaStream_t stream, Device::Products products)
      : stream_(stream), cublas_(Cublas::open(stream, products)) {}
  ~Streamed();

  // Batches from ... to - 1 of the request.
  void run(Request<T>& request, std::size_t from, std::size_t to);

 private:
  struct GraphKey {
    const void *placed, *raw;
    int count;
    double scale;
    auto operator<=>(const GraphKey&) const = default;
  };
  void reserve(const Placed<T>& placed, int rows);
  void sweep(const Request<T>& request, int rows, double scale, bool learns);
  void step(const Request<T>& request, int rows, double scale);

  cudaStream_t stream_;
  std::unique_ptr<Cublas> cublas_;
  Scratch<T> scratch_;
  Array<T> workspace_, effective_, gradient_;
  Array<double> row_loss_, totals_, squares_;
  Array<Plan> plan_;
  Array<StepInput> input_;
  Array<UpdateStep<T>> numbers_;
  Array<int> state_;  // the next step; whether one was refused
  int rows_per_chunk_ = 0, ld_ = 0;
  std::map<GraphKey, cudaGraphExec_t> graphs_;
};

}  // namespace bl::cuda
