#include "predict/number_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace bl {
namespace {

ResponseEncoding encoding_of(NumberScale number) {
  ResponseEncoding r;
  r.name = "y";
  r.number = std::move(number);
  r.mean = 0.4;
  r.scale = 0.7;
  return r;
}

// Two peaks on the encoded axis.
piecewise::Density density_of() {
  return {{-3, -1, 0.2, 1.1, 3}, {-4, 0.5, -1.5, 0.8, -6}};
}

const std::vector<NumberScale> kScales = {
    {},
    {.transform = ResponseTransform::log, .location = -0.5, .masses = {}},
    {.transform = ResponseTransform::asinh, .location = 2, .unit = 3, .masses = {}},
    {.masses = {{0, 0, 0.6}}},
    {.transform = ResponseTransform::log, .masses = {{0, -1.71, 0.4}, {2, std::log(2.0), 0.3}}}};

// Everything again from many quantiles at equal steps of probability.
struct ByQuantiles {
  std::vector<double> y;
  explicit ByQuantiles(const NumberDistribution& distribution) {
    constexpr int kSteps = 200000;
    for (int i = 0; i < kSteps; ++i) y.push_back(distribution.quantile((i + 0.5) / kSteps));
  }
  template <class F>
  double mean(F&& f) const {
    double sum = 0;
    for (const double one : y) sum += f(one);
    return sum / static_cast<double>(y.size());
  }
};

TEST(NumberDistribution, MomentsAndScoresAreThoseOfItsQuantiles) {
  for (const NumberScale& scale : kScales) {
    const ResponseEncoding r = encoding_of(scale);
    const NumberDistribution distribution(density_of(), r);
    const ByQuantiles truth(distribution);
    const double mean = truth.mean([](double y) { return y; });
    const double standard_deviation =
        std::sqrt(truth.mean([&](double y) { return (y - mean) * (y - mean); }));
    EXPECT_NEAR(distribution.mean(), mean, 2e-5 * standard_deviation);
    EXPECT_NEAR(distribution.standard_deviation(), standard_deviation, 2e-4 * standard_deviation);
    // CRPS = E|Y - y| - E|Y - Y'| / 2, the second from the order of the quantiles.
    const auto n = static_cast<double>(truth.y.size());
    double spread = 0;
    for (std::size_t i = 0; i < truth.y.size(); ++i)
      spread += truth.y[i] * (2 * static_cast<double>(i) + 1 - n) / (n * n);
    for (const double observed : {-0.2, 0.0, 0.9, 2.0, 7.0}) {
      if (observed < 0 && scale.transform == ResponseTransform::log) continue;
      const double away = truth.mean([&](double y) { return std::abs(y - observed); });
      EXPECT_NEAR(distribution.crps(observed), away - spread,
                  1e-4 * (standard_deviation + std::abs(observed)));
    }
    const auto interval = distribution.central_interval(0.9);
    EXPECT_NEAR(truth.mean([&](double y) { return y >= interval.lower && y <= interval.upper ? 1.0 : 0.0; }),
                0.9, scale.masses.empty() ? 1e-4 : 0.11);
  }
}

TEST(NumberDistribution, AMeanIsOutInTheTailWhereTheTailMakesIt) {
  // On a logarithmic axis: nearly all of it between -1 and 1, and a thin tail that falls more slowly than
  // responses grow.
  const ResponseEncoding logarithm = encoding_of(kScales[1]);
  const NumberDistribution tail({{-1, 0, 1, 20}, {0, 1, -5, -14}}, logarithm);
  EXPECT_GT(tail.probability_below(tail.mean()), kOutInTheTail);
  EXPECT_TRUE(tail.mean_in_tail(tail.mean()));
  // Nearly all of it in a point mass: hardly anything lies below the mean, and the mean is near the mass.
  const ResponseEncoding masses = encoding_of(kScales[4]);
  const Slot slot = encoded_slots(masses).back();
  const NumberDistribution point(
      {{-3, slot.lower - 1e-3, slot.lower, slot.upper, slot.upper + 1e-3, 3}, {-6, -6, 0, 0, -6, -6}},
      masses);
  EXPECT_GT(std::exp(point.log_density(2)), kOutInTheTail);
  EXPECT_LT(point.probability_below(point.mean()), 1 - kOutInTheTail);
  EXPECT_FALSE(point.mean_in_tail(point.mean()));
}

TEST(NumberDistribution, DensitiesAndPointMassesAddUpToOne) {
  for (const NumberScale& scale : kScales) {
    const ResponseEncoding r = encoding_of(scale);
    const NumberDistribution distribution(density_of(), r);
    double sum = 0;
    constexpr int kSteps = 200000;
    for (int i = 0; i < kSteps; ++i) {  // in steps of the axis, whose ends lead back to responses
      const double from = r.decode(-3 + 6.0 * i / kSteps), to = r.decode(-3 + 6.0 * (i + 1) / kSteps);
      const double middle = r.decode(-3 + 6.0 * (i + 0.5) / kSteps);
      const auto in_slot = [&](double y) {
        return std::any_of(scale.masses.begin(), scale.masses.end(),
                           [&](const PointMass& m) { return m.value == y; });
      };
      if (to > from && !in_slot(from) && !in_slot(to))
        sum += std::exp(distribution.log_density(middle)) * (to - from);
    }
    for (const PointMass& mass : scale.masses) sum += std::exp(distribution.log_density(mass.value));
    EXPECT_NEAR(sum, 1, 2e-4);
  }
}

TEST(NumberDistribution, WholeNumbersHaveProbabilities) {
  NumberScale scale;
  scale.whole_numbers = true;
  for (int k = 0; k < 8; ++k)
    scale.masses.push_back({static_cast<double>(k), -1.7, 0.525});  // from -3 to 3 encoded
  const ResponseEncoding r = encoding_of(scale);
  const NumberDistribution distribution(density_of(), r);
  double sum = 0, mean = 0, square = 0;
  for (int k = 0; k < 8; ++k) {
    const double p = std::exp(distribution.log_density(k));
    sum += p;
    mean += p * k;
    square += p * k * k;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(distribution.mean(), mean, 1e-8);
  EXPECT_NEAR(distribution.standard_deviation(), std::sqrt(square - mean * mean), 1e-8);
  EXPECT_EQ(distribution.log_density(2.5), -std::numeric_limits<double>::infinity());
  double crps = 0, below = 0;
  for (int k = 0; k < 8; ++k) {
    below += std::exp(distribution.log_density(k));
    crps += std::pow(below - (k >= 3 ? 1 : 0), 2);
  }
  EXPECT_NEAR(distribution.crps(3), crps, 1e-10);
  const double median = distribution.quantile(0.5);
  EXPECT_EQ(median, std::round(median));
}

TEST(NumberDistribution, RegionsHoldTheMassAsked) {
  for (const NumberScale& scale : kScales) {
    const ResponseEncoding r = encoding_of(scale);
    const NumberDistribution distribution(density_of(), r);
    const ByQuantiles truth(distribution);
    const auto region = distribution.highest_density_region(0.7);
    const double inside = truth.mean([&](double y) {
      for (const auto& part : region)
        if (y >= part.lower && y <= part.upper) return 1.0;
      return 0.0;
    });
    EXPECT_GE(inside, 0.7 - 1e-4);
    EXPECT_LE(inside, scale.masses.empty() ? 0.71 : 0.95);
  }
}

}  // namespace
}  // namespace bl
