#include "engine/cuda/resident.cuh"

#include <algorithm>

#include "engine/cuda/worker.cuh"

namespace bl::cuda {

namespace {

constexpr int kThreads = 512;  // at most

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
  Worker<T> worker{launch,
                   launch.jobs[blockIdx.x / parts],
                   shared_arrays(launch, memory),
                   plan,
                   frame,
                   job_place.value(),
                   step,
                   numbers_place.value(),
                   totals,
                   static_cast<int>(blockIdx.x % parts),
                   blockIdx.x / parts};
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
    check(cudaDeviceGetAttribute(&out.processors, cudaDevAttrMultiProcessorCount, device),
          "asking for the GPU");
    check(cudaDeviceGetAttribute(&out.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "asking for the GPU");
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
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(resident_kernel<T>), grid, block, arguments,
                                    bytes, stream),
        "a launch");
}

template <class T>
int blocks_at_once(const Launch<T>& launch, int threads) {
  const std::size_t bytes = shared_bytes(launch);
  check(cudaFuncSetAttribute(resident_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting up a kernel");
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, resident_kernel<T>, threads, bytes),
        "asking for the GPU");
  return each * limits().processors;
}

#define BL_INSTANTIATE(T)                                               \
  template int resident_points<T>(const Plan&, int, int, bool);         \
  template void run_resident(const Launch<T>&, int, int, cudaStream_t); \
  template int blocks_at_once(const Launch<T>&, int);
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::cuda
