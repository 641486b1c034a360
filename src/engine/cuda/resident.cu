// Models whose parameters fit into shared memory: whole epochs in one launch, many models side by side.
//
// A model is computed by `parts` blocks. Each takes chunks of a batch's rows and leaves the gradient of its
// share; after a barrier every block sums a slice of the parameters over the parts, in order, and updates
// it. Weights of many row features do not fit: they are shared out by heads, stay with their block, and are
// multiplied with the rows of the whole batch before and after the sweeps of the chunks.
#include "engine/cuda/resident.cuh"

#include <algorithm>

#include "engine/cuda/block_runner.cuh"

namespace bl::cuda {

namespace {

constexpr int kThreads = 512;  // at most

// All blocks of a model wait for each other. Counts only up; set to zero before a launch.
__device__ void meet(unsigned* counter, unsigned parts, unsigned& round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    ++round;
    __threadfence();
    atomicAdd(counter, 1U);
    while (*static_cast<volatile unsigned*>(counter) < round * parts) {
    }
    __threadfence();
  }
  __syncthreads();
}

// The sum over all threads, in a fixed order; every thread gets it.
__device__ double block_sum(double value, double* scratch) {
  value = Lanes{0, 32, ~0U}.sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < static_cast<int>(blockDim.x) / 32; ++i) sum += scratch[i];
  return sum;
}

// Sixteen sums over the lanes of a warp; lanes 2i and 2i + 1 end with number i.
template <class T>
__device__ T transposed_sum(T (&v)[16]) {
  const unsigned lane = threadIdx.x & 31U;
#pragma unroll
  for (unsigned other = 16, count = 8; count > 0; other /= 2, count /= 2) {
    const bool upper = (lane & other) != 0;
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const T give = upper ? v[i] : v[i + count], keep = upper ? v[i + count] : v[i];
      v[i] = keep + __shfl_xor_sync(~0U, give, other);
    }
  }
  return v[0] + __shfl_xor_sync(~0U, v[0], 1);
}

// heads[h][row] = sum_k weights[h][k] context[row][k] for the heads of this block and all rows of the step.
template <class T>
__device__ void outer_forward(const Launch<T>& launch, const Data<T>& data, const StepInput& step, const T* weights,
                              int heads, T* out) {
  const int stride = launch.plan.layer[0].context.stride, columns = (launch.plan.row_terms + 3) / 4 * 4;
  const int head_tiles = (heads + 3) / 4, tiles = head_tiles * ((step.count + 3) / 4);
  const int lane = static_cast<int>(threadIdx.x) & 31;
  for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles; tile += static_cast<int>(blockDim.x) / 32) {
    const int h0 = 4 * (tile % head_tiles), r0 = 4 * (tile / head_tiles);
    const T *left[4], *right[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      left[i] = weights + min(h0 + i, heads - 1) * stride;
      right[i] = data.context +
                 static_cast<std::size_t>(step.rows[min(r0 + i, step.count - 1)]) * data.context_stride;
    }
    T sum[16] = {};
#pragma unroll 4
    for (int k = 4 * lane; k < columns; k += 128) {
      Four<T> a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = load4(left[i] + k), b[i] = load4(right[i] + k);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int q = 0; q < 4; ++q) sum[4 * i + j] += a[i].v[q] * b[j].v[q];
    }
    const T total = transposed_sum(sum);
    const int number = lane / 2, h = h0 + number / 4, r = r0 + number % 4;
    if (lane % 2 == 0 && h < heads && r < step.count) out[static_cast<std::size_t>(h) * launch.outer_ld + r] = total;
  }
}

