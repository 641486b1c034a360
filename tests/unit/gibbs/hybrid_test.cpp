#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "gibbs/categorical.hpp"
#include "gibbs/conditional_density.hpp"
#include "gibbs/sampler.hpp"
#include "unit/gibbs/test_distributions.hpp"

namespace bl::gibbs {
namespace {

TEST(Categorical, InvertsTheDistributionFunction) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> logs{std::log(0.2) + 900, -infinity, std::log(0.5) + 900, std::log(0.3) + 900};
  const std::span<const double> all(logs);
  EXPECT_EQ(categorical_draw(all, 1e-12), 0);
  EXPECT_EQ(categorical_draw(all, 0.199999), 0);
  EXPECT_EQ(categorical_draw(all, 0.200001), 2);
  EXPECT_EQ(categorical_draw(all, 0.699999), 2);
  EXPECT_EQ(categorical_draw(all, 0.700001), 3);
  EXPECT_EQ(categorical_draw(all, 1 - 1e-16), 3);
  const std::vector<double> none{-infinity, -infinity}, broken{0, std::nan("")};
  EXPECT_THROW(categorical_draw(std::span<const double>(none), 0.5), NumericError);
  EXPECT_THROW(categorical_draw(std::span<const double>(broken), 0.5), NumericError);
}

TEST(Categorical, FrequenciesAreTheProbabilities) {
  const Index n = 100000;
  Matrix<float> logs(n, 3);
  for (Index i = 0; i < n; ++i) {
    logs(i, 0) = std::log(0.1F);
    logs(i, 1) = std::log(0.6F);
    logs(i, 2) = std::log(0.3F);
  }
  std::vector<std::int32_t> chosen(static_cast<std::size_t>(n));
  categorical_draws<float>(RandomStream(3, Purpose::sampler_class, 1), 0, logs.view(), chosen);
  const double truth[3] = {0.1, 0.6, 0.3};
  for (int k = 0; k < 3; ++k) {
    const double share =
        static_cast<double>(std::count(chosen.begin(), chosen.end(), k)) / static_cast<double>(n);
    EXPECT_NEAR(share, truth[k], 4.5 * std::sqrt(truth[k] * (1 - truth[k]) / static_cast<double>(n)));
  }
}

// Class k with probability w_k, y given k ~ N(m_k, s_k^2).
class MixtureHybrid : public HybridDensity<double> {
 public:
  explicit MixtureHybrid(Index chains) : chosen_(static_cast<std::size_t>(chains), 0) {}
  Index dimension() const override { return 1; }
  Index classes() const override { return 3; }
  void conditional_log_probabilities(Index, MatrixView<const double> points,
                                     MatrixView<double> out) const override {
    for (Index i = 0; i < points.rows; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        out(i, static_cast<Index>(k)) = std::log(kWeight[k]) + log_normal(k, points(i, 0));
  }
  void set_classes(Index first, std::span<const std::int32_t> chosen) override {
    std::copy(chosen.begin(), chosen.end(), chosen_.begin() + first);
  }
  void evaluate(Index first, MatrixView<const double> points, std::span<double> value,
                MatrixView<double> gradient) const override {
    for (Index i = 0; i < points.rows; ++i) {
      const auto k = static_cast<std::size_t>(chosen_[static_cast<std::size_t>(first + i)]);
      value[static_cast<std::size_t>(i)] = log_normal(k, points(i, 0));
      if (gradient.data) gradient(i, 0) = -(points(i, 0) - kMean[k]) / (kSd[k] * kSd[k]);
    }
  }
  static constexpr double kWeight[3] = {0.2, 0.5, 0.3}, kMean[3] = {-1, 0.5, 2}, kSd[3] = {0.8, 1, 0.7};

 private:
  static double log_normal(std::size_t k, double y) {
    return -std::log(kSd[k]) - 0.5 * std::pow((y - kMean[k]) / kSd[k], 2);
  }
  std::vector<std::int32_t> chosen_;
};

TEST(SampleHybrid, AlternatesExactClassesAndMoves) {
  MixtureHybrid distribution(128);
  const Context job(2);
  SamplerOptions options;
  options.draws = 1000;
  options.thin = 2;
  const auto result = sample_hybrid<double>(distribution, Box::unbounded(1),
                                            normal_starts<double>(128, 1).view(), options, job);
  EXPECT_NEAR(result.diagnostics[0].mean, 0.2 * -1 + 0.5 * 0.5 + 0.3 * 2,
              4.5 * result.diagnostics[0].mcse_mean);
  for (std::size_t k = 0; k < 3; ++k) {
    Matrix<double> is_class(1000, 128), weighted(1000, 128);
    for (Index t = 0; t < 1000; ++t)
      for (Index c = 0; c < 128; ++c) {
        is_class(t, c) = result.classes(t, c) == static_cast<std::int32_t>(k) ? 1 : 0;
        weighted(t, c) = is_class(t, c) * result.draws(t, c, 0);
      }
    const Diagnostics share = diagnose(is_class.view()), joint = diagnose(weighted.view());
    EXPECT_NEAR(share.mean, MixtureHybrid::kWeight[k], 4.5 * share.mcse_mean);
    EXPECT_NEAR(joint.mean, MixtureHybrid::kWeight[k] * MixtureHybrid::kMean[k], 4.5 * joint.mcse_mean);
  }
}

// Given y_b, a normal distribution has mean S_ab S_bb^-1 y_b and covariance S_aa - S_ab S_bb^-1 S_ba.
TEST(ConditionalDensity, OfANormalDistribution) {
  const Eigen::MatrixXd s = rotated_covariance(4, 20);
  const GaussianDistribution<double> joint(Eigen::VectorXd::Zero(4), s);
  Matrix<double> fixed(64, 4);
  for (Index i = 0; i < 64; ++i)
    for (Index j = 0; j < 4; ++j) fixed(i, j) = j == 1 ? 0.7 : j == 2 ? -1.3 : std::nan("");
  const ConditionalDensity<double> distribution(joint, {3, 0}, fixed.view());
  const Context job(2);
  SamplerOptions options;
  options.draws = 1000;
  const auto result =
      sample<double>(distribution, Box::unbounded(2), normal_starts<double>(64, 2).view(), options, job);
  const std::vector<int> a{3, 0}, b{1, 2};
  const Eigen::MatrixXd saa = s(a, a), sab = s(a, b), sbb = s(b, b);
  const Eigen::Vector2d given(0.7, -1.3);
  const Eigen::VectorXd mean = sab * sbb.inverse() * given;
  const Eigen::MatrixXd covariance = saa - sab * sbb.inverse() * sab.transpose();
  for (Index j = 0; j < 2; ++j) {
    const Diagnostics& d = result.diagnostics[static_cast<std::size_t>(j)];
    EXPECT_NEAR(d.mean, mean(j), 4.5 * d.mcse_mean);
    Matrix<double> squares(1000, 64);
    for (Index t = 0; t < 1000; ++t)
      for (Index c = 0; c < 64; ++c) squares(t, c) = std::pow(result.draws(t, c, j) - mean(j), 2);
    const Diagnostics variance = diagnose(squares.view());
    EXPECT_NEAR(variance.mean, covariance(j, j), 4.5 * variance.mcse_mean);
  }
  EXPECT_THROW((ConditionalDensity<double>(joint, {0, 0}, fixed.view())), UsageError);
  EXPECT_THROW((ConditionalDensity<double>(joint, {4}, fixed.view())), UsageError);
}

}  // namespace
}  // namespace bl::gibbs
