#include <gtest/gtest.h>

#include <atomic>

#include "base/context.hpp"
#include "base/random.hpp"
#include "compute/product.hpp"

namespace bl {
namespace {

// The products of several threads must not disturb each other. Large enough for the blocked path of the
// library, which packs into buffers of its own: OpenBLAS built without locks fails here.
TEST(Product, ConcurrentProductsAreThoseOfOneThread) {
  const Index n = 64, m = 264, k = 300;
  Matrix<float> a(n, k), b(m, k), expected(n, m);
  const RandomStream stream(1, Purpose::test);
  stream.fill_normal(0, a.flat());
  stream.fill_normal(1, b.flat());
  multiply_transposed<float>(a.view(), b.view(), expected.view(), Accumulate::no);
  const Context job(4);
  std::atomic<int> wrong{0};
  job.run(4, [&](std::size_t) {
    Matrix<float> c(n, m);
    for (int repeat = 0; repeat < 500; ++repeat) {
      multiply_transposed<float>(a.view(), b.view(), c.view(), Accumulate::no);
      if (!std::equal(c.flat().begin(), c.flat().end(), expected.flat().begin())) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace bl
