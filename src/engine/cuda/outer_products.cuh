// The first layer's product with the context for a whole batch, shared out by heads: each block has the
// weights of some heads in its shared memory, and the rows come from memory of the GPU.
#pragma once

#include "engine/cuda/launch.cuh"
#include "engine/cuda/products.cuh"

namespace bl::cuda {

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
__device__ void outer_forward(const Launch<T>& launch, const Data<T>& data, const StepInput& step,
                              const T* weights, int heads, T* out) {
  const int stride = launch.plan.layer[0].context.stride, columns = (launch.plan.row_terms + 3) / 4 * 4;
  const int head_tiles = (heads + 3) / 4, tiles = head_tiles * ((step.count + 3) / 4);
  const int lane = static_cast<int>(threadIdx.x) & 31;
  for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles;
       tile += static_cast<int>(blockDim.x) / 32) {
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
    if (lane % 2 == 0 && h < heads && r < step.count)
      out[static_cast<std::size_t>(h) * launch.outer_ld + r] = total;
  }
}

// gradient[h][k] = sum_row d_heads[h][row] context[row][k]. Where there are fewer tiles than threads, several
// threads take turns with the rows of a tile; their sums are added in order. room: shared memory for
// `numbers`.
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
  T* const partial = room + (stages ? (staged + 3) / 4 * 4 : 0);  // of all turns but the first
  const int left_over = numbers - (stages ? (staged + 3) / 4 * 4 : 0);
  const int turns = max(1, min(min(threads / tiles, 1 + left_over / (16 * tiles)), 16));
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
#pragma unroll 16
    for (int r = turn; r < step.count; r += turns) {
      const Four<T> x =
          load4(data.context + static_cast<std::size_t>(step.rows[r]) * data.context_stride + k);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const T d = left[i][r];
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += d * x.v[j];
      }
    }
    T* const to = turn == 0 ? nullptr : partial + 16 * (task - tiles);
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
    Four<T> sum = load4(gradient + h * stride + k);
    for (int turn = 1; turn < turns; ++turn) {
      const Four<T> one = load4(partial + 16 * ((turn - 1) * tiles + tile) + 4 * (i % 4));
#pragma unroll
      for (int j = 0; j < 4; ++j) sum.v[j] += one.v[j];
    }
    store4(gradient + h * stride + k, sum);
  }
}

}  // namespace bl::cuda
