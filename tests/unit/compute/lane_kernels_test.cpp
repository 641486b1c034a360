#include "compute/lane_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "engine/reference/utility.hpp"

namespace bl {
namespace {

template <class T>
std::vector<T> random_numbers(Index count, std::uint64_t seed, double standard_deviation = 1) {
  std::vector<T> out(static_cast<std::size_t>(count));
  const RandomStream random(seed, Purpose::test);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<T>(standard_deviation * random.normal(0, i));
  return out;
}

template <class T>
double value(const std::vector<T>& numbers, Index row, Index p) {
  return static_cast<double>(numbers[static_cast<std::size_t>(row * kLanePoints + p)]);
}

template <class T>
class LaneKernelsOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneKernelsOf, Precisions);

// Seven rows are four and three: both inner loops run. The transpose is read through its strides.
TYPED_TEST(LaneKernelsOf, ProductsOnEveryInstructionSet) {
  using T = TypeParam;
  const Index rows = 7, cols = 5;
  const auto weights = random_numbers<T>(rows * cols, 1);
  for (const LaneKernels<T>& k : lane_kernels_of_every_target<T>())
    for (const bool transposed : {false, true})
      for (const bool from_zero : {false, true}) {
        const StridedMatrix<T> w = transposed ? StridedMatrix<T>{weights.data(), cols, rows, 1, cols}
                                              : StridedMatrix<T>{weights.data(), rows, cols, cols, 1};
        const auto in = random_numbers<T>(w.cols * kLanePoints, 2),
                   from = random_numbers<T>(w.rows * kLanePoints, 3);
        std::vector<T> out(from.size());
        k.product(w, from_zero ? nullptr : from.data(), in.data(), out.data());
        for (Index r = 0; r < w.rows; ++r)
          for (Index p = 0; p < kLanePoints; ++p) {
            double truth = from_zero ? 0 : value(from, r, p), size = std::abs(truth);
            for (Index c = 0; c < w.cols; ++c) {
              const double term =
                  static_cast<double>(w.data[r * w.row_stride + c * w.column_stride]) * value(in, c, p);
              truth += term;
              size += std::abs(term);
            }
            ASSERT_NEAR(value(out, r, p), truth,
                        8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size);
          }
      }
}

double slope_of(Activation activation, double a) {
  switch (activation) {
    case Activation::tanh:
      return 1 - std::tanh(a) * std::tanh(a);
    case Activation::identity:
      return 1;
    case Activation::relu:
      return a > 0;
    case Activation::softplus:
      return 1 / (1 + std::exp(-a));
    case Activation::abs:
      return a > 0 ? 1 : -1;
    case Activation::square:
      return 2 * a;
    case Activation::huber:
      return std::clamp(a, -1.0, 1.0);
    case Activation::clip:
      return std::abs(a) < 1;
  }
  return 0;
}

// Three blocks with 1, 2 and 3 heads of the kinds; standard deviation 4 reaches both ends of every
// activation.
TYPED_TEST(LaneKernelsOf, BlocksOnEveryInstructionSet) {
  using T = TypeParam;
  const double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const Activation activation : kActivations) {
    BlockShape shape;
    shape.blocks = 3;
    shape.sections = {{{activation, 1, 0, 1}, {Activation::relu, -1, 3, 2}, {Activation::huber, -1, 9, 3}}};
    const auto a = random_numbers<T>(shape.total() * kLanePoints, 4, 4),
               lambda = random_numbers<T>(shape.total(), 5), d_s = random_numbers<T>(3 * kLanePoints, 6);
    for (const LaneKernels<T>& k : lane_kernels_of_every_target<T>()) {
      std::vector<T> heads = a, s(3 * static_cast<std::size_t>(kLanePoints), T(99));
      k.blocks(shape, lambda.data(), heads.data(), s.data());
      k.blocks_backward(shape, d_s.data(), heads.data());
      std::vector<double> sums(s.size(), 0.0), sizes(s.size(), 0.0);
      for (const HeadSection& section : shape.sections)
        for (Index h = 0; h < shape.blocks * section.heads_per_block; ++h)
          for (Index p = 0; p < kLanePoints; ++p) {
            const Index head = section.begin + h, block = h / section.heads_per_block;
            const auto at = static_cast<std::size_t>(block * kLanePoints + p);
            const double weight = section.sign * static_cast<double>(lambda[static_cast<std::size_t>(head)]);
            const double term = weight * reference::activate(section.activation, value(a, head, p)).value;
            sums[at] += term;
            sizes[at] += std::abs(term);
            const double truth =
                value(d_s, block, p) * weight * slope_of(section.activation, value(a, head, p));
            // The slope of tanh is 1 less a square: exact to roundings of 1.
            ASSERT_NEAR(value(heads, head, p), truth,
                        rounding * (std::abs(truth) + std::abs(value(d_s, block, p) * weight)))
                << name(section.activation);
          }
      for (std::size_t i = 0; i < s.size(); ++i)
        ASSERT_NEAR(static_cast<double>(s[i]), sums[i], rounding * sizes[i]) << name(activation);
    }
  }
}

// The whole range of tanh in both precisions, its ends and what is not a number.
TYPED_TEST(LaneKernelsOf, TanhIsExactToAFewRoundings) {
  using T = TypeParam;
  BlockShape shape;
  shape.blocks = 1;
  shape.sections = {{{Activation::tanh, 1, 0, 1}, {Activation::relu, -1, 1, 0}, {Activation::abs, -1, 1, 0}}};
  const T lambda = 1;
  for (const LaneKernels<T>& k : lane_kernels_of_every_target<T>()) {
    for (int step = 0; step < 2000; ++step) {
      std::vector<T> heads(static_cast<std::size_t>(kLanePoints)), s(heads), a;
      for (Index p = 0; p < kLanePoints; ++p) {
        const double size =
            std::pow(10.0, -6 + 8.0 * (step * static_cast<double>(kLanePoints) + static_cast<double>(p)) /
                                    (2000.0 * static_cast<double>(kLanePoints)));
        heads[static_cast<std::size_t>(p)] = static_cast<T>(p % 2 ? size : -size);
      }
      a = heads;
      k.blocks(shape, &lambda, heads.data(), s.data());
      for (Index p = 0; p < kLanePoints; ++p) {
        const double truth = std::tanh(value(a, 0, p));
        ASSERT_NEAR(value(s, 0, p), truth,
                    4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::abs(truth))
            << value(a, 0, p);
        ASSERT_LE(std::abs(value(s, 0, p)), 1);
      }
    }
    std::vector<T> ends(static_cast<std::size_t>(kLanePoints), T(0)), s(ends);
    ends[0] = std::numeric_limits<T>::infinity();
    ends[1] = -std::numeric_limits<T>::infinity();
    ends[2] = std::numeric_limits<T>::quiet_NaN();
    k.blocks(shape, &lambda, ends.data(), s.data());
    EXPECT_EQ(s[0], T(1));
    EXPECT_EQ(s[1], T(-1));
    EXPECT_TRUE(std::isnan(s[2]));
    EXPECT_EQ(s[3], T(0));
  }
}

}  // namespace
}  // namespace bl
