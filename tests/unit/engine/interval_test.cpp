// The reference engine's integrals against closed forms made by hand.
#include "engine/reference/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"

namespace bl {
namespace {

// One number and one head: BL = sign lambda f(w v + b), stored as w, b, lambda.
struct OneHead {
  Architecture architecture;
  ParameterLayout layout;
  std::vector<double> raw;

  OneHead(Activation activation, HeadKind kind, std::vector<double> parameters)
      : architecture(made(activation, kind)), layout(architecture), raw(std::move(parameters)) {}
  static Architecture made(Activation activation, HeadKind kind) {
    Architecture a = single_block({.context = 0, .values = 1, .classes = 0}, {}, {}, {});
    a.basis.kind = BasisKind::affine;
    a.layers[0].degrees[static_cast<std::size_t>(kind)] = {1};
    a.activations[static_cast<std::size_t>(kind)] = activation;
    a.lambda = Sign::free;
    return a;
  }
  double integral(double lower, double upper, double temperature) const {
    const reference::Utility utility(architecture, layout, raw);
    double sum = 0;
    for (const auto& [place, log_weight] :
         reference::interval_nodes(utility, architecture, {0.0}, 0, lower, upper, temperature))
      sum += std::exp(log_weight + utility.outputs(std::vector{place})[0] / temperature);
    return sum;
  }
};

// Sums of a hundred positive terms.
constexpr double kRounding = 1e-14;

// Of exp(-k |v - 1/2|) over [-1, 2], k = 3 / 0.2: steep on both sides of the kink.
TEST(ReferenceInterval, OfAnAbsoluteValue) {
  const OneHead head(Activation::abs, HeadKind::equality, {2, -1, 1.5});
  const double k = 15;
  const double truth = 2 * (1 - std::exp(-1.5 * k)) / k;
  EXPECT_NEAR(head.integral(-1, 2, 0.2), truth, kRounding * truth);
}

// 4 clip(v): flat outside of [-1, 1].
TEST(ReferenceInterval, OfAClippedHead) {
  const OneHead head(Activation::clip, HeadKind::utility, {1, 0, 4});
  const double truth = std::exp(-4.0) * 2 + (std::exp(4.0) - std::exp(-4.0)) / 4 + std::exp(4.0);
  EXPECT_NEAR(head.integral(-3, 2, 1), truth, kRounding * truth);
}

// A head that never moves has no kink.
TEST(ReferenceInterval, OfAConstant) {
  const OneHead head(Activation::relu, HeadKind::inequality, {0, 2, 1});
  EXPECT_NEAR(head.integral(0, 3, 1), 3 * std::exp(-2.0), kRounding);
}

TEST(ReferenceInterval, RefusesOtherUtilities) {
  EXPECT_THROW(OneHead(Activation::tanh, HeadKind::utility, {1, 0, 1}).integral(0, 1, 1), UsageError);
}

}  // namespace
}  // namespace bl