// gradient[h][k] = sum_row d_heads[h][row] context[row][k]. Where there are fewer tiles than threads, several
// threads take turns with the rows of a tile; their sums are added in order. room: shared memory for `numbers`.
template <class T>
__device__ void outer_backward(const Launch<T>& launch, const Data<T>& data, const StepInput& step,
                               const T* d_heads, int heads, T* gradient, T* room, int numbers) {
  const int stride = launch.plan.layer[0].context.stride, quads = (launch.plan.row_terms + 3) / 4;
  const int tiles = quads * ((heads + 3) / 4), threads = static_cast<int>(blockDim.x);
  const int staged = heads * step.count;  // d_heads, row by row
  const bool stages = staged <= numbers;
  if (stages)
    for (int i = static_cast<int>(threadIdx.x); i < staged; i += threads)
      room[i] = __ldcg(d_heads + static_cast<std::size_t>(i / step.count) * launch.outer_ld + i % step.count);
  T* const partial = room + (stages ? (staged + 3) / 4 * 4 : 0);
  const int left_over = numbers - (stages ? (staged + 3) / 4 * 4 : 0);
  const int turns = max(1, min(min(threads / tiles, left_over / (16 * tiles)), 16));
  __syncthreads();
  for (int task = static_cast<int>(threadIdx.x); task < tiles * turns; task += threads) {
    const int tile = task % tiles, turn = task / tiles;
    const int k = 4 * (tile % quads), h0 = 4 * (tile / quads);
    const T* left[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int h = min(h0 + i, heads - 1);
      left[i] = stages ? room + h * step.count : d_heads + static_cast<std::size_t>(h) * launch.outer_ld;
    }
    T sum[4][4] = {};
#pragma unroll 8
    for (int r = turn; r < step.count; r += turns) {
      const Four<T> x = load4(data.context + static_cast<std::size_t>(step.rows[r]) * data.context_stride + k);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const T d = left[i][r];
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += d * x.v[j];
      }
    }
    T* const to = turns == 1 ? nullptr : partial + 16 * task;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Four<T> row{{sum[i][0], sum[i][1], sum[i][2], sum[i][3]}};
      if (to)
        store4(to + 4 * i, row);
      else if (h0 + i < heads)
        store4(gradient + (h0 + i) * stride + k, row);
    }
  }
  if (turns == 1) return;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 4 * tiles; i += threads) {
    const int tile = i / 4, k = 4 * (tile % quads), h = 4 * (tile / quads) + i % 4;
    if (h >= heads) continue;
    Four<T> sum{};
    for (int turn = 0; turn < turns; ++turn) {
      const Four<T> one = load4(partial + 16 * (turn * tiles + tile) + 4 * (i % 4));
#pragma unroll
      for (int j = 0; j < 4; ++j) sum.v[j] += one.v[j];
    }
    store4(gradient + h * stride + k, sum);
  }
}

// Where the arrays of a block lie in its shared memory.
template <class T>
struct Shared {
  double *row_loss, *scratch;
  T *w, *g, *ws, *outer_w, *outer_g;
  int* rows;
};

// Row numbers of a step that are kept in shared memory; of longer batches none.
constexpr int kMostKeptRows = 512;
template <class T>
BL_HOST_DEVICE int kept_rows(const Launch<T>& launch) {
  return launch.rows <= kMostKeptRows ? (launch.rows + 3) / 4 * 4 : 0;
}

template <class T>
BL_HOST_DEVICE std::size_t shared_bytes(const Launch<T>& launch) {
  const Plan& plan = launch.plan;
  const std::size_t outer =
      static_cast<std::size_t>(launch.heads_per_part) * static_cast<std::size_t>(plan.layer[0].context.stride);
  return sizeof(int) * static_cast<std::size_t>(kept_rows(launch)) +
         sizeof(double) * (static_cast<std::size_t>(launch.rows_per_chunk + 1) / 2 * 2 + 64) +
         sizeof(T) * (2 * static_cast<std::size_t>(plan.resident) +
                      static_cast<std::size_t>(plan.rows) * static_cast<std::size_t>(launch.ld) + 2 * outer);
}

