#include "compute/log_sum_exp.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bl {
namespace {

template <class T>
class LogSumExpOf : public testing::Test {
 public:
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
  static T of(std::vector<T> values) { return log_sum_exp<T>(values); }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LogSumExpOf, Reals);

TYPED_TEST(LogSumExpOf, SmallCasesInClosedForm) {
  using T = TypeParam;
  const T eps = std::numeric_limits<T>::epsilon();
  EXPECT_EQ(this->of({T(3.25)}), T(3.25));
  EXPECT_NEAR(this->of({0, 0}), std::log(T(2)), eps);
  EXPECT_NEAR(this->of({std::log(T(1)), std::log(T(2)), std::log(T(3)), std::log(T(4))}), std::log(T(10)),
              4 * eps);
}

// A common shift shifts the result, however large: nothing over- or underflows on the way.
TYPED_TEST(LogSumExpOf, ShiftsExactly) {
  using T = TypeParam;
  const T base = this->of({0, T(-1), T(-2)});
  for (const T shift : {T(1e4), T(-1e4), T(1e30), T(-1e30)})
    EXPECT_NEAR(this->of({shift, shift - 1, shift - 2}),
                shift + (std::abs(shift) < 1e9 ? base : std::log(T(3))),
                4 * std::numeric_limits<T>::epsilon() * std::abs(shift));
  EXPECT_EQ(this->of({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}),
            std::numeric_limits<T>::max());
}

TYPED_TEST(LogSumExpOf, InfinitiesNothingAndNotANumber) {
  using T = TypeParam;
  const T infinity = this->kInfinity, nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(this->of({}), -infinity);
  EXPECT_EQ(this->of({-infinity}), -infinity);
  EXPECT_EQ(this->of({-infinity, -infinity}), -infinity);
  EXPECT_EQ(this->of({-infinity, T(-1e3)}), T(-1e3));
  EXPECT_EQ(this->of({infinity, 0, -infinity}), infinity);
  EXPECT_TRUE(std::isnan(this->of({nan})));
  EXPECT_TRUE(std::isnan(this->of({0, nan})));
  EXPECT_TRUE(std::isnan(this->of({infinity, nan})));
  EXPECT_TRUE(std::isnan(this->of({nan, infinity})));
}

// Far from zero the differences count, and rounding of the sum must not reach them.
TEST(LogSoftmax, IsTheSameAtAnyDistanceFromZero) {
  const double p = std::log(1.0 / 3), q = std::log(2.0 / 3);
  for (const double far : {0.0, 0x1p40, -0x1p40}) {
    std::vector<double> values = {far, far + 1, far + 1};
    std::vector<double> near = {0, 1, 1};
    log_softmax<double>(values);
    log_softmax<double>(near);
    EXPECT_EQ(values, near) << far;
  }
  std::vector<double> two = {0, std::log(2.0)};
  log_softmax<double>(two);
  EXPECT_NEAR(two[0], p, 4e-16);
  EXPECT_NEAR(two[1], q, 4e-16);
  std::vector<double> apart = {1e40, -1e40};
  log_softmax<double>(apart);
  EXPECT_EQ(std::exp(apart[0]) + std::exp(apart[1]), 1);
}

}  // namespace
}  // namespace bl
