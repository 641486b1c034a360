#include "engine/cuda/memory.cuh"

#include <map>

namespace bl::cuda {

namespace {

constexpr std::size_t kGrain = 256;                         // what the driver rounds up to as well
constexpr std::size_t kLargestKept = std::size_t{1} << 20;  // larger ones go back to the driver
constexpr std::size_t kMostKept = std::size_t{256} << 20;   // of all together

// What was given back and not asked for since, by size. It is never destroyed: the driver is gone first.
struct Kept {
  std::mutex mutex;
  std::map<std::size_t, std::vector<void*>> memory;
  std::size_t bytes = 0;
  std::vector<cudaStream_t> streams;
};
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + kGrain - 1) / kGrain * kGrain;
}

}  // namespace

void* take_memory(std::size_t bytes) {
  bytes = rounded(bytes);
  if (bytes <= kLargestKept) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    std::vector<void*>& same = all.memory[bytes];
    if (!same.empty()) {
      void* const data = same.back();
      same.pop_back();
      all.bytes -= bytes;
      return data;
    }
  }
  void* data = nullptr;
  const std::lock_guard lock(whole_device());
  check(cudaMalloc(&data, bytes), "the data");
  return data;
}

void give_back_memory(void* data, std::size_t bytes) {
  if (!data) return;
  bytes = rounded(bytes);
  if (bytes <= kLargestKept) {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    if (all.bytes + bytes <= kMostKept) {
      all.memory[bytes].push_back(data);
      all.bytes += bytes;
      return;
    }
  }
  const std::lock_guard lock(whole_device());
  cudaFree(data);
}

std::mutex& whole_device() {
  static std::mutex& one = *new std::mutex;  // like what is kept, it outlives all who use it
  return one;
}

Stream::Stream() {
  {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    if (!all.streams.empty()) {
      stream_ = all.streams.back();
      all.streams.pop_back();
      return;
    }
  }
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "starting the GPU");
}

Stream::~Stream() {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.streams.push_back(stream_);
}

}  // namespace bl::cuda
