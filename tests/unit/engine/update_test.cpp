#include "engine/cpu/update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl {
namespace {

// One head: weights of two inputs, bias, lambda; readout weight and bias.
ParameterLayout layout() {
  Architecture a = stacked({.context = 1, .values = 1, .classes = 0}, {1});
  a.layers[0].degrees[1].clear();
  a.layers[0].degrees[2].clear();
  return ParameterLayout(a);
}
constexpr std::array<bool, 6> kDecays = {true, true, false, false, false, false};

const std::vector<double> kStart = {0.5, -1.5, 2.0, 0.25, -0.75, 1.0};
const std::vector<std::vector<double>> kGradients = {{0.1, -0.2, 0.3, -0.4, 0.5, 0},
                                                     {-0.3, 0.1, 0.2, 0.6, -0.1, 0.7}};

// PyTorch's documented formulas, one parameter at a time in long double.
struct Reference {
  OptimizerSpec spec;
  double rate;
  long double m = 0, v = 0;
  int t = 0;

  long double step(long double p, long double g, long double decay) {
    ++t;
    if (spec.kind == OptimizerKind::sgd) {
      g += decay * p;
      m = t == 1 ? g : spec.momentum * m + g;
      return p - rate * m;
    }
    if (spec.kind == OptimizerKind::adam) g += decay * p;
    if (spec.kind == OptimizerKind::adamw) p -= rate * decay * p;
    m = spec.beta1 * m + (1 - static_cast<long double>(spec.beta1)) * g;
    v = spec.beta2 * v + (1 - static_cast<long double>(spec.beta2)) * g * g;
    const long double m_hat = m / (1 - std::pow(static_cast<long double>(spec.beta1), t));
    const long double v_hat = v / (1 - std::pow(static_cast<long double>(spec.beta2), t));
    return p - rate * m_hat / (std::sqrt(v_hat) + spec.epsilon);
  }
};

template <class T>
class UpdateRuleOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(UpdateRuleOf, Reals);

TYPED_TEST(UpdateRuleOf, StepsAreThoseOfTheFormulas) {
  using T = TypeParam;
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
    for (const double decay : {0.0, 0.1}) {
      OptimizerSpec spec;
      spec.kind = kind;
      spec.weight_decay = decay;
      const double rate = 0.05;
      const UpdateRule<T> rule(spec, layout());
      OptimizerState<T> state;
      std::vector<T> p(kStart.begin(), kStart.end());
      std::vector<long double> expected(kStart.begin(), kStart.end());
      std::vector<Reference> references(p.size(), Reference{.spec = spec, .rate = rate});
      for (const auto& g : kGradients) {
        rule.step(p, std::vector<T>(g.begin(), g.end()), rate, state);
        for (std::size_t i = 0; i < p.size(); ++i) {
          expected[i] = references[i].step(expected[i], g[i], kDecays[i] ? decay : 0);
          // A dozen roundings of numbers up to 2.
          EXPECT_NEAR(static_cast<double>(p[i]), static_cast<double>(expected[i]),
                      32 * std::numeric_limits<T>::epsilon())
              << name(kind) << ", decay " << decay << ", parameter " << i;
        }
      }
      EXPECT_EQ(state.steps, 2);
    }
  }
}

// With no gradient at all, decay is the only thing that moves a parameter: weights shrink, the rest stays.
TEST(UpdateRule, DecaySparesBiasesAndLambdas) {
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd}) {
    OptimizerSpec spec;
    spec.kind = kind;
    spec.weight_decay = 0.1;
    const UpdateRule<double> rule(spec, layout());
    OptimizerState<double> state;
    std::vector<double> p = kStart;
    rule.step(p, std::vector<double>(p.size(), 0.0), 0.01, state);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (kDecays[i])
        EXPECT_LT(std::abs(p[i]), std::abs(kStart[i])) << name(kind) << " " << i;
      else
        EXPECT_EQ(p[i], kStart[i]) << name(kind) << " " << i;
    }
  }
}

// Decays given one by one count instead of the one for all weights.
TEST(UpdateRule, EveryParameterMayHaveADecayOfItsOwn) {
  OptimizerSpec spec;
  spec.kind = OptimizerKind::adamw;
  spec.weight_decay = 7;
  for (std::size_t i = 0; i < kStart.size(); ++i) spec.decay.push_back(0.25 * static_cast<double>(i));
  const UpdateRule<double> rule(spec, layout());
  OptimizerState<double> state;
  std::vector<double> p = kStart;
  rule.step(p, std::vector<double>(p.size(), 0.0), 0.01, state);
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_DOUBLE_EQ(p[i], kStart[i] * (1 - 0.01 * spec.decay[i])) << i;
}

TEST(Clipping, ShortensToTheLimitAndReportsTheNormBefore) {
  std::vector<double> g = {3, -4, 12};
  EXPECT_DOUBLE_EQ(clip_norm<double>(g, 0), 13);
  EXPECT_EQ(g, (std::vector<double>{3, -4, 12})) << "limit 0 only measures";
  EXPECT_DOUBLE_EQ(clip_norm<double>(g, 13), 13);
  EXPECT_EQ(g[0], 3);
  EXPECT_DOUBLE_EQ(clip_norm<double>(g, 6.5), 13);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(g[i], (std::vector<double>{1.5, -2, 6})[i]);
  // Squares that overflow float do not overflow the norm.
  std::vector<float> large = {3e30F, 4e30F};
  EXPECT_FLOAT_EQ(static_cast<float>(clip_norm<float>(large, 1)), 5e30F);
  EXPECT_FLOAT_EQ(large[1], 0.8F);
}

TEST(Optimizer, NamesGoBothWays) {
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd, OptimizerKind::lbfgs})
    EXPECT_EQ(optimizer_from_name(name(kind)), kind);
  EXPECT_THROW(optimizer_from_name("rmsprop"), UsageError);
}

}  // namespace
}  // namespace bl
