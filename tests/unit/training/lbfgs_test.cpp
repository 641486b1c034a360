#include "training/lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace bl {
namespace {

double norm(std::span<const double> v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

struct Outcome {
  std::vector<double> point;
  LbfgsState<double> state;
  LbfgsStatus status = LbfgsStatus::moved;
  int iterations = 0, evaluations = 0;
};

Outcome minimise(const DifferentiableFunction<double>& f, std::vector<double> start, double tolerance,
                 int most) {
  Outcome out;
  out.point = std::move(start);
  const Lbfgs<double> lbfgs;
  const DifferentiableFunction<double> counted = [&](std::span<const double> p, std::span<double> g) {
    ++out.evaluations;
    return f(p, g);
  };
  double last = std::numeric_limits<double>::infinity();
  while (out.iterations < most) {
    out.status = lbfgs.iterate(counted, out.point, out.state);
    ++out.iterations;
    EXPECT_FALSE(out.state.value > last + 1e-15 * (1 + std::abs(last))) << "the value rose";
    last = out.state.value;
    if (out.status != LbfgsStatus::moved || norm(out.state.gradient) <= tolerance) break;
  }
  return out;
}

TEST(Lbfgs, RosenbrocksValley) {
  const auto rosenbrock = [](std::span<const double> p, std::span<double> g) {
    const double a = 1 - p[0], b = p[1] - p[0] * p[0];
    g[0] = -2 * a - 400 * p[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  const Outcome out = minimise(rosenbrock, {-1.2, 1}, 1e-10, 200);
  EXPECT_EQ(out.status, LbfgsStatus::moved);
  EXPECT_LT(out.iterations, 100);
  EXPECT_NEAR(out.point[0], 1, 1e-9);
  EXPECT_NEAR(out.point[1], 1, 1e-9);
}

// f = 1/2 sum d_i (x_i - i)^2 with d from 1 to 1e4.
TEST(Lbfgs, AnIllConditionedQuadratic) {
  const std::size_t n = 50;
  const auto weight = [&](std::size_t i) { return std::pow(1e4, static_cast<double>(i) / (n - 1)); };
  const auto quadratic = [&](std::span<const double> p, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      g[i] = weight(i) * (p[i] - static_cast<double>(i));
      value += 0.5 * g[i] * (p[i] - static_cast<double>(i));
    }
    return value;
  };
  const Outcome out = minimise(quadratic, std::vector<double>(n, 0.0), 1e-8, 1000);
  EXPECT_LE(norm(out.state.gradient), 1e-8);
  EXPECT_LT(out.iterations, 1000);  // SciPy's L-BFGS-B with the same memory takes 922
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(out.point[i], static_cast<double>(i), 1e-8);
}

// The minimum of a function whose values are large and whose decrease is soon below their rounding: the
// gradient still goes to its own precision.
TEST(Lbfgs, GoesOnBelowTheRoundingOfTheValue) {
  const auto lifted = [](std::span<const double> p, std::span<double> g) {
    g[0] = 2 * (p[0] - 3) + 4 * std::pow(p[0] - 3, 3);
    g[1] = 20 * (p[1] + 1);
    return 1e6 + std::pow(p[0] - 3, 2) + std::pow(p[0] - 3, 4) + 10 * std::pow(p[1] + 1, 2);
  };
  const Outcome out = minimise(lifted, {0, 0}, 1e-9, 100);
  EXPECT_LE(norm(out.state.gradient), 1e-9);
  EXPECT_LT(out.iterations, 30);
}

// |x| + 2 |y - 1|: no gradient vanishes at the minimum. It must come near, stop, and say so.
TEST(Lbfgs, AKinkEndsWithNoDescent) {
  const auto kinked = [](std::span<const double> p, std::span<double> g) {
    g[0] = p[0] > 0 ? 1 : -1;
    g[1] = p[1] > 1 ? 2 : -2;
    return std::abs(p[0]) + 2 * std::abs(p[1] - 1);
  };
  const Outcome out = minimise(kinked, {3.3, -2.7}, 1e-8, 1000);
  EXPECT_EQ(out.status, LbfgsStatus::no_descent);
  EXPECT_LT(out.state.value, 0.1) << "near the minimum of 0, from 10.7";
  EXPECT_LT(out.evaluations, 5000);
}

TEST(Lbfgs, StandingAtTheMinimumIsNoDescent) {
  const auto bowl = [](std::span<const double> p, std::span<double> g) {
    g[0] = 2 * p[0];
    return p[0] * p[0];
  };
  const Outcome out = minimise(bowl, {0}, -1, 10);
  EXPECT_EQ(out.status, LbfgsStatus::no_descent);
  EXPECT_EQ(out.iterations, 1);
}

TEST(Lbfgs, AStartThatIsNotFiniteIsSaid) {
  const auto nowhere = [](std::span<const double>, std::span<double> g) {
    g[0] = 1;
    return std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(minimise(nowhere, {0}, 0, 10).status, LbfgsStatus::not_finite);
}

// A cliff of infinities beyond x = 0: the search must shorten its step and stay on the finite side.
TEST(Lbfgs, InfinitiesWithinTheSearchShortenTheStep) {
  const auto barrier = [](std::span<const double> p, std::span<double> g) {
    if (p[0] <= 0) {
      g[0] = std::numeric_limits<double>::quiet_NaN();
      return std::numeric_limits<double>::infinity();
    }
    g[0] = 1 - 1e-3 / p[0];
    return p[0] - 1e-3 * std::log(p[0]);
  };
  const Outcome out = minimise(barrier, {2}, 1e-9, 100);
  EXPECT_NEAR(out.point[0], 1e-3, 1e-9);
}

TEST(Lbfgs, StateCopiedBetweenIterationsGoesOnToTheSameBits) {
  const auto f = [](std::span<const double> p, std::span<double> g) {
    double value = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      g[i] = std::sinh(p[i] - static_cast<double>(i));
      value += std::cosh(p[i] - static_cast<double>(i));
    }
    return value;
  };
  const Lbfgs<double> lbfgs;
  std::vector<double> one(5, 0.5), other;
  LbfgsState<double> state, copy;
  for (int i = 0; i < 4; ++i) lbfgs.iterate(f, one, state);
  other = one;
  copy = state;
  for (int i = 0; i < 4; ++i) {
    lbfgs.iterate(f, one, state);
    Lbfgs<double>().iterate(f, other, copy);
  }
  EXPECT_EQ(one, other);
  EXPECT_EQ(state.gradient, copy.gradient);
}

}  // namespace
}  // namespace bl
