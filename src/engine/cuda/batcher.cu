#include "engine/cuda/batcher.cuh"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/resident.cuh"

namespace bl::cuda {

namespace {

constexpr int kPointsOfChunk = 64;       // where rows are many
constexpr int kPartsOfModel = 32;        // where a batch is shared by blocks: chunks at most
constexpr int kFewestPoints = 4;         // of a chunk, where blocks share a batch
constexpr int kFewestApart = 2;          // the same, where row features' weights are shared out by heads
constexpr int kLeastPoints = 4;          // of a chunk, or one row: what a block must have room for
constexpr int kHeadsOfPart = 4;          // row features' weights: heads of a block, at least
constexpr std::size_t kRowsApart = 512;  // longer batches are faster as products over memory of the GPU

int threads_for(const Plan& plan, bool apart) {
  return apart ? 512 : plan.resident < 512 ? 64 : plan.resident < 2048 ? 128 : 256;
}

// How a launch is cut: by shapes, the number of jobs and the GPU.
template <class T>
void cut(Launch<T>& launch, const Placed<T>& placed, int jobs, int rows, int threads) {
  const Plan& plan = launch.plan;
  const int heads = plan.layer[0].heads, processors_now = processors();
  const int share = std::max(1, processors_now / jobs);
  const int fewest = placed.apart() ? kFewestApart : kFewestPoints;
  if (placed.apart()) {
    launch.parts = std::min(processors_now, std::max((heads + kHeadsOfPart - 1) / kHeadsOfPart,
                                                     std::min(kPartsOfModel, (rows + fewest - 1) / fewest)));
    launch.parts = std::min(launch.parts, share);
    launch.heads_per_part = (heads + launch.parts - 1) / launch.parts;
  }
  const int chunks = std::min(placed.apart() ? launch.parts : std::max(share, 1), kPartsOfModel);
  const int wanted =
      std::max(fewest, std::min(kPointsOfChunk, (rows + chunks - 1) / chunks * plan.most_per_row()));
  launch.rows_per_chunk =
      std::max(1, resident_points<T>(plan, launch.heads_per_part, wanted, jobs > processors_now));
  launch.ld = padded(std::max(launch.rows_per_chunk * plan.most_per_row(), 4));
  if (placed.apart()) return;
  const int all_chunks = (rows + launch.rows_per_chunk - 1) / launch.rows_per_chunk;
  const int room = std::max(1, blocks_at_once(launch, threads) / jobs);
  launch.parts = std::max(1, std::min(all_chunks, room));
}

// The numbers of step number `steps` of a rule.
StepNumbers numbers_of(const Batch& batch, const UpdateSpec* spec, double rate, long long steps) {
  StepNumbers out{.count = static_cast<int>(batch.rows.size()), .scale = batch.scale, .rate = rate};
  if (!spec) return out;
  const double t = static_cast<double>(steps);
  out.step = rate / (1 - std::pow(spec->optimizer.beta1, t));
  out.correction = 1 / std::sqrt(1 - std::pow(spec->optimizer.beta2, t));
  out.past = averaging_weight(*spec, steps);
  return out;
}

// Whether two learners take steps of the same numbers: powers are taken once for all of them.
template <class T>
bool same_numbers(const Request<T>& a, const Request<T>& b) {
  if (!a.learner || !b.learner) return false;
  const OptimizerSpec &x = a.learner->spec.optimizer, &y = b.learner->spec.optimizer;
  return a.learner->steps == b.learner->steps && a.rate == b.rate && x.beta1 == y.beta1 &&
         x.beta2 == y.beta2 && a.learner->spec.average == b.learner->spec.average;
}

// The steps of all requests, one after the other, and where their rows begin.
template <class T>
void number_steps(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                  std::vector<StepNumbers>& steps) {
  const std::size_t each = to - from;
  int in_order = 0;
  steps.resize(requests.size() * each);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request<T>& request = *requests[i];
    const Learner<T>* learner = request.learner;
    const bool known = i > 0 && same_numbers(request, *requests[i - 1]);
    int begin = request.rows ? 0 : in_order;  // their own rows are on the GPU already
    for (std::size_t b = 0; b < each; ++b) {
      const Batch& batch = request.batches[from + b];
      StepNumbers& step = steps[i * each + b];
      step = known ? steps[(i - 1) * each + b]
                   : numbers_of(batch, learner ? &learner->spec : nullptr, request.rate,
                                learner ? learner->steps + static_cast<long long>(b) + 1 : 1);
      step.count = static_cast<int>(batch.rows.size());
      step.scale = batch.scale;
      step.begin = begin;
      begin += step.count;
    }
    if (!request.rows) in_order = begin;
  }
}

template <class T>
void write_batches(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                   Scratch<T>& scratch, std::vector<Job<T>>& jobs, cudaStream_t stream) {
  number_steps<T>(requests, from, to, scratch.host_steps);
  std::size_t rows = 0;
  for (const Request<T>* request : requests)
    for (std::size_t b = from; b < to && !request->rows; ++b) rows += request->batches[b].rows.size();
  scratch.host_order.resize(rows);
  int* next = scratch.host_order.data();
  for (const Request<T>* request : requests)
    for (std::size_t b = from; b < to && !request->rows; ++b)
      for (const std::int64_t row : request->batches[b].rows)
        *next++ = request->placed->place_of(row, request->noise.stream);
  scratch.order.write(scratch.host_order, stream);
  scratch.steps.write(scratch.host_steps, stream);
  check(cudaStreamSynchronize(stream), "loading the batches");
  for (std::size_t i = 0; i < requests.size(); ++i) {
    jobs[i].order = requests[i]->rows ? requests[i]->rows : scratch.order.data();
    jobs[i].steps = scratch.steps.data() + i * (to - from);
  }
}

// The longest batch. That of a loss is rounded up, so that losses over nearly as many rows are cut alike and
// can be one launch.
template <class T>
std::size_t rows_to_cut(const Request<T>& request, std::size_t from, std::size_t to) {
  constexpr std::size_t kRounded = 512;
  std::size_t rows = 1;
  for (std::size_t b = from; b < to; ++b) rows = std::max(rows, request.batches[b].rows.size());
  return request.learner || rows <= kRounded ? rows : (rows + kRounded - 1) / kRounded * kRounded;
}

template <class T>
void fill_job(const Request<T>& request, Job<T>& job) {
  job.data = request.placed->data();
  job.noise.seed = request.noise.stream.seed();
  job.noise.epoch = request.noise.stream.epoch();
  job.noise.purpose = static_cast<std::uint16_t>(request.noise.stream.purpose());
  job.noise.sigma = request.noise.sigma;
  job.noise.inverse_sigma = 1 / request.noise.sigma;
  job.out = request.out;
  if (!request.learner) return;
  Learner<T>& learner = *request.learner;
  job.raw = learner.raw.data();
  job.shown = learner.shown.data();
  job.first = learner.first.data();
  job.second = learner.second.data();
  job.mean = learner.mean.data();
  job.decay = learner.decay.data();
  job.averaged = learner.averaged;
}

// Parameters of requests for losses, one after the other.
template <class T>
void write_parameters(std::span<Request<T>* const> requests, Scratch<T>& scratch, std::vector<Job<T>>& jobs,
                      cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(requests[0]->placed->resident_plan().parameters);
  std::vector<T> all;
  for (const Request<T>* request : requests) {
    const std::vector<T> one = request->placed->padded(request->parameters);
    all.insert(all.end(), one.begin(), one.end());
  }
  scratch.parameters.write(all, stream);
  scratch.gradients.reserve(all.size());
  check(cudaStreamSynchronize(stream), "loading the parameters");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].raw = scratch.parameters.data() + i * size;
    jobs[i].gradient = requests[i]->gradient.empty() ? nullptr : scratch.gradients.data() + i * size;
  }
}

