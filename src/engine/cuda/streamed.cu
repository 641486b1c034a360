#include "engine/cuda/streamed.cuh"

#include <algorithm>

#include "engine/cuda/sweep.cuh"

namespace bl::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr int kSquareBlocks = 256;                            // that sum the squares of a gradient
constexpr std::size_t kWorkspaceBytes = std::size_t{6} << 30;  // at most, of a chunk

template <class Operation>
__global__ void __launch_bounds__(kThreads) each_kernel(int n, int m, Operation operation) {
  const long long all = static_cast<long long>(n) * m;
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x; i < all;
       i += static_cast<long long>(gridDim.x) * kThreads)
    operation(static_cast<int>(i / m), static_cast<int>(i % m));
}

// Features that are inputs of the context: a tile of rows and columns is turned in shared memory.
template <class T>
__global__ void gather_kernel(Frame<T> f, int first_column, int columns, int count, int slab) {
  __shared__ T tile[32][33];
  const int c0 = static_cast<int>(blockIdx.x) * 32, r0 = static_cast<int>(blockIdx.y) * 32;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8)
    if (r0 + y < count && c0 + x < columns)
      tile[y][x] = f.data.context[static_cast<std::size_t>(f.step->rows[f.first + r0 + y]) * f.data.context_stride +
                                  first_column + c0 + x];
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8)
    if (r0 + x < count && c0 + y < columns) *f.at(slab + c0 + y, r0 + x) = tile[x][y];
}

// A warp for each row.
template <class Operation>
__global__ void __launch_bounds__(kThreads) rows_kernel(int n, Operation operation) {
  const int lane = static_cast<int>(threadIdx.x) & 31;
  for (int r = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32); r < n;
       r += static_cast<int>(gridDim.x * kThreads / 32))
    operation(r, Lanes{lane, 32, ~0U});
}

// All threads of a block, which share a long row.
template <class T>
struct BlockLanes {
  int lane, lanes;
  T* scratch;
  __device__ T sum(T value) const {
    scratch[lane] = value;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
      if (lane < half) scratch[lane] += scratch[lane + half];
      __syncthreads();
    }
    const T total = scratch[0];
    __syncthreads();
    return total;
  }
};

template <class T, class Operation>
__global__ void __launch_bounds__(kThreads) long_rows_kernel(Operation operation) {
  __shared__ T scratch[kThreads];
  operation(static_cast<int>(blockIdx.x), BlockLanes<T>{static_cast<int>(threadIdx.x), static_cast<int>(kThreads), scratch});
}

// c[i][j] (+)= sum_k a(i, k) b(j, k), a tile of 32 x 32 by a block. For GPUs without cuBLAS.
template <class T>
__global__ void plain_product(int m, int n, int k, const T* a, long long a_row, long long a_step, const T* b,
                              long long b_row, long long b_step, bool accumulate, T* c, long long c_row,
                              long long c_step) {
  __shared__ T left[32][33], right[32][33];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int i0 = static_cast<int>(blockIdx.x) * 32, j0 = static_cast<int>(blockIdx.y) * 32;
  T sum[4] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int q = y; q < 32; q += 8) {
      left[q][x] = i0 + x < m && k0 + q < k ? a[(i0 + x) * a_row + (k0 + q) * a_step] : T(0);
      right[q][x] = j0 + x < n && k0 + q < k ? b[(j0 + x) * b_row + (k0 + q) * b_step] : T(0);
    }
    __syncthreads();
    for (int q = 0; q < 32; ++q)
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += left[q][x] * right[q][y + 8 * r];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    const int i = i0 + x, j = j0 + y + 8 * r;
    if (i >= m || j >= n) continue;
    T& to = c[i * c_row + j * c_step];
    to = accumulate ? to + sum[r] : sum[r];
  }
}

// The sum of n numbers by one block, in a fixed order.
template <class F>
__device__ double sum_by_block(int n, const F& number) {
  __shared__ double sums[kThreads];
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(kThreads)) sum += number(i);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

