#include "engine/cuda/streamed.cuh"

#include <algorithm>

#include "engine/cuda/stream_runner.cuh"

namespace bl::cuda {

namespace {

constexpr int kSquareBlocks = 256;                             // that sum the squares of a gradient
constexpr std::size_t kWorkspaceBytes = std::size_t{6} << 30;  // at most, of a chunk

template <class T>
__global__ void weight_kernel(const StepInput* step, Data<T> data, double* total) {
  const double sum = sum_by_block(step->count, [&](int i) { return data.weight(step->rows[i]); });
  if (threadIdx.x == 0) *total = sum;
}

template <class T>
__global__ void begin_kernel(const Job<T>* job, const int* state, StepInput* step, double* totals) {
  const StepNumbers& numbers = job->steps[state[0]];
  *step = job->noise;
  step->rows = job->order + numbers.begin;
  step->count = numbers.count;
  step->scale = numbers.scale;
  for (int i = 0; i < 3; ++i) totals[i] = 0;
}

template <class T>
__global__ void effective_kernel(int n, const Slot* slots, const T* raw, T* out) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    out[i] = effective(slots[i], raw[i]);
}

// The gradient by stored values; each block sums the squares of a slice.
template <class T>
__global__ void __launch_bounds__(kStreamThreads)
    square_kernel(int n, const Slot* slots, const T* raw, T* g, double* squares) {
  const int from = static_cast<int>(static_cast<long long>(n) * blockIdx.x / gridDim.x);
  const int to = static_cast<int>(static_cast<long long>(n) * (blockIdx.x + 1) / gridDim.x);
  const double sum = sum_by_block(to - from, [&](int i) {
    const T one = to_raw(slots[from + i], raw[from + i], g[from + i]);
    g[from + i] = one;
    return static_cast<double>(one) * static_cast<double>(one);
  });
  if (threadIdx.x == 0) squares[blockIdx.x] = sum;
}

// Whether the step is taken, and with which numbers.
template <class T>
__global__ void decide_kernel(const Plan* plan, Rule rule, Job<T>* job, const double* totals,
                              const double* squares, int count, int* state, UpdateStep<T>* numbers) {
  const double norm = sqrt(sum_by_block(count, [&](int i) { return squares[i]; }));
  if (threadIdx.x != 0 || state[1]) return;
  StepsOutput& out = job->out;
  const double loss = total_loss(*plan, totals);
  for (int i = 0; i < 3; ++i) out.last[i] = totals[i];
  out.last_norm = norm;
  out.last_taken = isfinite(loss) && isfinite(norm);
  *numbers = update_step<T>(rule, job->steps[state[0]], norm, job->averaged);
  state[0] += 1;
  state[1] = !out.last_taken;
  if (!out.last_taken) return;
  if (out.taken == 0) out.first_mean = loss / totals[2];
  for (int i = 0; i < 3; ++i) out.loss[i] += totals[i];
  ++out.taken;
  job->averaged = true;
}

template <class T>
__global__ void update_kernel(int n, Rule rule, const Job<T>* job, const int* state,
                              const UpdateStep<T>* numbers, const Slot* slots, const T* decay, const T* g,
                              T* effective_parameters) {
  if (state[1]) return;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const T p = update_one<T>(rule, *numbers, slots[i], rule.decays ? decay[i] : T(0), g[i], job->raw[i],
                              job->first[i], job->second[i], job->mean[i]);
    job->raw[i] = p;
    effective_parameters[i] = effective(slots[i], p);
  }
}

// Numbers of the largest operand of a product: a slab, or a matrix of weights, whose columns may be rounded
// up.
std::size_t largest_operand(const Plan& plan, int ld) {
  int slab = std::max(
      {plan.row_terms, plan.terms - plan.row_terms, plan.outputs, plan.context + plan.values + plan.classes});
  for (int l = 0; l < plan.layers; ++l)
    slab = std::max({slab, plan.layer[l].heads, plan.layer[l].reads.count});
  return std::max(static_cast<std::size_t>(slab) * static_cast<std::size_t>(ld + 8),
                  2 * static_cast<std::size_t>(plan.parameters));
}

}  // namespace

template <class T>
Streamed<T>::~Streamed() {
  for (const auto& [key, graph] : graphs_) cudaGraphExecDestroy(graph);
}

template <class T>
void Streamed<T>::reserve(const Placed<T>& placed, int rows) {
  const Plan& plan = placed.streamed_plan();
  const std::size_t per_point = static_cast<std::size_t>(plan.rows) * sizeof(T);
  const auto most = static_cast<int>(std::clamp<std::size_t>(
      kWorkspaceBytes / per_point / static_cast<std::size_t>(plan.most_per_row()), 1, 1 << 20));
  const int per_chunk = std::min(rows, most), ld = (per_chunk * plan.most_per_row() + 3) / 4 * 4;
  const auto parameters = static_cast<std::size_t>(plan.parameters);
  const auto needed = static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(ld);
  const bool moved = cublas_ && cublas_->reserve(largest_operand(plan, ld));
  if (moved || per_chunk != rows_per_chunk_ || ld != ld_ || needed > workspace_.size() ||
      parameters > effective_.size()) {
    for (const auto& [key, graph] : graphs_) cudaGraphExecDestroy(graph);
    graphs_.clear();
  }
  rows_per_chunk_ = per_chunk;
  ld_ = ld;
  workspace_.reserve(needed);
  effective_.reserve(parameters);
  gradient_.reserve(parameters);
  row_loss_.reserve(static_cast<std::size_t>(per_chunk));
  totals_.reserve(4);
  squares_.reserve(kSquareBlocks);
  input_.reserve(1);
  numbers_.reserve(1);
  state_.reserve(2);
  plan_.write(std::span(&plan, 1), stream_);
  check(cudaStreamSynchronize(stream_), "loading the model");
}

