#include "piecewise/layer_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "piecewise/density.hpp"
#include "support/random_problem.hpp"

namespace bl::piecewise {
namespace {

Architecture architecture_of(Activation utility, std::array<std::vector<int>, 3> heads) {
  Architecture a = stacked({.context = 2, .values = 1, .classes = 0}, {4});
  a.activations = {utility, Activation::relu, Activation::abs};
  a.layers[0].degrees = std::move(heads);
  a.readout.bias = false;  // a constant, which lines leave out
  return a;
}

struct Prepared {
  Network<double> network;
  std::vector<double> parameters;
  PreparedParameters<double> prepared;

  Prepared(const Architecture& a, std::uint64_t seed) : network(a) {
    parameters = test::random_parameters(network.layout(), seed);
    network.prepare(parameters, prepared);
  }
  // The utility at many y for one row.
  std::vector<double> utility(const std::vector<double>& context, const std::vector<double>& y) {
    NetworkWorkspace<double> ws;
    const std::vector<std::int32_t> begin = {0, static_cast<std::int32_t>(y.size())};
    const auto n = static_cast<Index>(y.size());
    network.forward(prepared, {{context.data(), 1, 2, 2}, begin, {y.data(), n, 1, 1}, {}}, ws, true);
    return {ws.scores.flat().begin(), ws.scores.flat().end()};
  }
  std::vector<double> offsets(const std::vector<double>& context) {
    NetworkWorkspace<double> ws;
    const std::vector<std::int32_t> begin = {0, 1};
    const double zero = 0;
    const auto heads = network.heads(prepared, {{context.data(), 1, 2, 2}, begin, {&zero, 1, 1, 1}, {}}, ws);
    return {heads.data, heads.data + heads.cols};
  }
};

TEST(LayerLines, BreakpointsLieOnTheUtilityAndBetweenThemItIsStraight) {
  constexpr double kTemperature = 0.7, kLower = -3, kUpper = 4;
  for (const Activation utility : {Activation::clip, Activation::identity})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Prepared model(architecture_of(utility, {{{1, 1}, {1}, {1, 1}}}), seed);
      const std::vector<double> context = {0.3, -1.1 + 0.2 * static_cast<double>(seed)};
      if (seed % 5 == 4) model.network.prepare(model.parameters, model.prepared);
      LayerLines lines;
      lines.prepare(model.network, model.prepared, kTemperature);
      LineWorkspace ws;
      const auto offsets = model.offsets(context);
      lines.breakpoints(offsets.data(), kLower, kUpper, ws);
      ASSERT_EQ(ws.places.front(), kLower);
      ASSERT_EQ(ws.places.back(), kUpper);
      ASSERT_TRUE(std::is_sorted(ws.places.begin(), ws.places.end()));
      EXPECT_GT(ws.places.size(), 6U);
      std::vector<double> y, expected;
      for (std::size_t k = 0; k < ws.places.size(); ++k) {
        y.push_back(ws.places[k]);
        expected.push_back(ws.values[k]);
        if (k + 1 == ws.places.size()) break;
        for (const double t : {0.25, 0.8}) {
          y.push_back(ws.places[k] + t * (ws.places[k + 1] - ws.places[k]));
          expected.push_back(ws.values[k] + t * (ws.values[k + 1] - ws.values[k]));
        }
      }
      const auto u = model.utility(context, y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(expected[i], u[i] / kTemperature, 1e-12 * (1 + std::abs(expected[i])));
        EXPECT_NEAR(lines.at(offsets.data(), y[i], {}), u[i] / kTemperature, 1e-13 * (1 + std::abs(u[i])));
      }
      const double log_z = lines.log_normalizer(ws);
      EXPECT_NEAR(log_z, Density(ws.places, ws.values).log_normalizer(), 1e-13 * (1 + std::abs(log_z)));
    }
}

TEST(LayerLines, SharesAreMeansUnderTheDistribution) {
  for (const Activation utility : {Activation::clip, Activation::identity})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Prepared model(architecture_of(utility, {{{1}, {1}, {1}}}), seed);
      // Heads that do not move with y have no kink.
      for (Index h = 0; seed % 3 == 0 && h < 12; h += 4)
        model.parameters[static_cast<std::size_t>(3 * h + 2)] = 0;
      model.network.prepare(model.parameters, model.prepared);
      LayerLines lines;
      lines.prepare(model.network, model.prepared, 1);
      LineWorkspace ws;
      const auto offsets = model.offsets({0.7, -0.4});
      lines.breakpoints(offsets.data(), -2, 3, ws);
      lines.log_normalizer(ws);
      std::vector<HeadShare> shares(offsets.size()), at(offsets.size());
      lines.shares(offsets.data(), ws, shares);
      std::vector<HeadShare> expected(offsets.size());
      for (const auto& [y, weight] : Density(ws.places, ws.values).rule()) {
        lines.at(offsets.data(), y, at);
        for (std::size_t h = 0; h < at.size(); ++h) {
          expected[h].by_offset += weight * at[h].by_offset;
          expected[h].by_slope += weight * at[h].by_slope;
          expected[h].value += weight * at[h].value;
        }
      }
      for (std::size_t h = 0; h < at.size(); ++h) {
        EXPECT_NEAR(shares[h].by_offset, expected[h].by_offset, 1e-11);
        EXPECT_NEAR(shares[h].by_slope, expected[h].by_slope, 1e-11);
        EXPECT_NEAR(shares[h].value, expected[h].value, 1e-11);
      }
    }
}

TEST(LayerLines, OnlyPiecewiseLinearUtilitiesHaveThem) {
  Architecture a = architecture_of(Activation::clip, {{{1}, {1}, {1}}});
  EXPECT_TRUE(has_lines(a));
  a.activations[0] = Activation::tanh;
  EXPECT_FALSE(has_lines(a));
  a.layers[0].degrees[0].clear();  // no utility heads: their activation does not matter
  EXPECT_TRUE(has_lines(a));
  EXPECT_FALSE(has_lines(stacked({.context = 2, .values = 1, .classes = 0}, {4, 2})));
}

}  // namespace
}  // namespace bl::piecewise
