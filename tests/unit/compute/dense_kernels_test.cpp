#include "compute/dense_kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace bl {
namespace {

template <class T>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Matrix<T> out(rows, cols);
  RandomStream(seed, Purpose::test).fill_normal(0, out.flat());
  return out;
}

template <class T>
class DenseKernelsOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseKernelsOf, Reals);

// Every entry is the chain of fused multiply-adds in ascending order, exactly: all tiles, all instruction
// sets alike, rows or columns of the first factor adjacent, and more inner indices than one pass takes.
TYPED_TEST(DenseKernelsOf, AnEntryIsOneChainOfFusedProducts) {
  using T = TypeParam;
  bool fastest = true;  // the others may not have a fused operation
  for (const auto& kernels : dense_kernels_of_every_target<T>()) {
    for (const auto [n, k, m] : {std::array<Index, 3>{1, 3, 1},
                                 {13, 300, 65},
                                 {8, 16, 48},
                                 {29, 7, 100},
                                 {9, 5, 2},
                                 {9, 5, 3},
                                 {20, 270, 6},
                                 {12, 9, 12},
                                 {9, 36, 18},
                                 {17, 18, 36},
                                 {9, 20, 108}}) {
      const auto a = random_matrix<T>(n, k, 1), b = random_matrix<T>(k, m, 2);
      const auto start = random_matrix<T>(1, m, 3);
      Matrix<T> turned(k, n), c(n, m), same(n, m);
      kernels.transpose(a.view(), turned.view());
      kernels.product({a.data(), n, k, k, 1}, b.view(), c.view(), false, start.data());
      kernels.product({turned.data(), n, k, 1, n}, b.view(), same.view(), false, start.data());
      const T eps = std::numeric_limits<T>::epsilon();
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < m; ++j) {
          T chain = start(0, j), size = std::abs(chain);
          for (Index t = 0; t < k; ++t) {
            chain = std::fma(a(i, t), b(t, j), chain);
            size += std::abs(a(i, t) * b(t, j));
          }
          ASSERT_EQ(c(i, j), same(i, j));
          ASSERT_NEAR(c(i, j), chain, static_cast<T>(k) * eps * size) << n << " " << k << " " << m;
          if (fastest) {
            ASSERT_EQ(c(i, j), chain);
          }
        }
      }
    }
    fastest = false;
  }
}

TYPED_TEST(DenseKernelsOf, TransposesAnyShape) {
  using T = TypeParam;
  for (const auto& kernels : dense_kernels_of_every_target<T>()) {
    for (const auto [n, m] : {std::array<Index, 2>{1, 1}, {4, 4}, {7, 33}, {18, 5}, {0, 3}}) {
      const auto from = random_matrix<T>(n, m, 1);
      Matrix<T> to(m, n);
      kernels.transpose(from.view(), to.view());
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) ASSERT_EQ(to(j, i), from(i, j));
    }
  }
}

TYPED_TEST(DenseKernelsOf, DotsAndSumsOfRows) {
  using T = TypeParam;
  const double tolerance = 40 * static_cast<double>(std::numeric_limits<T>::epsilon()) * 10;
  for (const auto& kernels : dense_kernels_of_every_target<T>()) {
    for (const Index m : {1, 6, 37}) {
      const auto rows = random_matrix<T>(5, m, 1), weights = random_matrix<T>(1, m, 2);
      Matrix<T> dots(1, 5), sums(1, m);
      std::fill(sums.flat().begin(), sums.flat().end(), T(0.5));
      kernels.row_dots(rows.view(), weights.data(), T(0.25), dots.data());
      kernels.column_sums(rows.view(), sums.data());
      for (Index i = 0; i < 5; ++i) {
        double truth = 0.25;
        for (Index j = 0; j < m; ++j)
          truth += static_cast<double>(rows(i, j)) * static_cast<double>(weights(0, j));
        EXPECT_NEAR(static_cast<double>(dots(0, i)), truth, tolerance);
      }
      for (Index j = 0; j < m; ++j) {
        double truth = 0.5;
        for (Index i = 0; i < 5; ++i) truth += static_cast<double>(rows(i, j));
        EXPECT_NEAR(static_cast<double>(sums(0, j)), truth, tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace bl
