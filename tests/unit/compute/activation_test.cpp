#include "compute/activation.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "bl/errors.hpp"
#include "compute/activation_kinds.hpp"
#include "compute/kernels.hpp"

namespace bl {
namespace {

struct Truth {
  long double value, slope, curvature;
};

// Closed forms in long double; left limits at the kinks.
Truth truth(Activation activation, long double a) {
  switch (activation) {
    case Activation::tanh: {
      const long double t = std::tanh(a), c = std::cosh(a);
      return {t, 1 / (c * c), -2 * t / (c * c)};
    }
    case Activation::identity:
      return {a, 1, 0};
    case Activation::relu:
      return {a > 0 ? a : 0, a > 0 ? 1.0L : 0.0L, 0};
    case Activation::softplus: {
      const long double s = 1 / (1 + std::exp(-a));
      return {a > 0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a)), s, s / (1 + std::exp(a))};
    }
    case Activation::abs:
      return {std::abs(a), a > 0 ? 1.0L : -1.0L, 0};
    case Activation::square:
      return {a * a, 2 * a, 2};
    case Activation::huber:
      if (a <= -1) return {-a - 0.5L, -1, 0};
      if (a > 1) return {a - 0.5L, 1, 0};
      return {0.5L * a * a, a, 1};
    case Activation::clip:
      if (a <= -1) return {-1, 0, 0};
      if (a > 1) return {1, 0, 0};
      return {a, 1, 0};
  }
  return {};
}

template <class T>
struct Activated {
  std::vector<T> value, slope;
};

// One utility head per block with lambda 1: the block is the activation itself.
template <class T>
Activated<T> activate(const Kernels<T>& kernels, Activation activation, const std::vector<T>& heads) {
  const auto n = static_cast<Index>(heads.size());
  BlockShape shape;
  shape.blocks = n;
  shape.sections[0] = {.activation = activation, .sign = 1, .begin = 0, .heads_per_block = 1};
  shape.sections[1].begin = shape.sections[2].begin = n;
  Activated<T> out{heads, std::vector<T>(heads.size())};
  std::vector<T> blocks(heads.size()), lambda(heads.size(), T(1));
  kernels.blocks_forward(shape, lambda.data(), {out.value.data(), 1, n, n}, {out.slope.data(), 1, n, n},
                         {blocks.data(), 1, n, n}, false);
  return out;
}

template <class T>
long double ulp(long double value) {
  const T t = std::max(std::abs(static_cast<T>(value)), std::numeric_limits<T>::min());
  return static_cast<long double>(std::nextafter(t, std::numeric_limits<T>::infinity()) - t);
}

// Points of every magnitude and both signs, dense where functions bend.
template <class T>
std::vector<T> sweep() {
  std::vector<T> points;
  for (int exponent = -30; exponent <= 6; ++exponent) {
    for (int i = 0; i < 2000; ++i) {
      const T a = static_cast<T>(std::ldexp(1.0 + (i + 0.37) / 2000.0, exponent));
      points.push_back(a);
      points.push_back(-a);
    }
  }
  return points;
}

template <class T>
class ActivationOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ActivationOf, Reals);

// In double precision Highway documents 1 ulp for exp, 2 for log1p and 4 for tanh. softplus = max(a, 0) +
// log1p(e) adds half a rounding to 1 + 2; its slope e / (1 + e) two half roundings to 1. In single precision
// both values and softplus's slope are ours, good to 2 ulp. The others are one exact operation, or two
// roundings (huber). tanh's slope 1 - tanh^2 cancels: it is good to 2 * 4 half-ulps of 1, absolutely.
TYPED_TEST(ActivationOf, ValuesAndSlopesAreAccurate) {
  using T = TypeParam;
  const long double eps = std::numeric_limits<T>::epsilon();
  const std::vector<T> heads = sweep<T>();
  for (const Activation activation : kActivations) {
    const auto got = activate(kernels<T>(), activation, heads);
    const bool transcendental = activation == Activation::tanh || activation == Activation::softplus;
    const long double ulps = transcendental                    ? (sizeof(T) == 4 ? 2 : 4)
                             : activation == Activation::huber ? 2
                                                               : 0.5L;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Truth exact = truth(activation, heads[i]);
      ASSERT_LE(std::abs(got.value[i] - exact.value), ulps * ulp<T>(exact.value))
          << name(activation) << "(" << heads[i] << ") = " << got.value[i];
      const long double slope_bound =
          activation == Activation::tanh ? 4.5L * eps : ulps * ulp<T>(exact.slope);
      ASSERT_LE(std::abs(got.slope[i] - exact.slope), slope_bound)
          << name(activation) << "'(" << heads[i] << ") = " << got.slope[i];
    }
  }
}

