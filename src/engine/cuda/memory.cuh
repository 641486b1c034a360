// Memory of the GPU and the errors of its runtime.
#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/cuda/failure.hpp"

namespace bl::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  std::size_t free = 0, total = 0;
  const bool memory = status == cudaErrorMemoryAllocation;
  if (memory) cudaMemGetInfo(&free, &total);
  fail(memory, what, cudaGetErrorString(status), static_cast<double>(free), static_cast<double>(total));
}

// Memory of the GPU. Small pieces are kept when they are given back, for whoever needs as much next: asking
// the driver takes longer than a step of a small model. Work that uses a piece has ended when it is given
// back: the last thing that all work here does is to wait for its stream.
void* take_memory(std::size_t bytes);
void give_back_memory(void* data, std::size_t bytes);

// Held while a step is recorded, and by whatever may wait for the whole device: taking and freeing memory,
// opening and closing cuBLAS. Such a wait on one thread spoils what another thread is recording.
std::mutex& whole_device();

// A queue of work. Kept and handed on in the same way.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

// An array on the GPU. It grows and never shrinks.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t count) { reserve(count); }
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() { give_back_memory(data_, size_ * sizeof(T)); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Contents are lost where it grows.
  void reserve(std::size_t count) {
    if (count <= size_) return;
    give_back_memory(std::exchange(data_, nullptr), std::exchange(size_, 0) * sizeof(T));
    data_ = static_cast<T*>(take_memory(count * sizeof(T)));
    size_ = count;
  }
  void write(std::span<const T> values, cudaStream_t stream) {
    reserve(values.size());
    if (values.empty()) return;
    check(cudaMemcpyAsync(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
          "a copy to the GPU");
  }
  void read(std::span<T> values, cudaStream_t stream) const {
    if (values.empty()) return;
    check(cudaMemcpyAsync(values.data(), data_, values.size_bytes(), cudaMemcpyDeviceToHost, stream),
          "a copy from the GPU");
    check(cudaStreamSynchronize(stream), "the computation");
  }
  void clear(cudaStream_t stream) {
    if (size_ > 0) check(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream), "clearing memory");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Seconds of the GPU between two places of a stream.
class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_), "timing");
    check(cudaEventCreate(&end_), "timing");
    check(cudaEventRecord(begin_, stream), "timing");
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  // Waits until everything so far is done.
  double seconds() const {
    float milliseconds = 0;
    check(cudaEventRecord(end_, stream_), "timing");
    check(cudaEventSynchronize(end_), "the computation");
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "timing");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace bl::cuda
