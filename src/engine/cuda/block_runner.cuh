// A sweep by the threads of one block, in its shared memory.
#pragma once

#include "engine/cuda/sweep.cuh"

namespace bl::cuda {

// A power of two, at most a warp, of threads for `width` things.
__device__ inline int lanes_for(int width) {
  return width >= 32 ? 32 : width <= 1 ? 1 : 1 << (32 - __clz(width - 1));
}

// Room for a V in shared memory, which no constructor touches.
template <class V>
struct Unset {
  alignas(16) unsigned char bytes[sizeof(V)];
  __device__ V& value() { return *reinterpret_cast<V*>(bytes); }
};

template <class T>
struct BlockRunner {
  Frame<T>& f;   // in shared memory, with its plan
  double* sums;  // of losses

  __device__ const Frame<T>& frame() const { return f; }
  __device__ void set(Source source, int per_row) const {
    if (threadIdx.x == 0) {
      f.source = source;
      f.per_row = per_row;
    }
    __syncthreads();
  }

  template <class Operation>
  __device__ void each(int n, int m, const Operation& operation) const {
    const int lanes = lanes_for(m), shift = 31 - __clz(lanes);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int groups = static_cast<int>(blockDim.x) >> shift;
    for (int r = static_cast<int>(threadIdx.x) >> shift; r < n; r += groups)
      for (int p = lane; p < m; p += lanes) operation(r, p);
    __syncthreads();
  }
  template <class Operation>
  __device__ void rows(int n, int width, const Operation& operation) const {
    const int lanes = lanes_for(width), shift = 31 - __clz(lanes);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int groups = static_cast<int>(blockDim.x) >> shift;
    const unsigned together = lanes == 32 ? ~0U : (1U << lanes) - 1;
    const unsigned mask = together << ((threadIdx.x & 31U) & ~static_cast<unsigned>(lanes - 1));
    for (int r = static_cast<int>(threadIdx.x) >> shift; r < n; r += groups)
      operation(r, Lanes{lane, lanes, mask});
    __syncthreads();
  }
  __device__ Rows<T> slab(int row) const { return {row < 0 ? nullptr : f.at(row, 0), f.ld}; }
  __device__ Pair<T> slabs(Two two) const { return {slab(two.first), slab(two.second)}; }
  __device__ Pair<const T> inputs(Two two) const {
    return {{f.at(two.first, 0), f.ld}, {two.second < 0 ? nullptr : f.at(two.second, 0), f.ld}};
  }
  __device__ void forward(Two out, const Piece& piece, Two in, int ms, int ns, Onto onto) const {
    forward_product<T>(slabs(out), {f.w + piece.weight, piece.stride}, inputs(in), ms, ns, piece.count, onto);
    __syncthreads();
  }
  __device__ void back(Two out, const Piece& piece, Two in, int ms, int ns, Onto onto) const {
    back_product<T>(slabs(out), {f.w + piece.weight, piece.stride}, inputs(in), ms, ns, piece.count, onto);
    __syncthreads();
  }
  __device__ void outer(const Piece& piece, Two left, Two right, int ms, int ns) const {
    outer_product<T>({f.g + piece.weight, piece.stride}, inputs(left), inputs(right), ms, ns, piece.count);
    __syncthreads();
  }
  __device__ void sum_loss(int which, int n) const {
    if (threadIdx.x < 32) {
      double sum = 0;
      for (int r = static_cast<int>(threadIdx.x); r < n; r += 32) sum += f.row_loss[r];
      sum = Lanes{0, 32, ~0U}.sum(sum);
      if (threadIdx.x == 0) sums[which] += sum;
    }
    __syncthreads();
  }
};

}  // namespace bl::cuda
