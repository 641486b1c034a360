#include "objective/quadrature_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "bl/errors.hpp"

namespace bl {
namespace {

TEST(GaussLegendre, ExactForPolynomialsUpToTwiceItsOrderLessOne) {
  std::vector<double> nodes, weights;
  for (int order = 1; order <= 20; ++order) {
    gauss_legendre(order, nodes, weights);
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(order));
    EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
    for (int degree = 0; degree <= 2 * order; ++degree) {
      double sum = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) sum += weights[i] * std::pow(nodes[i], degree);
      const double exact = degree % 2 == 1 ? 0 : 2.0 / (degree + 1);
      if (degree < 2 * order) {
        EXPECT_NEAR(sum, exact, 8e-16 * order) << "order " << order << ", degree " << degree;
      } else if (order <= 10) {  // beyond, the error itself drops below rounding
        EXPECT_GT(std::abs(sum - exact), 1e-9)
            << "order " << order << " cannot be exact for degree " << degree;
      }
    }
  }
}

TEST(GaussLegendre, KnownNodesOfOrderThree) {
  std::vector<double> nodes, weights;
  gauss_legendre(3, nodes, weights);
  EXPECT_NEAR(nodes[0], -std::sqrt(0.6), 2e-16);
  EXPECT_NEAR(nodes[1], 0, 2e-16);
  EXPECT_NEAR(weights[0], 5.0 / 9, 4e-16);
  EXPECT_NEAR(weights[1], 8.0 / 9, 4e-16);
}

double integrate(const QuadratureRule& rule, const std::function<double(const double*)>& f) {
  double sum = 0;
  for (Index k = 0; k < rule.size(); ++k)
    sum += std::exp(rule.log_weights[static_cast<std::size_t>(k)]) * f(rule.nodes.row(k));
  return sum;
}

TEST(GaussLobatto, ExactForPolynomialsWithBothEndsAmongItsNodes) {
  std::vector<double> nodes, weights;
  for (int points = 2; points <= 12; ++points) {
    gauss_lobatto(points, nodes, weights);
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(points));
    EXPECT_EQ(nodes.front(), -1);
    EXPECT_EQ(nodes.back(), 1);
    EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
    for (int degree = 0; degree <= 2 * points - 2; ++degree) {
      double sum = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) sum += weights[i] * std::pow(nodes[i], degree);
      const double exact = degree % 2 == 1 ? 0 : 2.0 / (degree + 1);
      if (degree <= 2 * points - 3) {
        EXPECT_NEAR(sum, exact, 8e-16 * points) << points << " points, degree " << degree;
      } else if (points <= 10) {
        EXPECT_GT(std::abs(sum - exact), 1e-9) << points << " points, degree " << degree;
      }
    }
  }
}

TEST(AnchoredRule, HasItsValuesAsNodesAndIntegratesBetweenThem) {
  const std::vector<double> values = {2.25, -1, 0.1, 2.5, -1.5};  // two of them are ends of the interval
  const QuadratureRule rule = anchored_rule({{-1.5}, {2.5}}, 16, values);
  std::vector<double> nodes(rule.nodes.data(), rule.nodes.data() + rule.size());
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
  EXPECT_EQ(std::adjacent_find(nodes.begin(), nodes.end()), nodes.end());
  for (const double value : values) EXPECT_THAT(nodes, ::testing::Contains(value));
  EXPECT_NEAR(integrate(rule, [](const double*) { return 1.0; }), 4.0, 1e-14);
  EXPECT_NEAR(integrate(rule, [](const double* y) { return std::exp(y[0]); }), std::exp(2.5) - std::exp(-1.5),
              1e-12);
}

// A peak far narrower than the spacing of nodes: the plain rule misses it, with its mass; the anchored one
// counts it as if it had the width of its weight, so that narrower peaks gain nothing.
TEST(AnchoredRule, SeesAPeakOnAValue) {
  const auto peak = [](const double* y) { return std::exp(-std::abs(y[0] - 0.1) * 1e6); };
  EXPECT_LT(integrate(composite_rule({{-1.5}, {2.5}}, 16), peak), 1e-100);
  EXPECT_GT(integrate(anchored_rule({{-1.5}, {2.5}}, 16, {0.1}), peak), 1e-3);
}

TEST(CompositeRule, CoversTheBox) {
  const QuadratureRule line = composite_rule({{-1.5}, {2.5}}, 3);
  EXPECT_EQ(line.size(), 24);
  EXPECT_NEAR(integrate(line, [](const double*) { return 1.0; }), 4.0, 1e-14);
  EXPECT_NEAR(integrate(line, [](const double* y) { return std::exp(y[0]); }), std::exp(2.5) - std::exp(-1.5),
              1e-12);
  const QuadratureRule plane = composite_rule({{-1, 0}, {1, 3}}, 2);
  EXPECT_EQ(plane.size(), 256);
  EXPECT_NEAR(integrate(plane, [](const double* y) { return y[0] * y[0] * y[1]; }), 2.0 / 3 * 4.5, 1e-13);
  for (Index k = 0; k < plane.size(); ++k) {
    EXPECT_TRUE(plane.nodes(k, 0) > -1 && plane.nodes(k, 0) < 1);
    EXPECT_TRUE(plane.nodes(k, 1) > 0 && plane.nodes(k, 1) < 3);
  }
}

TEST(CompositeRule, RefusesWhatItCannotIntegrate) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(composite_rule({{0, 0, 0}, {1, 1, 1}}, 2), UsageError);
  EXPECT_THROW(composite_rule({{}, {}}, 2), UsageError);
  EXPECT_THROW(composite_rule({{0}, {1}}, 0), UsageError);
  EXPECT_THROW(composite_rule({{1}, {1}}, 2), UsageError);
  EXPECT_THROW(composite_rule({{0}, {infinity}}, 2), UsageError);
  EXPECT_THROW(composite_rule({{0}, {nan}}, 2), UsageError);
  try {
    composite_rule({{0, 0, 0}, {1, 1, 1}}, 2);
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("dsm"));
  }
}

// A density that is low at every node of one rule and high elsewhere.
double integral_of_hidden_mass(const QuadratureRule& rule, const QuadratureRule& hidden_from) {
  double sum = 0;
  for (Index i = 0; i < rule.size(); ++i) {
    double nearest = 1;
    for (Index k = 0; k < hidden_from.size(); ++k)
      nearest = std::min(nearest, std::abs(rule.nodes(i, 0) - hidden_from.nodes(k, 0)));
    sum += std::exp(rule.log_weights[static_cast<std::size_t>(i)]) * (nearest < 0.002 ? 0 : 1);
  }
  return sum;
}

TEST(JudgingPanels, SeeWhatHidesBetweenTheNodesOfTraining) {
  const Support support{{-5}, {5}};
  const QuadratureRule training = composite_rule(support, 16);
  const QuadratureRule judging = composite_rule(support, judging_panels(16, 1));
  EXPECT_EQ(integral_of_hidden_mass(training, training), 0);
  const double hidden = 10 - 128 * 0.004;  // the width less a gap around each of the 128 nodes
  // Some 26 of the 520 nodes fall into a gap, plus or minus 5, each 1/520 of the width: four times that.
  EXPECT_NEAR(integral_of_hidden_mass(judging, training), hidden, 4 * 5 * 10.0 / 520);
  EXPECT_GT(judging_panels(5, 2), 5);
}

}  // namespace
}  // namespace bl
