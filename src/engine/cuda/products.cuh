// The three products of a sweep, by the threads of one block. Four numbers are loaded at once; each thread
// holds a tile of results and sums in a fixed order. Where there are few tiles they are made smaller.
#pragma once

#include "engine/cuda/plan.hpp"

namespace bl::cuda {

template <class T>
struct Four {
  T v[4];
};

__device__ inline Four<float> load4(const float* p) {
  const float4 x = *reinterpret_cast<const float4*>(p);
  return {{x.x, x.y, x.z, x.w}};
}
__device__ inline Four<double> load4(const double* p) {
  const double2 x = *reinterpret_cast<const double2*>(p), y = *reinterpret_cast<const double2*>(p + 2);
  return {{x.x, x.y, y.x, y.y}};
}
// Written by another block: not from the first-level cache.
__device__ inline Four<float> fresh4(const float* p) {
  const float4 x = __ldcg(reinterpret_cast<const float4*>(p));
  return {{x.x, x.y, x.z, x.w}};
}
__device__ inline Four<double> fresh4(const double* p) {
  const double2 x = __ldcg(reinterpret_cast<const double2*>(p)),
                y = __ldcg(reinterpret_cast<const double2*>(p + 2));
  return {{x.x, x.y, y.x, y.y}};
}
__device__ inline void store4(float* p, const Four<float>& x) {
  *reinterpret_cast<float4*>(p) = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
}
__device__ inline void store4(double* p, const Four<double>& x) {
  *reinterpret_cast<double2*>(p) = make_double2(x.v[0], x.v[1]);
  *reinterpret_cast<double2*>(p + 2) = make_double2(x.v[2], x.v[3]);
}

// What a product is added to.
enum class Onto { zero, itself };

template <class T>
__device__ void put4(T* to, const T (&values)[4], Onto onto) {
  Four<T> result = onto == Onto::itself ? load4(to) : Four<T>{};
#pragma unroll
  for (int j = 0; j < 4; ++j) result.v[j] += values[j];
  store4(to, result);
}

// A matrix with rows of `stride` numbers.
template <class T>
struct Rows {
  T* at;
  int stride;
  __device__ T* row(int r) const { return at + r * stride; }
};

// One result or two from the same left operand: the second pair may be missing (null).
template <class T>
struct Pair {
  Rows<T> first, second;
};

// out[m][n] (+)= sum_k a[m][k] b[k][n].
template <class T, int M, bool kTwo>
__device__ void forward_tiles(Pair<T> out, Rows<const T> a, Pair<const T> b, int ms, int ns, int ks,
                              Onto onto) {
  const int steps = (ms + M - 1) / M, quads = (ns + 3) / 4;
  for (int tile = static_cast<int>(threadIdx.x); tile < steps * quads; tile += static_cast<int>(blockDim.x)) {
    const int m0 = tile / quads, n = 4 * (tile % quads);
    T sum[M][4] = {}, more[M][4] = {};
    const T* from[M];
#pragma unroll
    for (int i = 0; i < M; ++i) from[i] = a.row(min(m0 + i * steps, ms - 1));
    int k = 0;
    for (; k + 4 <= ks; k += 4) {
      Four<T> left[M];
#pragma unroll
      for (int i = 0; i < M; ++i) left[i] = load4(from[i] + k);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const Four<T> right = load4(b.first.row(k + q) + n);
        const Four<T> other = kTwo ? load4(b.second.row(k + q) + n) : Four<T>{};
#pragma unroll
        for (int i = 0; i < M; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum[i][j] += left[i].v[q] * right.v[j];
            if (kTwo) more[i][j] += left[i].v[q] * other.v[j];
          }
      }
    }
    for (; k < ks; ++k) {
      const Four<T> right = load4(b.first.row(k) + n);
      const Four<T> other = kTwo ? load4(b.second.row(k) + n) : Four<T>{};
#pragma unroll
      for (int i = 0; i < M; ++i) {
        const T left = from[i][k];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sum[i][j] += left * right.v[j];
          if (kTwo) more[i][j] += left * other.v[j];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < M; ++i) {
      const int m = m0 + i * steps;
      if (m >= ms) continue;
      put4(out.first.row(m) + n, sum[i], onto);
      if (kTwo) put4(out.second.row(m) + n, more[i], onto);
    }
  }
}

template <class T>
__device__ __noinline__ void forward_product(Pair<T> out, Rows<const T> a, Pair<const T> b, int ms, int ns,
                                             int ks, Onto onto) {
  const bool many = (ms + 3) / 4 * ((ns + 3) / 4) >= static_cast<int>(blockDim.x);
  if (out.second.at && many)
    forward_tiles<T, 4, true>(out, a, b, ms, ns, ks, onto);
  else if (out.second.at)
    forward_tiles<T, 1, true>(out, a, b, ms, ns, ks, onto);
  else if (many)
    forward_tiles<T, 4, false>(out, a, b, ms, ns, ks, onto);
  else
    forward_tiles<T, 1, false>(out, a, b, ms, ns, ks, onto);
}

// out[k][n] (+)= sum_m a[m][k] b[m][n].
template <class T, int K, bool kTwo>
__device__ void back_tiles(Pair<T> out, Rows<const T> a, Pair<const T> b, int ms, int ns, int ks, Onto onto) {
  const int steps = (ks + K - 1) / K, quads = (ns + 3) / 4;
  for (int tile = static_cast<int>(threadIdx.x); tile < steps * quads; tile += static_cast<int>(blockDim.x)) {
    const int k = K * (tile / quads), n = 4 * (tile % quads);
    T sum[K][4] = {}, more[K][4] = {};
#pragma unroll 4
    for (int m = 0; m < ms; ++m) {
      const Four<T> right = load4(b.first.row(m) + n);
      const Four<T> other = kTwo ? load4(b.second.row(m) + n) : Four<T>{};
      T left[K];
      if constexpr (K == 4) {
        const Four<T> four = load4(a.row(m) + k);
#pragma unroll
        for (int i = 0; i < K; ++i) left[i] = four.v[i];
      } else {
        left[0] = a.row(m)[k];
      }
#pragma unroll
      for (int i = 0; i < K; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sum[i][j] += left[i] * right.v[j];
          if (kTwo) more[i][j] += left[i] * other.v[j];
        }
    }
#pragma unroll
    for (int i = 0; i < K; ++i) {
      if (k + i >= ks) continue;
      put4(out.first.row(k + i) + n, sum[i], onto);
      if (kTwo) put4(out.second.row(k + i) + n, more[i], onto);
    }
  }
}

template <class T>
__device__ __noinline__ void back_product(Pair<T> out, Rows<const T> a, Pair<const T> b, int ms, int ns,
                                          int ks, Onto onto) {
  const bool many = (ks + 3) / 4 * ((ns + 3) / 4) >= static_cast<int>(blockDim.x);
  if (out.second.at && many)
    back_tiles<T, 4, true>(out, a, b, ms, ns, ks, onto);
  else if (out.second.at)
    back_tiles<T, 1, true>(out, a, b, ms, ns, ks, onto);
  else if (many)
    back_tiles<T, 4, false>(out, a, b, ms, ns, ks, onto);
  else
    back_tiles<T, 1, false>(out, a, b, ms, ns, ks, onto);
}

// out[m][k] += sum_n a[m][n] b[k][n], and the same of the second pair, where there is one.
template <class T, int M, int K>
__device__ void outer_tiles(Rows<T> out, Pair<const T> a, Pair<const T> b, int ms, int ns, int ks) {
  const int m_steps = (ms + M - 1) / M, k_steps = (ks + K - 1) / K;
  for (int tile = static_cast<int>(threadIdx.x); tile < m_steps * k_steps;
       tile += static_cast<int>(blockDim.x)) {
    const int m0 = tile / k_steps, k0 = tile % k_steps;
    T sum[M][K] = {};
    for (int pair = 0; pair < (a.second.at ? 2 : 1); ++pair) {
      const Rows<const T> x_rows = pair == 0 ? a.first : a.second, y_rows = pair == 0 ? b.first : b.second;
      const T *left[M], *right[K];
#pragma unroll
      for (int i = 0; i < M; ++i) left[i] = x_rows.row(min(m0 + i * m_steps, ms - 1));
#pragma unroll
      for (int j = 0; j < K; ++j) right[j] = y_rows.row(min(k0 + j * k_steps, ks - 1));
      int n = 0;
      for (; n + 4 <= ns; n += 4) {
        Four<T> x[M], y[K];
#pragma unroll
        for (int i = 0; i < M; ++i) x[i] = load4(left[i] + n);
#pragma unroll
        for (int j = 0; j < K; ++j) y[j] = load4(right[j] + n);
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
          for (int i = 0; i < M; ++i)
#pragma unroll
            for (int j = 0; j < K; ++j) sum[i][j] += x[i].v[q] * y[j].v[q];
      }
      for (; n < ns; ++n)
#pragma unroll
        for (int i = 0; i < M; ++i)
#pragma unroll
          for (int j = 0; j < K; ++j) sum[i][j] += left[i][n] * right[j][n];
    }
#pragma unroll
    for (int i = 0; i < M; ++i)
#pragma unroll
      for (int j = 0; j < K; ++j)
        if (m0 + i * m_steps < ms && k0 + j * k_steps < ks)
          out.row(m0 + i * m_steps)[k0 + j * k_steps] += sum[i][j];
  }
}

template <class T>
__device__ __noinline__ void outer_product(Rows<T> out, Pair<const T> a, Pair<const T> b, int ms, int ns,
                                           int ks) {
  const int threads = static_cast<int>(blockDim.x);
  if ((ms + 3) / 4 * ((ks + 3) / 4) >= threads)
    outer_tiles<T, 4, 4>(out, a, b, ms, ns, ks);
  else if ((ms + 1) / 2 * ((ks + 1) / 2) >= threads)
    outer_tiles<T, 2, 2>(out, a, b, ms, ns, ks);
  else
    outer_tiles<T, 1, 1>(out, a, b, ms, ns, ks);
}

}  // namespace bl::cuda
