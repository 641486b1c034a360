// Shapes of two numbers whose density is known, and smooth heads on one: learned with random candidates.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "base/random.hpp"
#include "bl/distribution.hpp"
#include "bl/fit.hpp"

namespace bl {
namespace {

struct Place {
  double a, b;
};

// Points of a curve, each with Gaussian noise around it: the density is the mean over the curve.
struct Shape {
  const char* name;
  Place (*at)(double share);  // 0 to 1 along the curve
  double noise;

  Place draw(const RandomStream& random, std::uint64_t row) const {
    const Place on = at(random.uniform(1, row));
    return {on.a + noise * random.normal(2, 2 * row), on.b + noise * random.normal(2, 2 * row + 1)};
  }
  double log_density(const Place& y) const {
    constexpr int kPoints = 4000;
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const Place on = at((i + 0.5) / kPoints);
      const double away = ((y.a - on.a) * (y.a - on.a) + (y.b - on.b) * (y.b - on.b)) / (noise * noise);
      sum += std::exp(-0.5 * away) / kPoints;
    }
    return std::log(sum / (2 * std::numbers::pi * noise * noise));
  }
};

const Shape kShapes[] = {{"moons",
                          [](double share) -> Place {
                            const double angle = 2 * std::numbers::pi * (share < 0.5 ? share : share - 0.5);
                            if (share < 0.5) return {std::cos(angle), std::sin(angle)};
                            return {1 - std::cos(angle), 0.5 - std::sin(angle)};
                          },
                          0.15},
                         {"rings",
                          [](double share) -> Place {
                            const double angle = 4 * std::numbers::pi * share, radius = share < 0.5 ? 1 : 2.5;
                            return {radius * std::cos(angle), radius * std::sin(angle)};
                          },
                          0.2}};

class PlantedShapes : public testing::TestWithParam<Shape> {};

TEST_P(PlantedShapes, AreLearnedToWithinATenthOfTheTruth) {
  const Shape& shape = GetParam();
  const auto rows = [&](std::size_t count, std::uint64_t seed, double* truth) {
    const RandomStream random(seed, Purpose::test);
    std::vector<double> a, b;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Place y = shape.draw(random, i);
      a.push_back(y.a);
      b.push_back(y.b);
      if (truth) *truth += shape.log_density(y) / static_cast<double>(count);
    }
    return Data::from_columns({{"a", a, {}}, {"b", b, {}}}, shape.name);
  };
  Settings settings;
  settings.fractions = "7:1:0";
  settings.layers = "24,4";  // one network, to be quick
  double truth = 0;
  const Model model = fit(rows(2000, 1, nullptr), settings).model;
  const Data fresh = rows(1000, 2, &truth);
  double learned = 0;
  for (const double one : log_density(model, fresh)) learned += one / 1000;
  RecordProperty("short", std::to_string(truth - learned));
  EXPECT_GT(learned, truth - 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedShapes, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

// y = exp(x + 0.75 z): by fixed nodes such fits hid their mass between them.
TEST(PlantedShape, ALogNormalIsLearnedBySmoothHeads) {
  const auto rows = [](std::size_t count, std::uint64_t seed) {
    const RandomStream random(seed, Purpose::test);
    std::vector<double> x, y;
    for (std::uint64_t i = 0; i < count; ++i) {
      x.push_back(2 * random.uniform(1, i) - 1);
      y.push_back(std::exp(x.back() + 0.75 * random.normal(2, i)));
    }
    return std::pair(x, y);
  };
  const auto data = [](const std::pair<std::vector<double>, std::vector<double>>& of) {
    return Data::from_columns({{"x", of.first, {}}, {"y", of.second, {}}}, "log-normal");
  };
  Settings settings;
  settings.target = settings.continuous = "y";
  settings.fractions = "7:1:0";
  settings.utility = "tanh";
  settings.layers = "24,4";
  settings.support = "0:60";
  const Model model = fit(data(rows(1600, 1)), settings).model;
  const auto fresh = rows(500, 2);
  double truth = 0, learned = 0;
  const auto log_p = log_density(model, data(fresh));
  for (std::size_t i = 0; i < fresh.first.size(); ++i) {
    const double z = (std::log(fresh.second[i]) - fresh.first[i]) / 0.75;
    truth +=
        (-0.5 * z * z - std::log(0.75 * std::sqrt(2 * std::numbers::pi)) - std::log(fresh.second[i])) / 500;
    learned += log_p[i] / 500;
  }
  RecordProperty("short", std::to_string(truth - learned));
  EXPECT_GT(learned, truth - 0.1);
}

}  // namespace
}  // namespace bl
