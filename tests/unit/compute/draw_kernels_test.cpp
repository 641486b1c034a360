#include "compute/draw_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/matrix.hpp"

namespace bl {
namespace {

constexpr std::size_t kDraws = 2 * kDrawStep, kAlternatives = 3, kCoefficients = 2;

// One situation with three alternatives beside the base, at draws spread over some units.
struct Situation {
  std::vector<double> fixed = {0.3, -1.2, 0.7};
  std::vector<double> difference = {0.5, -0.4, 1.1, 0.2, -0.9, 0.6};
  AlignedVector<double> coefficients = AlignedVector<double>(kCoefficients * kDraws);

  Situation() {
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      coefficients[i] = 2 * std::sin(1.7 * static_cast<double>(i) + 0.3);
  }
  DrawnSituation view() const {
    return {.fixed = fixed.data(),
            .difference = difference.data(),
            .alternatives = kAlternatives,
            .coefficients = kCoefficients};
  }
  // The probability of the base and of the others at draw r, by the formula.
  std::vector<double> truth(std::size_t r) const {
    std::vector<double> p = {1};
    double sum = 1;
    for (std::size_t j = 0; j < kAlternatives; ++j) {
      double u = fixed[j];
      for (std::size_t k = 0; k < kCoefficients; ++k)
        u += difference[j * kCoefficients + k] * coefficients[k * kDraws + r];
      p.push_back(std::exp(u));
      sum += p.back();
    }
    for (double& one : p) one /= sum;
    return p;
  }
};

TEST(DrawKernels, ProbabilitiesAreThoseOfTheLogit) {
  const Situation s;
  AlignedVector<double> base(kDraws, 0.5), others(kAlternatives * kDraws),
      slopes(kCoefficients * kDraws, 1.0);
  logit_at_draws(s.view(), s.coefficients.data(), kDraws, false, base.data(), others.data(), slopes.data());
  for (std::size_t r = 0; r < kDraws; ++r) {
    const std::vector<double> p = s.truth(r);
    EXPECT_NEAR(base[r], 0.5 * p[0], 1e-14);
    for (std::size_t j = 0; j < kAlternatives; ++j) EXPECT_NEAR(others[j * kDraws + r], p[j + 1], 1e-14);
    for (std::size_t k = 0; k < kCoefficients; ++k) {
      double slope = 1;  // what was there
      for (std::size_t j = 0; j < kAlternatives; ++j) slope -= p[j + 1] * s.difference[j * kCoefficients + k];
      EXPECT_NEAR(slopes[k * kDraws + r], slope, 1e-13);
    }
  }
}

TEST(DrawKernels, LogarithmsAreAdded) {
  const Situation s;
  AlignedVector<double> base(kDraws, 2.0), others(kAlternatives * kDraws);
  logit_at_draws(s.view(), s.coefficients.data(), kDraws, true, base.data(), others.data(), nullptr);
  for (std::size_t r = 0; r < kDraws; ++r) EXPECT_NEAR(base[r], 2 + std::log(s.truth(r)[0]), 1e-13);
}

TEST(DrawKernels, SignedExponentialsAndSums) {
  AlignedVector<double> values(kDrawStep), weights(kDrawStep);
  double sum = 0;
  for (std::size_t i = 0; i < kDrawStep; ++i) {
    values[i] = 0.3 * static_cast<double>(i) - 2;
    weights[i] = 1.0 / static_cast<double>(i + 1);
    sum -= weights[i] * std::exp(values[i]);
  }
  scaled_exp(-1, values.data(), kDrawStep);
  double found = 0;
  weighted_row_sums(values.data(), 1, weights.data(), kDrawStep, &found);
  EXPECT_NEAR(found, sum, 1e-12 * std::abs(sum));
  AlignedVector<double> far(kDrawStep, 5000.0);
  scaled_exp(1, far.data(), kDrawStep);
  EXPECT_NEAR(std::log(far[0]), kLargestDifference, 1e-9);
}

}  // namespace
}  // namespace bl
