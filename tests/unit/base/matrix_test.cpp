#include "base/matrix.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace bl {
namespace {

TEST(Matrix, ViewsShareStorageAndKeepTheStride) {
  Matrix<double> m(3, 4);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j) m(i, j) = static_cast<double>(10 * i + j);
  const MatrixView<const double> right = m.view().columns(2, 2);
  EXPECT_EQ(right(2, 1), 23.0);
  EXPECT_EQ(right.stride, 4);
  EXPECT_EQ(m.view().row_range(1, 2)(0, 0), 10.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.data()) % 64, 0U);
}

TEST(Matrix, AShapeThatFitsKeepsTheStorage) {
  Matrix<float> m(10, 10);
  const float* before = m.data();
  m.resize(5, 20);
  EXPECT_EQ(m.data(), before);
  m.resize(2, 3);
  EXPECT_EQ(m.data(), before);
}

}  // namespace
}  // namespace bl
