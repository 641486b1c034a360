// Products of large matrices by cuBLAS, which is looked for when the program runs: who has no wide models
// needs none of it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "base/device.hpp"

namespace bl::cuda {

class Cublas {
 public:
  // Null where the library is not found.
  static std::unique_ptr<Cublas> open(cudaStream_t stream, Device::Products products);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // Room for operands of so many numbers, rounded, where products need it. Whether it was moved.
  bool reserve(std::size_t numbers);

  // c (m x n) = op(a) op(b) + beta c, columns next to each other, ld between them.
  void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
                const float* b, int ldb, bool accumulate, float* c, int ldc) const;
  void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
                const double* b, int ldb, bool accumulate, double* c, int ldc) const;

 private:
  struct State;
  explicit Cublas(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bl::cuda