// In units of the last place of the exact value.
double error_in_ulps(float got, double exact) {
  return std::abs(static_cast<double>(got) - exact) /
         std::ldexp(1.0, std::ilogb(exact) - std::numeric_limits<float>::digits + 1);
}

// Every 97th single-precision number from the smallest normal to far beyond where both functions have
// settled.
TEST(ActivationOfFloat, TanhAndSoftplusAndItsSlopeAreWithinTwoUlps) {
  std::vector<float> heads;
  for (std::uint32_t bits = 0x00800000; bits < 0x43000000; bits += 97) {
    heads.push_back(std::bit_cast<float>(bits));
    heads.push_back(-heads.back());
  }
  const auto expect_close = [&](const char* what, const std::vector<float>& got, auto&& exact) {
    double worst = 0;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const double value = exact(static_cast<double>(heads[i]));
      if (std::abs(value) < static_cast<double>(std::numeric_limits<float>::min())) continue;
      worst = std::max(worst, error_in_ulps(got[i], value));
      ASSERT_LE(error_in_ulps(got[i], value), 2) << what << "(" << heads[i] << ") = " << got[i];
    }
    RecordProperty(std::string(what) + "_ulps", std::to_string(worst));
    std::cout << what << ": at most " << worst << " ulp\n";
  };
  expect_close("tanh", activate(kernels<float>(), Activation::tanh, heads).value,
               [](double a) { return std::tanh(a); });
  const auto softplus = activate(kernels<float>(), Activation::softplus, heads);
  expect_close("softplus", softplus.value,
               [](double a) { return std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a))); });
  expect_close("softplus slope", softplus.slope, [](double a) { return 1 / (1 + std::exp(-a)); });
}

// The curvature inherits the absolute error of the slope it is made from, at most doubled.
TYPED_TEST(ActivationOf, CurvatureFromValueAndSlope) {
  using T = TypeParam;
  const long double bound = 10 * static_cast<long double>(std::numeric_limits<T>::epsilon());
  const std::vector<T> heads = sweep<T>();
  for (const Activation activation : kActivations) {
    const auto got = activate(kernels<T>(), activation, heads);
    for (std::size_t i = 0; i < heads.size(); ++i)
      ASSERT_LE(
          std::abs(curvature(activation, got.value[i], got.slope[i]) - truth(activation, heads[i]).curvature),
          bound)
          << name(activation) << "''(" << heads[i] << ")";
  }
}

TYPED_TEST(ActivationOf, KinksTakeTheLimitFromTheLeft) {
  using T = TypeParam;
  const T after = std::nextafter(T(1), T(2)), before = std::nextafter(T(1), T(0));
  const T least = std::numeric_limits<T>::denorm_min();
  struct Case {
    Activation activation;
    T head, slope, curvature;
  };
  const std::vector<Case> cases = {
      {Activation::relu, -least, 0, 0},
      {Activation::relu, 0, 0, 0},
      {Activation::relu, T(-0.0), 0, 0},
      {Activation::relu, least, 1, 0},
      {Activation::abs, -least, -1, 0},
      {Activation::abs, 0, -1, 0},
      {Activation::abs, T(-0.0), -1, 0},
      {Activation::abs, least, 1, 0},
      {Activation::huber, -after, -1, 0},
      {Activation::huber, -1, -1, 0},
      {Activation::huber, -before, -before, 1},
      {Activation::huber, 0, 0, 1},
      {Activation::huber, before, before, 1},
      {Activation::huber, 1, 1, 1},
      {Activation::huber, after, 1, 0},
      {Activation::clip, -after, 0, 0},
      {Activation::clip, -1, 0, 0},
      {Activation::clip, -before, 1, 0},
      {Activation::clip, 1, 1, 0},
      {Activation::clip, after, 0, 0},
  };
  for (const Case& c : cases) {
    const auto got = activate<T>(kernels<T>(), c.activation, {c.head});
    EXPECT_EQ(got.slope[0], c.slope) << name(c.activation) << " at " << c.head;
    EXPECT_EQ(curvature(c.activation, got.value[0], got.slope[0]), c.curvature)
        << name(c.activation) << " at " << c.head;
  }
}