__global__ void loss_kernel(int n, const double* row_loss, double* total) {
  const double sum = sum_by_block(n, [&](int i) { return row_loss[i]; });
  if (threadIdx.x == 0) *total += sum;
}

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
__global__ void __launch_bounds__(kThreads) square_kernel(int n, const Slot* slots, const T* raw, T* g, double* squares) {
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
__global__ void decide_kernel(const Plan* plan, Rule rule, Job<T>* job, const double* totals, const double* squares,
                              int count, int* state, UpdateStep<T>* numbers) {
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
__global__ void update_kernel(int n, Rule rule, const Job<T>* job, const int* state, const UpdateStep<T>* numbers,
                              const Slot* slots, const T* decay, const T* g, T* effective_parameters) {
  if (state[1]) return;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const T p = update_one<T>(rule, *numbers, slots[i], rule.decays ? decay[i] : T(0), g[i], job->raw[i],
                              job->first + i, job->second + i, job->mean + i);
    job->raw[i] = p;
    effective_parameters[i] = effective(slots[i], p);
  }
}

unsigned blocks_for(long long threads) {
  return static_cast<unsigned>(std::clamp<long long>((threads + kThreads - 1) / kThreads, 1, 132 * 16));
}

// A sweep from the host: one launch after the other.
template <class T>
struct StreamRunner {
  Frame<T>& f;
  const Cublas* cublas;
  cudaStream_t stream;
  double* totals;
  int row_features;

  const Frame<T>& frame() const { return f; }
  void set(Source source, int per_row) const {
    f.source = source;
    f.per_row = per_row;
  }
  T* slab(int row) const { return f.ws + static_cast<std::size_t>(row) * static_cast<std::size_t>(f.ld); }

  template <class Operation>
  void each(int n, int m, const Operation& operation) const {
    if (n == 0 || m == 0) return;
    each_kernel<<<blocks_for(static_cast<long long>(n) * m), kThreads, 0, stream>>>(n, m, operation);
    check(cudaGetLastError(), "a launch");
  }
  // Row features are columns of the context as they lie.
  void each(int n, int m, const RowFeatures<T>&) const {
    const dim3 grid(static_cast<unsigned>((n + 31) / 32), static_cast<unsigned>((m + 31) / 32)), block(32, 8);
    gather_kernel<T><<<grid, block, 0, stream>>>(f, 0, n, m, row_features);
    check(cudaGetLastError(), "a launch");
  }
  // Sums along rows of the workspace, which are long.
  template <class Operation>
  void long_rows(int n, const Operation& operation) const {
    long_rows_kernel<T><<<static_cast<unsigned>(n), kThreads, 0, stream>>>(operation);
    check(cudaGetLastError(), "a launch");
  }
  void rows(int n, int, const HeadBackward<T>& operation) const { long_rows(n, operation); }
  void rows(int n, int, const HeadBackwardDot<T>& operation) const { long_rows(n, operation); }
  void rows(int n, int, const OutputBiasBackward<T>& operation) const { long_rows(n, operation); }
  template <class Operation>
  void rows(int n, int, const Operation& operation) const {
    rows_kernel<<<blocks_for(32LL * n), kThreads, 0, stream>>>(n, operation);
    check(cudaGetLastError(), "a launch");
  }
  void multiply(bool ta, bool tb, int m, int n, int k, const T* a, int lda, const T* b, int ldb, bool accumulate,
                T* c, int ldc) const {
    if (cublas) return cublas->multiply(ta, tb, m, n, k, a, lda, b, ldb, accumulate, c, ldc);
    const dim3 grid(static_cast<unsigned>((m + 31) / 32), static_cast<unsigned>((n + 31) / 32)), block(32, 8);
    plain_product<T><<<grid, block, 0, stream>>>(m, n, k, a, ta ? lda : 1, ta ? 1 : lda, b, tb ? 1 : ldb, tb ? ldb : 1,
                                                 accumulate, c, 1, ldc);
    check(cudaGetLastError(), "a launch");
  }
  void forward(Two out, const Piece& piece, Two in, int ms, int ns, Onto onto) const {
    multiply(false, false, ns, ms, piece.count, slab(in.first), f.ld, f.w + piece.weight, piece.stride,
             onto == Onto::itself, slab(out.first), f.ld);
    if (out.second >= 0) forward({out.second}, piece, {in.second}, ms, ns, onto);
  }
  void back(Two out, const Piece& piece, Two in, int ms, int ns, Onto onto) const {
    multiply(false, true, ns, piece.count, ms, slab(in.first), f.ld, f.w + piece.weight, piece.stride,
             onto == Onto::itself, slab(out.first), f.ld);
    if (out.second >= 0) back({out.second}, piece, {in.second}, ms, ns, onto);
  }
  void outer(const Piece& piece, Two left, Two right, int ms, int ns) const {
    multiply(true, false, piece.count, ms, ns, slab(right.first), f.ld, slab(left.first), f.ld, true,
             f.g + piece.weight, piece.stride);
    if (left.second >= 0) outer(piece, {left.second}, {right.second}, ms, ns);
  }
  void sum_loss(int which, int n) const {
    loss_kernel<<<1, kThreads, 0, stream>>>(n, f.row_loss, totals + which);
    check(cudaGetLastError(), "a launch");
  }
};

}  // namespace