template <class T>
void Streamed<T>::sweep(const Request<T>& request, int rows, double scale, bool learns) {
  const Plan& plan = request.placed->streamed_plan();
  begin_kernel<<<1, 1, 0, stream_>>>(scratch_.jobs.data(), state_.data(), input_.data(), totals_.data());
  weight_kernel<<<1, kStreamThreads, 0, stream_>>>(input_.data(), request.placed->data(), totals_.data() + 2);
  check(cudaGetLastError(), "a launch");
  if (learns)
    check(
        cudaMemsetAsync(gradient_.data(), 0, static_cast<std::size_t>(plan.parameters) * sizeof(T), stream_),
        "clearing memory");
  Frame<T> f{.plan = plan_.data(),
             .step = input_.data(),
             .data = request.placed->data(),
             .w = effective_.data(),
             .g = gradient_.data(),
             .ws = workspace_.data(),
             .ld = ld_,
             .first = 0,
             .source = plan.source,
             .per_row = 1,
             .row_loss = row_loss_.data(),
             .outer_heads = nullptr,
             .outer_ld = 0,
             .held_heads = nullptr,
             .point_rows = nullptr};
  for (f.first = 0; f.first < rows; f.first += rows_per_chunk_) {
    StreamRunner<T> runner{f, cublas_.get(), stream_, totals_.data(), plan.row_features};
    objective_sweep<T>(runner, plan, std::min(rows_per_chunk_, rows - f.first), scale, learns);
  }
  if (!learns) return;
  const Slot* slots = request.learner ? request.learner->slots.data() : request.placed->slots();
  const T* raw = request.learner ? request.learner->raw.data() : scratch_.parameters.data();
  square_kernel<<<kSquareBlocks, kStreamThreads, 0, stream_>>>(plan.parameters, slots, raw, gradient_.data(),
                                                               squares_.data());
  check(cudaGetLastError(), "a launch");
}

template <class T>
void Streamed<T>::step(const Request<T>& request, int rows, double scale) {
  const Plan& plan = request.placed->streamed_plan();
  Learner<T>& learner = *request.learner;
  const GraphKey key{request.placed, learner.raw.data(), rows, scale};
  if (const auto found = graphs_.find(key); found != graphs_.end()) {
    check(cudaGraphLaunch(found->second, stream_), "a step");
    return;
  }
  const auto launches = [&] {
    sweep(request, rows, scale, true);
    decide_kernel<<<1, kStreamThreads, 0, stream_>>>(plan_.data(), learner.rule, scratch_.jobs.data(),
                                                     totals_.data(), squares_.data(), kSquareBlocks,
                                                     state_.data(), numbers_.data());
    update_kernel<<<blocks_for(plan.parameters), kStreamThreads, 0, stream_>>>(
        plan.parameters, learner.rule, scratch_.jobs.data(), state_.data(), numbers_.data(),
        learner.slots.data(), learner.decay.data(), gradient_.data(), effective_.data());
    check(cudaGetLastError(), "a launch");
  };
  cudaGraph_t graph = nullptr;
  const std::lock_guard recording(whole_device());
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording a step");
  try {
    launches();
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);  // whoever has the stream next finds it ready
    throw;
  }
  check(cudaStreamEndCapture(stream_, &graph), "recording a step");
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "recording a step");
  cudaGraphDestroy(graph);
  graphs_[key] = ready;
  check(cudaGraphLaunch(ready, stream_), "a step");
}

template <class T>
void Streamed<T>::run(Request<T>& request, std::size_t from, std::size_t to) {
  const Placed<T>& placed = *request.placed;
  std::size_t rows = 1;
  for (std::size_t b = from; b < to; ++b) rows = std::max(rows, request.batches[b].rows.size());
  reserve(placed, static_cast<int>(rows));
  std::vector<Job<T>> jobs(1);
  Request<T>* one = &request;
  prepare_jobs<T>(std::span<Request<T>* const>(&one, 1), from, to, scratch_, jobs, stream_);
  scratch_.jobs.write(jobs, stream_);
  const int start[2] = {0, 0};
  state_.write(start, stream_);
  const Plan& plan = placed.streamed_plan();
  effective_kernel<T><<<blocks_for(plan.parameters), kStreamThreads, 0, stream_>>>(
      plan.parameters, placed.slots(), jobs[0].raw, effective_.data());
  check(cudaGetLastError(), "a launch");
  if (request.learner) {
    for (std::size_t b = from; b < to; ++b)
      step(request, static_cast<int>(request.batches[b].rows.size()), request.batches[b].scale);
    scratch_.jobs.read(jobs, stream_);
    request.learner->steps += jobs[0].out.taken - request.out.taken;
    request.learner->averaged = request.learner->averaged || jobs[0].out.taken > 0;
    request.out = jobs[0].out;
    return;
  }
  sweep(request, static_cast<int>(request.batches[0].rows.size()), request.batches[0].scale,
        !request.gradient.empty());
  totals_.read(std::span(request.out.loss), stream_);
  if (request.gradient.empty()) return;
  std::vector<T> gradient(static_cast<std::size_t>(plan.parameters));
  gradient_.read(gradient, stream_);
  placed.unpad(gradient, request.gradient);
}

template class Streamed<float>;
template class Streamed<double>;

}  // namespace bl::cuda