// Given noise is for one request alone: comparisons with other programs.
template <class T>
void write_noise(const Request<T>& request, Scratch<T>& scratch, Job<T>& job, cudaStream_t stream) {
  const MatrixView<const double> given = request.noise.given;
  if (!given.data || given.cols == 0) return;
  std::vector<double> all;
  for (Index i = 0; i < given.rows; ++i) all.insert(all.end(), given.row(i), given.row(i) + given.cols);
  scratch.noise.write(all, stream);
  check(cudaStreamSynchronize(stream), "loading the noise");
  job.noise.given_noise = scratch.noise.data();
}

template <class T>
void read_gradients(std::span<Request<T>* const> requests, Scratch<T>& scratch, cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(requests[0]->placed->resident_plan().parameters);
  std::vector<T> all(size * requests.size());
  scratch.gradients.read(all, stream);
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (!requests[i]->gradient.empty())
      requests[i]->placed->unpad(std::span<const T>(all).subspan(i * size, size), requests[i]->gradient);
}

}  // namespace

template <class T>
void prepare_jobs(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                  Scratch<T>& scratch, std::vector<Job<T>>& jobs, cudaStream_t stream) {
  write_batches<T>(requests, from, to, scratch, jobs, stream);
  for (std::size_t i = 0; i < requests.size(); ++i) fill_job(*requests[i], jobs[i]);
  if (!requests[0]->learner) write_parameters<T>(requests, scratch, jobs, stream);
  if (requests.size() == 1) write_noise(*requests[0], scratch, jobs[0], stream);
}