TYPED_TEST(ActivationOf, ExtremeInputsStayDefined) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), huge = T(1e30);
  const std::vector<T> heads = {huge, -huge, infinity, -infinity, T(-0.0)};
  const auto expect = [&](Activation activation, std::vector<T> values, std::vector<T> slopes) {
    const auto got = activate(kernels<T>(), activation, heads);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      EXPECT_EQ(got.value[i], values[i]) << name(activation) << "(" << heads[i] << ")";
      EXPECT_EQ(got.slope[i], slopes[i]) << name(activation) << "'(" << heads[i] << ")";
    }
  };
  expect(Activation::tanh, {1, -1, 1, -1, 0}, {0, 0, 0, 0, 1});
  expect(Activation::identity, heads, {1, 1, 1, 1, 1});
  expect(Activation::relu, {huge, 0, infinity, 0, 0}, {1, 0, 1, 0, 0});
  // log 2 to within the bound above.
  const T log2 = activate<T>(kernels<T>(), Activation::softplus, {0}).value[0];
  EXPECT_NEAR(static_cast<double>(log2), std::log(2.0), 4 * std::numeric_limits<T>::epsilon());
  expect(Activation::softplus, {huge, 0, infinity, 0, log2}, {1, 0, 1, 0, T(0.5)});
  expect(Activation::abs, {huge, huge, infinity, infinity, 0}, {1, -1, 1, -1, -1});
  expect(Activation::square, {huge * huge, huge * huge, infinity, infinity, 0},
         {2 * huge, -2 * huge, infinity, -infinity, 0});
  expect(Activation::huber, {huge, huge, infinity, infinity, 0}, {1, -1, 1, -1, 0});
  expect(Activation::clip, {1, -1, 1, -1, 0}, {0, 0, 0, 0, 1});
}

TYPED_TEST(ActivationOf, NotANumberIsNeverHidden) {
  using T = TypeParam;
  // In the vector part and in the remainder.
  std::vector<T> heads(19, T(0.5));
  heads[1] = heads[18] = std::numeric_limits<T>::quiet_NaN();
  for (const Activation activation : kActivations) {
    const auto got = activate(kernels<T>(), activation, heads);
    for (std::size_t i = 0; i < heads.size(); ++i)
      EXPECT_EQ(std::isnan(got.value[i]), std::isnan(heads[i])) << name(activation) << " at " << i;
  }
}

// Every remainder of every vector length, and nothing written beyond the end.
TYPED_TEST(ActivationOf, AnyLengthGivesTheSameNumbers) {
  using T = TypeParam;
  std::vector<T> heads(67);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = T(0.11) * static_cast<T>(i) - T(3.3);
  for (const auto& table : kernels_of_every_target<T>()) {
    for (const Activation activation : kActivations) {
      const auto whole = activate(table, activation, heads);
      for (std::size_t n = 0; n <= heads.size(); ++n) {
        const auto part =
            activate<T>(table, activation, {heads.begin(), heads.begin() + static_cast<Index>(n)});
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(part.value[i], whole.value[i]) << name(activation) << " n " << n << " " << table.target;
          ASSERT_EQ(part.slope[i], whole.slope[i]) << name(activation) << " n " << n << " " << table.target;
        }
      }
    }
  }
}

TEST(Activation, NamesGoBothWays) {
  for (const Activation activation : kActivations)
    EXPECT_EQ(activation_from_name(name(activation)), activation);
  try {
    activation_from_name("sigmoid");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown activation 'sigmoid'; known: tanh, identity, relu, softplus, abs, square, huber, clip");
  }
}

}  // namespace
}  // namespace bl