template <class T>
Streamed<T>::~Streamed() {
  for (const auto& [key, graph] : graphs_) cudaGraphExecDestroy(graph);
}

template <class T>
void Streamed<T>::reserve(const Placed<T>& placed, int rows) {
  const Plan& plan = placed.streamed_plan();
  const std::size_t per_point = static_cast<std::size_t>(plan.rows) * sizeof(T);
  const auto most = static_cast<int>(
      std::clamp<std::size_t>(kWorkspaceBytes / per_point / static_cast<std::size_t>(plan.most_per_row()), 1, 1 << 20));
  const int per_chunk = std::min(rows, most), ld = (per_chunk * plan.most_per_row() + 3) / 4 * 4;
  const auto parameters = static_cast<std::size_t>(plan.parameters);
  const auto needed = static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(ld);
  if (per_chunk != rows_per_chunk_ || ld != ld_ || needed > workspace_.size() || parameters > effective_.size()) {
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
  weight_kernel<<<1, kThreads, 0, stream_>>>(input_.data(), request.placed->data(), totals_.data() + 2);
  check(cudaGetLastError(), "a launch");
  if (learns)
    check(cudaMemsetAsync(gradient_.data(), 0, static_cast<std::size_t>(plan.parameters) * sizeof(T), stream_),
          "clearing memory");
  Frame<T> f{.plan = plan_.data(), .step = input_.data(), .data = request.placed->data(), .w = effective_.data(),
             .g = gradient_.data(), .ws = workspace_.data(), .ld = ld_, .first = 0, .source = plan.source, .per_row = 1,
             .row_loss = row_loss_.data(), .outer_heads = nullptr, .outer_ld = 0, .held_heads = nullptr, .point_rows = nullptr};
  for (f.first = 0; f.first < rows; f.first += rows_per_chunk_) {
    StreamRunner<T> runner{f, cublas_.get(), stream_, totals_.data(), plan.row_features};
    objective_sweep<T>(runner, plan, std::min(rows_per_chunk_, rows - f.first), scale, learns);
  }
  if (!learns) return;
  const Slot* slots = request.learner ? request.learner->slots.data() : request.placed->slots();
  const T* raw = request.learner ? request.learner->raw.data() : scratch_.parameters.data();
  square_kernel<<<kSquareBlocks, kThreads, 0, stream_>>>(plan.parameters, slots, raw, gradient_.data(), squares_.data());
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
    decide_kernel<<<1, kThreads, 0, stream_>>>(plan_.data(), learner.rule, scratch_.jobs.data(), totals_.data(),
                                               squares_.data(), kSquareBlocks, state_.data(), numbers_.data());
    update_kernel<<<blocks_for(plan.parameters), kThreads, 0, stream_>>>(
        plan.parameters, learner.rule, scratch_.jobs.data(), state_.data(), numbers_.data(), learner.slots.data(),
        learner.decay.data(), gradient_.data(), effective_.data());
    check(cudaGetLastError(), "a launch");
  };
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording a step");
  launches();
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
  effective_kernel<T><<<blocks_for(plan.parameters), kThreads, 0, stream_>>>(
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
  sweep(request, static_cast<int>(request.batches[0].rows.size()), request.batches[0].scale, !request.gradient.empty());
  totals_.read(std::span(request.out.last), stream_);
  if (request.gradient.empty()) return;
  std::vector<T> gradient(static_cast<std::size_t>(plan.parameters));
  gradient_.read(gradient, stream_);
  placed.unpad(gradient, request.gradient);
}

template class Streamed<float>;
template class Streamed<double>;

}  // namespace bl::cuda