template <class T>
std::size_t most_at_once(const Placed<T>& placed) {
  if (!placed.apart()) return std::numeric_limits<int>::max();
  const int parts = (placed.resident_plan().layer[0].heads + kHeadsOfPart - 1) / kHeadsOfPart;
  return static_cast<std::size_t>(std::max(1, processors() / parts));
}

template <class T>
bool fits_block(const Placed<T>& placed, std::size_t rows) {
  if (tuning().streamed) return false;
  const Plan& plan = placed.resident_plan();
  int heads_per_part = 0;
  if (placed.apart()) {
    if (rows > kRowsApart) return false;
    const int heads = plan.layer[0].heads;
    heads_per_part = (heads + processors() - 1) / processors();
    heads_per_part = std::max(heads_per_part, kHeadsOfPart);
  }
  const int least = std::max(1, kLeastPoints / plan.most_per_row());  // rows
  return resident_points<T>(plan, heads_per_part, least * plan.most_per_row()) >= least;
}

template <class T>
std::size_t rows_of_loss(const Placed<T>& placed) {
  return placed.apart() && fits_block(placed, kRowsApart) ? kRowsApart : std::numeric_limits<int>::max();
}

template <class T>
void run_requests(std::span<Request<T>* const> requests, std::size_t from, std::size_t to,
                  Scratch<T>& scratch, cudaStream_t stream) {
  const Placed<T>& placed = *requests[0]->placed;
  const Learner<T>* learner = requests[0]->learner;
  Launch<T> launch;
  launch.plan = placed.resident_plan();
  launch.updates = learner != nullptr;
  launch.from = 0;
  launch.to = static_cast<int>(to - from);
  launch.slots = learner ? learner->slots.data() : placed.slots();
  if (learner) launch.rule = learner->rule;
  std::size_t rows = 1;
  for (const Request<T>* request : requests) rows = std::max(rows, rows_to_cut(*request, from, to));
  const int threads = threads_for(launch.plan, placed.apart()), count = static_cast<int>(requests.size());
  launch.rows = static_cast<int>(rows);
  const auto most = static_cast<int>(most_at_once(placed));
  cut(launch, placed, std::min(most, std::max(count, requests[0]->beside)), launch.rows, threads);

  std::vector<Job<T>> jobs(requests.size());
  prepare_jobs<T>(requests, from, to, scratch, jobs, stream);
  const auto blocks = requests.size() * static_cast<std::size_t>(launch.parts);
  if (launch.parts > 1) scratch.parts.reserve(blocks * static_cast<std::size_t>(launch.plan.resident));
  scratch.sums.reserve(blocks * 4);
  scratch.barriers.reserve(requests.size());
  scratch.barriers.clear(stream);
  if (placed.apart()) {
    launch.outer_ld = static_cast<int>((rows + 3) / 4 * 4);
    scratch.outer_heads.reserve(requests.size() * static_cast<std::size_t>(launch.plan.layer[0].heads) *
                                static_cast<std::size_t>(launch.outer_ld));
    launch.outer_heads = scratch.outer_heads.data();
  }
  launch.gradients = scratch.parts.data();
  launch.sums = scratch.sums.data();
  launch.barriers = scratch.barriers.data();
  scratch.jobs.write(jobs, stream);
  launch.jobs = scratch.jobs.data();
  const Timer timer(stream);
  run_resident(launch, count, threads, stream);
  scratch.launch_seconds = timer.seconds();
  scratch.jobs.read(jobs, stream);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (Learner<T>* one = requests[i]->learner) {
      one->steps += jobs[i].out.taken - requests[i]->out.taken;
      one->averaged = one->averaged || jobs[i].out.taken > 0;
    }
    requests[i]->out = jobs[i].out;
  }
  if (!requests[0]->gradient.empty()) read_gradients<T>(requests, scratch, stream);
}

