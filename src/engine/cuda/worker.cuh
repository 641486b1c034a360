// Models whose parameters fit into shared memory: whole epochs in one launch, many models side by side.
//
// A model is computed by `parts` blocks. Each takes chunks of a batch's rows and leaves the gradient of its
// share; after a barrier every block sums a slice of the parameters over the parts, in order, and updates
// it. Weights of many row features do not fit: they are shared out by heads, stay with their block, and are
// multiplied with the rows of the whole batch before and after the sweeps of the chunks.
#pragma once

#include "engine/cuda/block_runner.cuh"
#include "engine/cuda/outer_products.cuh"

namespace bl::cuda {

// All blocks of a model wait for each other. Counts only up; set to zero before a launch.
__device__ inline void meet(unsigned* counter, unsigned parts, unsigned& round) {
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
__device__ inline double block_sum(double value, double* scratch) {
  value = Lanes{0, 32, ~0U}.sum(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < static_cast<int>(blockDim.x) / 32; ++i) sum += scratch[i];
  return sum;
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
  const std::size_t outer = static_cast<std::size_t>(launch.heads_per_part) *
                            static_cast<std::size_t>(plan.layer[0].context.stride);
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
  const std::size_t outer =
      static_cast<std::size_t>(launch.heads_per_part) * launch.plan.layer[0].context.stride;
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
  __device__ int outer_count() const { return heads * plan.layer[0].context.stride; }

  __device__ void begin() {
    if (threadIdx.x == 0)
      frame = {.plan = &plan,
               .step = &step,
               .data = job.data,
               .w = s.w,
               .g = s.g,
               .ws = s.ws,
               .ld = launch.ld,
               .first = 0,
               .source = plan.source,
               .per_row = 1,
               .row_loss = s.row_loss,
               .outer_heads = apart() ? heads_of(0) : nullptr,
               .outer_ld = launch.outer_ld,
               .held_heads = nullptr,
               .point_rows = nullptr};
    if (!apart()) return;
    head = min(part * launch.heads_per_part, plan.layer[0].heads);
    heads = min(launch.heads_per_part, plan.layer[0].heads - head);
    const int first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < outer_count(); i += static_cast<int>(blockDim.x)) {
      s.outer_w[i] = job.raw[first + i];
      s.outer_g[i] = T(0);
    }
  }
  // From stored values in the first step and where nothing is updated; else from the effective ones that
  // updates leave.
  __device__ void load_parameters(bool stored) {
    const int threads = static_cast<int>(blockDim.x);
    if (stored) {
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
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end();
         i += static_cast<int>(blockDim.x)) {
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
      const int first = outer_first();
      for (int i = 4 * static_cast<int>(threadIdx.x); i < outer_count();
           i += 4 * static_cast<int>(blockDim.x)) {
        Four<T> g = load4(s.outer_g + i);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (!launch.slots[first + i + j].free) g.v[j] = T(0);
          square += static_cast<double>(g.v[j]) * static_cast<double>(g.v[j]);
        }
        store4(s.outer_g + i, g);
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
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end();
         i += static_cast<int>(blockDim.x))
      job.gradient[i] = s.g[i];
    if (!apart()) return;
    const int first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < outer_count(); i += static_cast<int>(blockDim.x))
      job.gradient[first + i] = s.outer_g[i];
  }

  __device__ void update(const UpdateStep<T>& numbers) {
    const Rule& rule = launch.rule;
    for (int i = slice_begin() + static_cast<int>(threadIdx.x); i < slice_end();
         i += static_cast<int>(blockDim.x)) {
      const T p = update_one<T>(rule, numbers, launch.slots[i], rule.decays ? job.decay[i] : T(0), s.g[i],
                                __ldcg(job.raw + i), job.first[i], job.second[i], job.mean[i]);
      __stcg(job.raw + i, p);
      const T shown = effective(launch.slots[i], p);
      if (alone())
        s.w[i] = shown;
      else
        __stcg(job.shown + i, shown);
    }
    if (apart()) update_outer(numbers);
  }
  // Four at a time, and all of them loaded before anything is stored: the wait for memory is most of the
  // time.
  __device__ void update_outer(const UpdateStep<T>& numbers) {
    const Rule& rule = launch.rule;
    const bool adam = rule.kind != OptimizerKind::sgd, averages = rule.average > 0;
    const int first = outer_first();
    for (int i = 4 * static_cast<int>(threadIdx.x); i < outer_count();
         i += 4 * static_cast<int>(blockDim.x)) {
      const int at = first + i;
      const Four<T> g = load4(s.outer_g + i), none{};
      const Four<T> decay = rule.decays ? load4(job.decay + at) : none;
      Four<T> p = load4(s.outer_w + i), m = load4(job.first + at);
      Four<T> v = adam ? load4(job.second + at) : none, mean = averages ? load4(job.mean + at) : none;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        p.v[j] = update_one<T>(rule, numbers, launch.slots[at + j], decay.v[j], g.v[j], p.v[j], m.v[j],
                               v.v[j], mean.v[j]);
      store4(s.outer_w + i, p);
      store4(job.first + at, m);
      if (adam) store4(job.second + at, v);
      if (averages) store4(job.mean + at, mean);
    }
  }
  // Row features' weights go home after the last step: nobody else reads them before.
  __device__ void store_outer() const {
    const int first = outer_first();
    for (int i = static_cast<int>(threadIdx.x); i < outer_count(); i += static_cast<int>(blockDim.x))
      job.raw[first + i] = s.outer_w[i];
  }

  // Whether the step may be taken; everything about it goes to `out`.
  __device__ bool record(StepsOutput& out, double norm) const {
    const double loss = total_loss(plan, totals);
    const bool taken = isfinite(loss) && isfinite(norm);
    for (int i = 0; i < 3; ++i) out.last[i] = totals[i];
    out.last_norm = norm;
    out.last_taken = taken;
    if (!taken && launch.updates) return false;  // a loss that is asked for is told as it is
    if (out.taken == 0) out.first_mean = loss / totals[2];
    for (int i = 0; i < 3; ++i) out.loss[i] += totals[i];
    ++out.taken;
    return taken;
  }

  __device__ void run() {
    StepsOutput out = job.out;
    bool averaged = job.averaged;
    const bool learns = launch.updates || job.gradient;
    begin();
    for (int k = launch.from; k < launch.to; ++k) {
      const bool stored = k == launch.from || !launch.updates;
      set_step(k);
      if (!apart() && (k == launch.from || !alone())) load_parameters(stored);
      if (learns)
        for (int i = static_cast<int>(threadIdx.x); i < plan.resident; i += static_cast<int>(blockDim.x))
          s.g[i] = T(0);
      __syncthreads();
      if (apart()) {
        outer_forward(launch, frame.data, step, s.outer_w, heads, heads_of(head));
        wait();
        if (part >= chunks()) prefetch(k + 1);
        if (k == launch.from || !alone()) load_parameters(stored);
        __syncthreads();
      }
      sweep_chunks(learns);
      publish(learns);
      wait();
      collect_losses();
      double norm = 0;
      if (learns) norm = sqrt(reduce_slice());
      const bool taken = record(out, norm);
      if (launch.updates) {
        if (!taken) break;
        update(update_step<T>(launch.rule, numbers, norm, averaged));
        averaged = true;
      } else if (learns) {
        write_gradient();
        break;
      }
      if (!apart()) wait();
      __syncthreads();
    }
    __syncthreads();
    if (apart() && launch.updates) store_outer();
    if (part == 0 && threadIdx.x == 0) home.out = out;
  }
};

}  // namespace bl::cuda