template <class T>
__device__ Shared<T> shared_arrays(const Launch<T>& launch, unsigned char* memory) {
  Shared<T> s{};
  s.scratch = reinterpret_cast<double*>(memory);
  s.row_loss = s.scratch + 64;
  s.w = reinterpret_cast<T*>(s.row_loss + (launch.rows_per_chunk + 1) / 2 * 2);
  s.g = s.w + launch.plan.resident;
  s.ws = s.g + launch.plan.resident;
  s.outer_w = s.ws + static_cast<std::size_t>(launch.plan.rows) * launch.ld;
  const std::size_t outer = static_cast<std::size_t>(launch.heads_per_part) * launch.plan.layer[0].context.stride;
  s.outer_g = s.outer_w + outer;
  s.rows = reinterpret_cast<int*>(s.outer_g + outer);
  return s;
}

// The steps of one model by one of its blocks.
template <class T>
struct Worker {
  const Launch<T>& launch;
  Job<T>& home;  // where the outcome goes
  const Shared<T> s;
  // In shared memory:
  const Plan& plan;
  Frame<T>& frame;
  Job<T>& job;
  StepInput& step;
  StepNumbers& numbers;
  double* totals;  // 4
  int part;
  std::size_t number;  // of the job
  unsigned round = 0;
  int head = 0, heads = 0;  // of this block's row features

  __device__ bool alone() const { return launch.parts == 1; }
  __device__ bool apart() const { return launch.outer_heads != nullptr; }
  __device__ void wait() {
    if (!alone()) meet(launch.barriers + number, static_cast<unsigned>(launch.parts), round);
  }
  __device__ T* heads_of(int h) const {
    const std::size_t all = static_cast<std::size_t>(plan.layer[0].heads);
    return launch.outer_heads + (number * all + static_cast<std::size_t>(h)) * launch.outer_ld;
  }
  __device__ T* gradient_of(int p) const {
    return launch.gradients + (number * launch.parts + p) * plan.resident;
  }
  __device__ double* sums_of(int p) const { return launch.sums + (number * launch.parts + p) * 4; }
  __device__ int chunks() const { return (step.count + launch.rows_per_chunk - 1) / launch.rows_per_chunk; }
  // Where row features' weights of this block begin among all parameters.
  __device__ int outer_first() const {
    const Piece& context = plan.layer[0].context;
    return context.weight + head * context.stride;
  }

