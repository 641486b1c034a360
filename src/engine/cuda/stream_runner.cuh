// A sweep from the host: one launch after the other over memory of the GPU.
#pragma once

#include <algorithm>

#include "engine/cuda/cublas.cuh"
#include "engine/cuda/memory.cuh"
#include "engine/cuda/sweep.cuh"

namespace bl::cuda {

inline constexpr unsigned kStreamThreads = 256;

template <class Operation>
__global__ void __launch_bounds__(kStreamThreads) each_kernel(int n, int m, Operation operation) {
  const long long all = static_cast<long long>(n) * m;
  for (long long i = blockIdx.x * static_cast<long long>(kStreamThreads) + threadIdx.x; i < all;
       i += static_cast<long long>(gridDim.x) * kStreamThreads)
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
      tile[y][x] =
          f.data.context[static_cast<std::size_t>(f.step->rows[f.first + r0 + y]) * f.data.context_stride +
                         first_column + c0 + x];
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8)
    if (r0 + x < count && c0 + y < columns) *f.at(slab + c0 + y, r0 + x) = tile[x][y];
}

// A warp for each row.
template <class Operation>
__global__ void __launch_bounds__(kStreamThreads) rows_kernel(int n, Operation operation) {
  const int lane = static_cast<int>(threadIdx.x) & 31;
  for (int r = static_cast<int>((blockIdx.x * kStreamThreads + threadIdx.x) / 32); r < n;
       r += static_cast<int>(gridDim.x * kStreamThreads / 32))
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
__global__ void __launch_bounds__(kStreamThreads) long_rows_kernel(Operation operation) {
  __shared__ T scratch[kStreamThreads];
  operation(static_cast<int>(blockIdx.x),
            BlockLanes<T>{static_cast<int>(threadIdx.x), static_cast<int>(kStreamThreads), scratch});
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
  __shared__ double sums[kStreamThreads];
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(kStreamThreads)) sum += number(i);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = kStreamThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

static __global__ void loss_kernel(int n, const double* row_loss, double* total) {
  const double sum = sum_by_block(n, [&](int i) { return row_loss[i]; });
  if (threadIdx.x == 0) *total += sum;
}

inline unsigned blocks_for(long long threads) {
  return static_cast<unsigned>(
      std::clamp<long long>((threads + kStreamThreads - 1) / kStreamThreads, 1, 132 * 16));
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
    each_kernel<<<blocks_for(static_cast<long long>(n) * m), kStreamThreads, 0, stream>>>(n, m, operation);
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
    long_rows_kernel<T><<<static_cast<unsigned>(n), kStreamThreads, 0, stream>>>(operation);
    check(cudaGetLastError(), "a launch");
  }
  void rows(int n, int, const HeadBackward<T>& operation) const { long_rows(n, operation); }
  void rows(int n, int, const HeadBackwardDot<T>& operation) const { long_rows(n, operation); }
  void rows(int n, int, const OutputBiasBackward<T>& operation) const { long_rows(n, operation); }
  template <class Operation>
  void rows(int n, int, const Operation& operation) const {
    rows_kernel<<<blocks_for(32LL * n), kStreamThreads, 0, stream>>>(n, operation);
    check(cudaGetLastError(), "a launch");
  }
  void multiply(bool ta, bool tb, int m, int n, int k, const T* a, int lda, const T* b, int ldb,
                bool accumulate, T* c, int ldc) const {
    if (cublas) return cublas->multiply(ta, tb, m, n, k, a, lda, b, ldb, accumulate, c, ldc);
    const dim3 grid(static_cast<unsigned>((m + 31) / 32), static_cast<unsigned>((n + 31) / 32)), block(32, 8);
    plain_product<T><<<grid, block, 0, stream>>>(m, n, k, a, ta ? lda : 1, ta ? 1 : lda, b, tb ? 1 : ldb,
                                                 tb ? ldb : 1, accumulate, c, 1, ldc);
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
    loss_kernel<<<1, kStreamThreads, 0, stream>>>(n, f.row_loss, totals + which);
    check(cudaGetLastError(), "a launch");
  }
};

}  // namespace bl::cuda
