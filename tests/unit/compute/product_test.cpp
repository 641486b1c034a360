#include "compute/product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/random.hpp"

namespace bl {
namespace {

// A matrix within a wider one, so that rows are not adjacent; the padding must never be read or written.
template <class T>
struct Strided {
  Matrix<T> whole;
  MatrixView<T> view;

  Strided(Index rows, Index cols, Index padding, std::uint64_t seed) : whole(rows, cols + padding) {
    std::fill(whole.flat().begin(), whole.flat().end(), std::numeric_limits<T>::quiet_NaN());
    view = whole.view().columns(padding / 2, cols);
    const RandomStream random(seed, Purpose::test);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        view(i, j) =
            static_cast<T>(random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  }
};

template <class T>
class ProductOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ProductOf, Reals);

template <class T>
using Product = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, Accumulate);

// c(i, j) = sum_t left(i, t) right(t, j), plus what was there.
template <class T>
void check(Product<T> product, const Strided<T>& a, const Strided<T>& b, Index n, Index k, Index m,
           const std::function<T(Index, Index)>& left, const std::function<T(Index, Index)>& right) {
  for (const Accumulate accumulate : {Accumulate::no, Accumulate::yes}) {
    Strided<T> c(n, m, 3, 9);
    const Strided<T> before = [&] { return Strided<T>(n, m, 3, 9); }();
    product(a.view, b.view, c.view, accumulate);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        double sum = accumulate == Accumulate::yes ? static_cast<double>(before.view(i, j)) : 0;
        double size = std::abs(sum);
        for (Index t = 0; t < k; ++t) {
          const double term = static_cast<double>(left(i, t)) * static_cast<double>(right(t, j));
          sum += term;
          size += std::abs(term);
        }
        // Any order of summation errs by at most (k + 1) roundings of the sum of magnitudes.
        const double bound =
            static_cast<double>(k + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
        ASSERT_NEAR(static_cast<double>(c.view(i, j)), sum, bound) << n << "x" << k << "x" << m;
      }
    }
    for (Index i = 0; i < n; ++i) ASSERT_TRUE(std::isnan(c.whole(i, 0))) << "wrote outside the view";
  }
}

TYPED_TEST(ProductOf, AgreesWithTripleLoops) {
  using T = TypeParam;
  for (const Index n : {0, 1, 3, 17}) {
    for (const Index k : {0, 1, 5, 33}) {
      for (const Index m : {0, 1, 2, 19}) {
        for (const Index padding : {2, 5}) {
          const Strided<T> a(n, k, padding, 1), at(k, n, padding, 2), b(k, m, padding, 3),
              bt(m, k, padding, 4);
          check<T>(
              multiply_transposed<T>, a, bt, n, k, m, [&](Index i, Index t) { return a.view(i, t); },
              [&](Index t, Index j) { return bt.view(j, t); });
          check<T>(
              multiply<T>, a, b, n, k, m, [&](Index i, Index t) { return a.view(i, t); },
              [&](Index t, Index j) { return b.view(t, j); });
          check<T>(
              multiply_first_transposed<T>, at, b, n, k, m, [&](Index i, Index t) { return at.view(t, i); },
              [&](Index t, Index j) { return b.view(t, j); });
        }
      }
    }
  }
}

}  // namespace
}  // namespace bl