template <class T>
void Meeting<T>::join() {
  const std::lock_guard lock(mutex_);
  ++present_;
}

template <class T>
void Meeting<T>::leave() {
  const std::lock_guard lock(mutex_);
  --present_;
  if (!pending_.empty() && pending_.size() == present_) run_pending();
}

template <class T>
void Meeting<T>::run(Request<T>& request) {
  std::unique_lock lock(mutex_);
  pending_.push_back(&request);
  const auto done = [this, round = round_] { return round_ != round; };
  if (pending_.size() == present_)
    run_pending();
  else if (request.learner)
    done_.wait(lock, done);
  else if (!done_.wait_for(lock, patience_, done))
    run_pending();
  lock.unlock();
  if (request.error) std::rethrow_exception(request.error);
}

// The same update rule and bounds; each has a decay of its own.
template <class T>
bool same_rule(const Learner<T>* a, const Learner<T>* b) {
  if (!a || !b) return a == b;
  return a->rule == b->rule && a->spec.bounds == b->spec.bounds;
}

// Requests that can be one launch are. Neither the order in which they came in nor who came in matters to any
// of them: a launch is cut by their number if all had come.
template <class T>
void Meeting<T>::run_pending() {
  constexpr Clock::duration kLeastPatience = std::chrono::microseconds(500);
  const Clock::time_point started = Clock::now();
  std::vector<Request<T>*> left = std::move(pending_);
  pending_.clear();
  while (!left.empty()) {
    std::vector<Request<T>*> group, rest;
    const Request<T>& first = *left.front();
    for (Request<T>* one : left) {
      const bool alike =
          same_rule(one->learner, first.learner) && one->batches.size() == first.batches.size() &&
          one->beside == first.beside && one->noise.given.data == nullptr &&
          one->gradient.empty() == first.gradient.empty() &&
          rows_to_cut(*one, 0, one->batches.size()) == rows_to_cut(first, 0, first.batches.size()) &&
          one->placed->same_shape(*first.placed);
      (one == &first || alike ? group : rest).push_back(one);
    }
    run_alike(std::move(group));
    left = std::move(rest);
  }
  patience_ = std::max(kLeastPatience, (Clock::now() - started) / 2);
  ++round_;
  done_.notify_all();
}

template <class T>
void Meeting<T>::run_alike(std::vector<Request<T>*> group) {
  const std::size_t most = most_at_once(*group[0]->placed);
  for (std::size_t from = 0; from < group.size(); from += most) {
    const auto some = std::span<Request<T>* const>(group).subspan(from, std::min(most, group.size() - from));
    try {
      run_requests<T>(some, 0, some[0]->batches.size(), scratch_, stream_);
    } catch (...) {
      for (Request<T>* one : some) one->error = std::current_exception();
    }
  }
}

#define BL_INSTANTIATE(T)                                                                            \
  template void prepare_jobs<T>(std::span<Request<T>* const>, std::size_t, std::size_t, Scratch<T>&, \
                                std::vector<Job<T>>&, cudaStream_t);                                 \
  template std::size_t most_at_once<T>(const Placed<T>&);                                            \
  template std::size_t rows_of_loss<T>(const Placed<T>&);                                            \
  template bool fits_block<T>(const Placed<T>&, std::size_t);                                        \
  template void run_requests<T>(std::span<Request<T>* const>, std::size_t, std::size_t, Scratch<T>&, \
                                cudaStream_t);                                                       \
  template class Meeting<T>;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::cuda