  __device__ void begin() {
    if (threadIdx.x == 0)
      frame = {.plan = &plan, .step = &step, .data = job.data, .w = s.w, .g = s.g, .ws = s.ws, .ld = launch.ld,
               .first = 0, .source = plan.source, .per_row = 1, .row_loss = s.row_loss,
               .outer_heads = apart() ? heads_of(0) : nullptr, .outer_ld = launch.outer_ld, .held_heads = nullptr, .point_rows = nullptr};
    if (!apart()) return;
    head = min(part * launch.heads_per_part, plan.layer[0].heads);
    heads = min(launch.heads_per_part, plan.layer[0].heads - head);
    const int count = heads * plan.layer[0].context.stride, first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      s.outer_w[i] = job.raw[first + i];
      s.outer_g[i] = T(0);
    }
  }
  // From stored values in the first step; afterwards from the effective ones that updates leave.
  __device__ void load_parameters(bool first) {
    const int threads = static_cast<int>(blockDim.x);
    if (first) {
      for (int i = static_cast<int>(threadIdx.x); i < plan.resident; i += threads)
        s.w[i] = effective(launch.slots[i], __ldcg(job.raw + i));
      return;
    }
#pragma unroll 4
    for (int i = 4 * static_cast<int>(threadIdx.x); i < plan.resident; i += 4 * threads)
      store4(s.w + i, fresh4(job.shown + i));
  }
  __device__ void set_step(int k) {
    const StepNumbers& now = job.steps[k];
    const int begin = now.begin, count = now.count;
    const bool keeps = kept_rows(launch) > 0;
    if (threadIdx.x == 0) {
      step = job.noise;
      step.rows = keeps ? s.rows : job.order + begin;
      step.count = count;
      step.scale = now.scale;
      numbers = now;
      for (int i = 0; i < 4; ++i) totals[i] = 0;
    }
    if (keeps)
      for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        s.rows[i] = job.order[begin + i];
  }

  // The rows of the step after this one on their way into the second-level cache, a share for each block.
  __device__ void prefetch(int k) const {
    if (k >= launch.to) return;
    const StepNumbers& next = job.steps[k];
    const int lines = (frame.data.context_stride * static_cast<int>(sizeof(T)) + 127) / 128;
    const int all = lines * next.count, threads = static_cast<int>(blockDim.x);
    for (int i = part * threads + static_cast<int>(threadIdx.x); i < all; i += launch.parts * threads) {
      const T* row = frame.data.context +
                     static_cast<std::size_t>(job.order[next.begin + i / lines]) * frame.data.context_stride;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const char*>(row) + i % lines * 128));
    }
  }

  __device__ void sweep_chunks(bool learns) {
    for (int chunk = part; chunk < chunks(); chunk += launch.parts) {
      const int first = chunk * launch.rows_per_chunk, rows = min(launch.rows_per_chunk, step.count - first);
      if (threadIdx.x == 0) frame.first = first;
      __syncthreads();
      BlockRunner<T> runner{frame, totals};
      objective_sweep<T>(runner, plan, rows, step.scale, learns);
      if (threadIdx.x < 32) {
        double weight = 0;
        for (int r = static_cast<int>(threadIdx.x); r < rows; r += 32)
          weight += frame.data.weight(step.rows[first + r]);
        weight = Lanes{0, 32, ~0U}.sum(weight);
        if (threadIdx.x == 0) totals[2] += weight;
      }
      __syncthreads();
    }
  }

  // Leaves the gradient of this block's share for the others.
  __device__ void publish(bool learns) {
    if (alone() || part >= chunks()) return;
    if (learns)
      for (int i = static_cast<int>(threadIdx.x); i < plan.resident; i += static_cast<int>(blockDim.x))
        __stcg(gradient_of(part) + i, s.g[i]);
    if (threadIdx.x < 3) __stcg(sums_of(part) + threadIdx.x, totals[threadIdx.x]);
  }
  __device__ void collect_losses() {
    if (alone()) return;
    const int active = min(chunks(), launch.parts), which = static_cast<int>(threadIdx.x) / 32;
    for (int i = which; i < 3; i += static_cast<int>(blockDim.x) / 32) {
      double sum = 0;
      for (int p = static_cast<int>(threadIdx.x) & 31; p < active; p += 32) sum += __ldcg(sums_of(p) + i);
      sum = Lanes{0, 32, ~0U}.sum(sum);
      if ((threadIdx.x & 31U) == 0) totals[i] = sum;
    }
    __syncthreads();
  }

  __device__ int slice_begin() const {
    return static_cast<int>(static_cast<long long>(plan.resident) * part / launch.parts);
  }
  __device__ int slice_end() const {
    return static_cast<int>(static_cast<long long>(plan.resident) * (part + 1) / launch.parts);
  }

  // This block's slice of the gradient by stored values, and the sum of its squares.
  __device__ double reduce_slice() {
    const int active = min(chunks(), launch.parts);
    double square = 0;
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end(); i += static_cast<int>(blockDim.x)) {
      T sum = s.g[i];
      if (!alone()) {
        sum = T(0);
#pragma unroll 16
        for (int p = 0; p < active; ++p) sum += __ldcg(gradient_of(p) + i);
      }
      const Slot slot = launch.slots[i];
      sum = to_raw(slot, slot.raw ? __ldcg(job.raw + i) : T(0), sum);
      s.g[i] = sum;
      square += static_cast<double>(sum) * static_cast<double>(sum);
    }
    if (apart()) {
      outer_backward(launch, frame.data, step, heads_of(head), heads, s.outer_g, s.ws, plan.rows * launch.ld);
      __syncthreads();
      const int count = heads * plan.layer[0].context.stride, first = outer_first();
      for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        const T g = launch.slots[first + i].free ? s.outer_g[i] : T(0);
        s.outer_g[i] = g;
        square += static_cast<double>(g) * static_cast<double>(g);
      }
    }
    square = block_sum(square, s.scratch);
    if (alone()) return square;
    if (threadIdx.x == 0) __stcg(sums_of(part) + 3, square);
    wait();
    double mine = 0;
    for (int p = static_cast<int>(threadIdx.x); p < launch.parts; p += static_cast<int>(blockDim.x))
      mine += __ldcg(sums_of(p) + 3);
    return block_sum(mine, s.scratch);
  }

  __device__ void write_gradient() {
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end(); i += static_cast<int>(blockDim.x))
      job.gradient[i] = s.g[i];
    if (!apart()) return;
    const int count = heads * plan.layer[0].context.stride, first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
      job.gradient[first + i] = s.outer_g[i];
  }

  __device__ void update(const UpdateStep<T>& numbers) {
    const Rule& rule = launch.rule;
    const auto one = [&](int i, T g, T p) {
      return update_one<T>(rule, numbers, launch.slots[i], rule.decays ? launch.decay[i] : T(0), g, p,
                           job.first + i, job.second + i, job.mean + i);
    };
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end(); i += static_cast<int>(blockDim.x)) {
      const T p = one(i, s.g[i], __ldcg(job.raw + i));
      __stcg(job.raw + i, p);
      const T shown = effective(launch.slots[i], p);
      if (alone())
        s.w[i] = shown;
      else
        __stcg(job.shown + i, shown);
    }
    if (!apart()) return;
    const int count = heads * plan.layer[0].context.stride, first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const T p = one(first + i, s.outer_g[i], s.outer_w[i]);
      s.outer_w[i] = p;
      job.raw[first + i] = p;
    }
  }

  // Whether the step may be taken; everything about it goes to `out`.
  __device__ bool record(StepsOutput& out, double norm) const {
    const double loss = total_loss(plan, totals);
    const bool taken = isfinite(loss) && isfinite(norm);
    for (int i = 0; i < 3; ++i) out.last[i] = totals[i];
    out.last_norm = norm;
    out.last_taken = taken;
    if (!taken) return false;
    if (out.taken == 0) out.first_mean = loss / totals[2];
    for (int i = 0; i < 3; ++i) out.loss[i] += totals[i];
    ++out.taken;
    return true;
  }

  __device__ void run() {
    StepsOutput out = job.out;
    bool averaged = job.averaged;
    const bool learns = launch.updates || job.gradient;
    begin();
    for (int k = launch.from; k < launch.to; ++k) {
      set_step(k);
      if (!apart() && (k == launch.from || !alone())) load_parameters(k == launch.from);
      if (learns)
        for (int i = static_cast<int>(threadIdx.x); i < plan.resident; i += static_cast<int>(blockDim.x))
          s.g[i] = T(0);
      __syncthreads();
      if (apart()) {
        outer_forward(launch, frame.data, step, s.outer_w, heads, heads_of(head));
        wait();
        if (part >= chunks()) prefetch(k + 1);
        if (k == launch.from || !alone()) load_parameters(k == launch.from);
        __syncthreads();
      }
      sweep_chunks(learns);
      publish(learns);
      wait();
      collect_losses();
      double norm = 0;
      if (learns) norm = sqrt(reduce_slice());
      const bool taken = record(out, norm);
      if (!launch.updates) {
        if (learns) write_gradient();
        break;
      }
      if (!taken) break;
      update(update_step<T>(launch.rule, numbers, norm, averaged));
      averaged = true;
      if (!apart()) wait();
      __syncthreads();
    }
    __syncthreads();
    if (part == 0 && threadIdx.x == 0) home.out = out;
  }
};

