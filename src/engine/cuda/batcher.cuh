// Requests of several fits of one shape, run as one launch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/cuda/placed.cuh"
#include "engine/engine.hpp"

namespace bl::cuda {

// A learner's state on the GPU.
template <class T>
struct Learner {
  UpdateSpec spec;
  Rule rule;
  Array<T> raw, shown, first, second, mean, decay;
  Array<Slot> slots;  // with bounds
  long long steps = 0;
  bool averaged = false;
};

// Steps of a learner, or the loss at given parameters.
template <class T>
struct Request {
  const Placed<T>* placed = nullptr;
  std::span<const Batch> batches;
  Noise noise{RandomStream(0, Purpose::score_noise), 1, {}};
  double rate = 0;
  Learner<T>* learner = nullptr;  // null: the loss of all batches at `parameters`
  std::span<const T> parameters;
  const int* rows = nullptr;  // of a loss: those of its batches, one after the other, on the GPU
  std::span<T> gradient;      // of the one batch; empty: the loss alone
  int beside = 1;             // requests that may be run with it: how blocks are shared out
  StepsOutput out;
  std::exception_ptr error;
};

// Memory that requests use; grows to the largest.
template <class T>
struct Scratch {
  Array<int> order;
  Array<StepNumbers> steps;
  std::vector<int>
      host_order;  // what was copied to them: fresh memory would take longer than what is done to it
  std::vector<StepNumbers> host_steps;
  Array<double> sums, noise;
  Array<T> parameters, gradients, parts, outer_heads;
  Array<Job<T>> jobs;
  Array<unsigned> barriers;
  double launch_seconds = 0;  // of the last launch, without copies
};

// How many models of this shape one launch may compute.
template <class T>
std::size_t most_at_once(const Placed<T>& placed);

// Whether blocks can hold this model; else launches over memory of the GPU compute it.
template <class T>
bool fits_block(const Placed<T>& placed, std::size_t rows);

// How many rows a loss without its gradient takes at once: models whose batches are to be short are computed
// by short ones, rather than by products over memory of the GPU that nothing else of a fit would need.
template <class T>
std::size_t rows_of_loss(const Placed<T>& placed);

// Requests whose models fit a block. Same shape, same number of batches.
template <class T>
void run_requests(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                  Scratch<T>& scratch, cudaStream_t stream);

// Writes what requests need to the GPU, and where it is into the jobs.
template <class T>
void prepare_jobs(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                  Scratch<T>& scratch, std::vector<Job<T>>& jobs, cudaStream_t stream);

// Where fits that run side by side on host threads wait until all have asked for something.
template <class T>
class Meeting {
 public:
  explicit Meeting(cudaStream_t stream) : stream_(stream) {}
  void join();
  void leave();
  // Returns when the request was run, together with those of all others who had joined, or of those who asked
  // before someone had waited for too long.
  void run(Request<T>& request);

 private:
  using Clock = std::chrono::steady_clock;
  void run_pending();
  void run_alike(std::vector<Request<T>*> group);

  cudaStream_t stream_;
  Scratch<T> scratch_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t present_ = 0, round_ = 0;
  // How long one who asks for a loss waits for the others. Steps wait for all: they are long, and alike.
  Clock::duration patience_ = std::chrono::milliseconds(2);
  std::vector<Request<T>*> pending_;
};

}  // namespace bl::cuda