template <class T>
__global__ void __launch_bounds__(kThreads, 1) resident_kernel(const __grid_constant__ Launch<T> launch) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ Unset<Plan> plan_place;
  __shared__ Unset<Frame<T>> frame_place;
  __shared__ Unset<Job<T>> job_place;
  __shared__ Unset<StepInput> step_place;
  __shared__ Unset<StepNumbers> numbers_place;
  __shared__ double totals[4];
  Plan& plan = plan_place.value();
  Frame<T>& frame = frame_place.value();
  StepInput& step = step_place.value();
  const auto parts = static_cast<unsigned>(launch.parts);
  if (threadIdx.x == 0) plan = launch.plan, job_place.value() = launch.jobs[blockIdx.x / parts];
  __syncthreads();
  Worker<T> worker{launch, launch.jobs[blockIdx.x / parts], shared_arrays(launch, memory), plan, frame, job_place.value(), step,
                   numbers_place.value(), totals,
                   static_cast<int>(blockIdx.x % parts), blockIdx.x / parts};
  worker.run();
}

struct DeviceLimits {
  int processors = 0, shared = 0;
};
const DeviceLimits& limits() {
  static const DeviceLimits known = [] {
    DeviceLimits out;
    int device = 0;
    check(cudaGetDevice(&device), "asking for the GPU");
    check(cudaDeviceGetAttribute(&out.processors, cudaDevAttrMultiProcessorCount, device), "asking for the GPU");
    check(cudaDeviceGetAttribute(&out.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for the GPU");
    return out;
  }();
  return known;
}

}  // namespace

int processors() {
  return limits().processors;
}

template <class T>
int resident_points(const Plan& plan, int heads_per_part, int wanted, bool crowded) {
  Launch<T> launch;
  launch.plan = plan;
  launch.heads_per_part = heads_per_part;
  const auto whole = static_cast<std::size_t>(limits().shared);
  for (int points = wanted; points >= 1; points = points > 4 ? points / 2 : points - 1) {
    launch.rows_per_chunk = std::max(1, points / plan.most_per_row());
    launch.ld = padded(std::max(launch.rows_per_chunk * plan.most_per_row(), 4));
    const std::size_t room = crowded && points > 16 ? whole / 2 : whole;
    if (shared_bytes(launch) + 6144 <= room) return launch.rows_per_chunk;
    if (launch.rows_per_chunk == 1) return 0;
  }
  return 0;
}

template <class T>
void run_resident(const Launch<T>& launch, int jobs, int threads, cudaStream_t stream) {
  const std::size_t bytes = shared_bytes(launch);
  check(cudaFuncSetAttribute(resident_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting up a kernel");
  const dim3 grid(static_cast<unsigned>(jobs * launch.parts)), block(static_cast<unsigned>(threads));
  if (launch.parts == 1) {
    resident_kernel<T><<<grid, block, bytes, stream>>>(launch);
    check(cudaGetLastError(), "a launch");
    return;
  }
  void* arguments[] = {const_cast<Launch<T>*>(&launch)};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(resident_kernel<T>), grid, block, arguments, bytes,
                                    stream),
        "a launch");
}

template <class T>
int blocks_at_once(const Launch<T>& launch, int threads) {
  const std::size_t bytes = shared_bytes(launch);
  check(cudaFuncSetAttribute(resident_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting up a kernel");
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, resident_kernel<T>, threads, bytes), "asking for the GPU");
  return each * limits().processors;
}

#define BL_INSTANTIATE(T)                                                     \
  template int resident_points<T>(const Plan&, int, int, bool);               \
  template void run_resident(const Launch<T>&, int, int, cudaStream_t);       \
  template int blocks_at_once(const Launch<T>&, int);
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::cuda
