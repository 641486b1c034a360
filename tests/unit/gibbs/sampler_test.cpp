#include "gibbs/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "bl/errors.hpp"
#include "unit/gibbs/test_distributions.hpp"

namespace bl::gibbs {
namespace {

// Standard errors allowed: with a few hundred comparisons in this file, 4.5 is passed by chance once in 10^3
// runs.
constexpr double kErrors = 4.5;

// Draws of f(point) as draw x chain, for its mean and Monte-Carlo standard error from the effective sample
// size.
template <class T, class F>
Diagnostics of(const Draws<T>& draws, F f) {
  Matrix<double> values(draws.draws(), draws.chains());
  for (Index t = 0; t < draws.draws(); ++t)
    for (Index c = 0; c < draws.chains(); ++c) values(t, c) = f(&draws(t, c, 0));
  return diagnose(values.view());
}

template <class T, class F>
void expect_mean(const Draws<T>& draws, double truth, const char* what, F f) {
  const Diagnostics d = of(draws, f);
  EXPECT_NEAR(d.mean, truth, kErrors * d.mcse_mean) << what;
  EXPECT_LT(d.rhat, 1.05) << what;
}

// Mean, covariance and the 5%, 50% and 95% quantiles (as probabilities below the true ones) of N(mean,
// covariance).
template <class T>
void expect_gaussian(const Draws<T>& draws, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) {
  for (Index j = 0; j < mean.size(); ++j) {
    expect_mean(draws, mean(j), "mean", [&](const T* y) { return static_cast<double>(y[j]); });
    for (Index k = 0; k <= j; ++k)
      expect_mean(draws, covariance(j, k), "covariance", [&](const T* y) {
        return (static_cast<double>(y[j]) - mean(j)) * (static_cast<double>(y[k]) - mean(k));
      });
    for (const double p : {0.05, 0.5, 0.95}) {
      const double quantile = mean(j) + std::sqrt(covariance(j, j)) * normal_quantile(p);
      expect_mean(draws, p, "quantile",
                  [&](const T* y) { return static_cast<double>(y[j]) <= quantile ? 1.0 : 0.0; });
    }
  }
}

struct GaussianCase {
  Method method;
  double condition;
};

class GaussianTest : public ::testing::TestWithParam<GaussianCase> {};

TEST_P(GaussianTest, MeanCovarianceAndQuantiles) {
  const Index d = 3;
  const Eigen::MatrixXd covariance = rotated_covariance(d, GetParam().condition);
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(d, -2, 3);
  const Context job(2);
  SamplerOptions options;
  options.method = GetParam().method;
  options.draws = 400;
  options.max_leapfrog = 256;
  // The step is bound to the narrowest direction: one step per move needs many moves to cross the widest.
  if (options.method == Method::mala) options.thin = GetParam().condition > 10 ? 200 : 4;
  options.warmup = options.method == Method::mala ? 2000 : 500;
  const auto result =
      sample<double>(GaussianDistribution<double>(mean, covariance), Box::unbounded(d),
                     normal_starts<double>(64, d, std::sqrt(GetParam().condition)).view(), options, job);
  expect_gaussian(result.draws, mean, covariance);
  EXPECT_EQ(result.divergences, 0);
  EXPECT_NEAR(result.acceptance, options.method == Method::hmc ? 0.8 : 0.574, 0.15);
}

INSTANTIATE_TEST_SUITE_P(Conditions, GaussianTest,
                         ::testing::Values(GaussianCase{Method::hmc, 1}, GaussianCase{Method::hmc, 100},
                                           GaussianCase{Method::hmc, 1e4}, GaussianCase{Method::mala, 1},
                                           GaussianCase{Method::mala, 100}));

// A diagonal covariance is learned as the scale, so even mala does not feel its condition number.
TEST(Sampler, LearnsTheScalesOfTheAxes) {
  Eigen::MatrixXd covariance = Eigen::Vector3d(1e-4, 1, 1e4).asDiagonal();
  const Eigen::VectorXd mean = Eigen::Vector3d(1, 2, 3);
  const Context job(2);
  SamplerOptions options;
  options.method = Method::mala;
  options.warmup = 3000;
  options.draws = 500;
  options.thin = 4;
  const auto result = sample<double>(GaussianDistribution<double>(mean, covariance), Box::unbounded(3),
                                     normal_starts<double>(128, 3).view(), options, job);
  expect_gaussian(result.draws, mean, covariance);
  EXPECT_NEAR(std::log10(result.scale[2] / result.scale[0]), 4, 0.1);
}

TEST(Sampler, WorksInSinglePrecision) {
  const Eigen::MatrixXd covariance = rotated_covariance(4, 30);
  const Eigen::VectorXd mean = Eigen::Vector4d(1, 0, -1, 0.5);
  const Context job(2);
  const auto result = sample<float>(GaussianDistribution<float>(mean, covariance), Box::unbounded(4),
                                    normal_starts<float>(100, 4).view(), SamplerOptions(), job);
  expect_gaussian(result.draws, mean, covariance);
}

// Stationary variance of the unadjusted step e on N(0, s^2), scale 1: s^2 / (1 - e^2 / (4 s^2)), exactly.
TEST(Langevin, HasTheVarianceOfItsOwnStationaryDistribution) {
  const double step = 0.8;
  const Context job(2);
  SamplerOptions options;
  options.method = Method::langevin;
  options.step = step;
  options.draws = 2000;
  const GaussianDistribution<double> distribution(Eigen::VectorXd::Constant(1, 0.5),
                                                  Eigen::MatrixXd::Constant(1, 1, 1.0));
  const auto result =
      sample<double>(distribution, Box::unbounded(1), normal_starts<double>(128, 1).view(), options, job);
  expect_mean(result.draws, 1 / (1 - step * step / 4), "variance",
              [](const double* y) { return (y[0] - 0.5) * (y[0] - 0.5); });
  expect_mean(result.draws, 0.5, "mean", [](const double* y) { return y[0]; });
}

// The paper's noise, sqrt(2 eta tau): the variance is tau times that of langevin (here tau^2 for a
// distribution of variance tau).
TEST(PaperUpdate, SamplesTheDistributionOfTheSquaredTemperature) {
  const double tau = 0.25;
  const Context job(2);
  SamplerOptions options;
  options.method = Method::paper;
  options.temperature = tau;
  options.step = 0.1;
  options.draws = 1000;
  options.thin = 20;
  const GaussianDistribution<double> distribution(Eigen::VectorXd::Zero(1),
                                                  Eigen::MatrixXd::Constant(1, 1, tau));
  const auto result = sample<double>(distribution, Box::unbounded(1),
                                     normal_starts<double>(128, 1, 0.3).view(), options, job);
  expect_mean(result.draws, tau * tau / (1 - 0.01 / (4 * tau)), "variance",
              [](const double* y) { return y[0] * y[0]; });
}

// y1 ~ N(0, 1), y2 given y1 ~ N(y1^2 - 1, 0.5^2): E y2 = 0, Var y2 = 2 + 0.25, E y1^2 y2 = E(y1^4 - y1^2)
// = 2.
TEST(Sampler, Banana) {
  const auto banana = [](const double* y, double* g) {
    const double off = (y[1] - y[0] * y[0] + 1) / 0.25;
    g[0] = -y[0] + 2 * y[0] * off;
    g[1] = -off;
    return -0.5 * y[0] * y[0] - 0.5 * 0.25 * off * off;
  };
  const Context job(2);
  for (const Method method : {Method::hmc, Method::mala}) {
    SamplerOptions options;
    options.method = method;
    options.draws = 1000;
    options.thin = method == Method::mala ? 50 : 2;
    // A step for the bulk of the banana never gets into its narrow arms, nor out of them.
    options.target_acceptance = 0.95;
    const auto result = sample<double>(FunctionDistribution(2, banana), Box::unbounded(2),
                                       normal_starts<double>(64, 2).view(), options, job);
    expect_mean(result.draws, 0, "y1", [](const double* y) { return y[0]; });
    expect_mean(result.draws, 1, "y1^2", [](const double* y) { return y[0] * y[0]; });
    expect_mean(result.draws, 0, "y2", [](const double* y) { return y[1]; });
    expect_mean(result.draws, 2.25, "y2^2", [](const double* y) { return y[1] * y[1]; });
    expect_mean(result.draws, 2, "y1^2 y2", [](const double* y) { return y[0] * y[0] * y[1]; });
  }
}

// 0.3 N(-1.5, 0.6^2) + 0.7 N(1.5, 0.6^2): mean 0.6, second moment 0.36 + 2.25.
TEST(Sampler, BimodalMixture) {
  const auto mixture = [](const double* y, double* g) {
    const double a = std::log(0.3) - 0.5 * std::pow((y[0] + 1.5) / 0.6, 2);
    const double b = std::log(0.7) - 0.5 * std::pow((y[0] - 1.5) / 0.6, 2);
    const double top = std::max(a, b), total = std::exp(a - top) + std::exp(b - top);
    const double share = std::exp(a - top) / total;
    g[0] = -(share * (y[0] + 1.5) + (1 - share) * (y[0] - 1.5)) / 0.36;
    return top + std::log(total);
  };
  const Context job(2);
  for (const Method method : {Method::hmc, Method::mala}) {
    SamplerOptions options;
    options.method = method;
    options.draws = 1000;
    options.thin = 10;
    const auto result = sample<double>(FunctionDistribution(1, mixture), Box::unbounded(1),
                                       normal_starts<double>(64, 1, 2).view(), options, job);
    expect_mean(result.draws, 0.6, "mean", [](const double* y) { return y[0]; });
    expect_mean(result.draws, 2.61, "square", [](const double* y) { return y[0] * y[0]; });
    expect_mean(result.draws, 0.7 * 0.99379 + 0.3 * 0.00621, "right",
                [](const double* y) { return y[0] > 0 ? 1.0 : 0.0; });
  }
}

// Coordinates independent: N(0, 1) on [0.5, 2], exp(-3 y) on [0, inf), N(0, 1) on (-inf, 0], uniform on [-1,
// 1].
TEST(Sampler, StaysInsideTheBoxAndKeepsTheTruncatedDistribution) {
  const auto distribution = [](const double* y, double* g) {
    g[0] = -y[0];
    g[1] = -3;
    g[2] = -y[2];
    g[3] = 0;
    return -0.5 * y[0] * y[0] - 3 * y[1] - 0.5 * y[2] * y[2];
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Box box{{0.5, 0, -infinity, -1}, {2, infinity, 0, 1}};
  const auto phi = [](double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); };
  const double mass = 0.5 * (std::erfc(0.5 / std::numbers::sqrt2) - std::erfc(2 / std::numbers::sqrt2));
  Matrix<double> starts(64, 4);
  for (Index i = 0; i < 64; ++i) {
    starts(i, 0) = 1;
    starts(i, 1) = 0.2;
    starts(i, 2) = -1;
    starts(i, 3) = 0;
  }
  const Context job(2);
  for (const Method method : {Method::hmc, Method::mala}) {
    SamplerOptions options;
    options.method = method;
    options.draws = 1000;
    options.thin = method == Method::mala ? 4 : 1;
    const auto result =
        sample<double>(FunctionDistribution(4, distribution), box, starts.view(), options, job);
    for (Index t = 0; t < result.draws.draws(); ++t)
      for (Index c = 0; c < 64; ++c)
        for (Index j = 0; j < 4; ++j) {
          ASSERT_GE(result.draws(t, c, j), box.lower[static_cast<std::size_t>(j)]);
          ASSERT_LE(result.draws(t, c, j), box.upper[static_cast<std::size_t>(j)]);
        }
    expect_mean(result.draws, (phi(0.5) - phi(2)) / mass, "normal", [](const double* y) { return y[0]; });
    expect_mean(result.draws, 1.0 / 3, "exponential", [](const double* y) { return y[1]; });
    expect_mean(result.draws, 2.0 / 9, "exponential, square", [](const double* y) { return y[1] * y[1]; });
    expect_mean(result.draws, -std::sqrt(2 / std::numbers::pi), "half normal",
                [](const double* y) { return y[2]; });
    expect_mean(result.draws, 0, "uniform", [](const double* y) { return y[3]; });
    expect_mean(result.draws, 1.0 / 3, "uniform, square", [](const double* y) { return y[3] * y[3]; });
  }
}

TEST(Sampler, SameBitsForAnyNumberOfThreads) {
  const GaussianDistribution<double> distribution(Eigen::VectorXd::Zero(3), rotated_covariance(3, 10));
  for (const Method method : {Method::hmc, Method::mala, Method::langevin, Method::paper}) {
    std::vector<double> first;
    for (const std::size_t threads : {1U, 2U, 4U}) {
      const Context job(threads);
      SamplerOptions options;
      options.method = method;
      options.warmup = 60;
      options.draws = 10;
      const auto result = sample<double>(distribution, Box::cube(3, -50, 50),
                                         normal_starts<double>(200, 3).view(), options, job);
      std::vector<double> all{result.step, result.acceptance};
      for (Index t = 0; t < 10; ++t)
        for (Index c = 0; c < 200; ++c)
          for (Index j = 0; j < 3; ++j) all.push_back(result.draws(t, c, j));
      if (first.empty()) first = all;
      EXPECT_EQ(all, first) << threads;
    }
  }
}

TEST(Sampler, AnUnadjustedChainThatDivergesStopsAtFiniteNumbers) {
  // Gradient -y^3: steps of eta 0.5 from y = 10 overshoot ever further.
  const auto quartic = [](const double* y, double* g) {
    g[0] = -y[0] * y[0] * y[0];
    return -0.25 * std::pow(y[0], 4);
  };
  Matrix<double> starts(2, 1);
  starts(0, 0) = 10;
  starts(1, 0) = 0.1;
  const Context job(1);
  SamplerOptions options;
  options.method = Method::langevin;
  options.step = 1e-2;
  options.warmup = 0;
  options.draws = 50;
  const auto calm =
      sample<double>(FunctionDistribution(1, quartic), Box::unbounded(1), starts.view(), options, job);
  EXPECT_EQ(calm.divergences, 0);
  options.step = 1;
  const auto wild =
      sample<double>(FunctionDistribution(1, quartic), Box::unbounded(1), starts.view(), options, job);
  EXPECT_TRUE(wild.stopped[0]);
  EXPECT_GE(wild.divergences, 1);
  for (Index t = 0; t < 50; ++t) EXPECT_TRUE(std::isfinite(wild.draws(t, 0, 0)));
  EXPECT_NE(wild.verdict.find("diverged"), std::string::npos);
}

TEST(Sampler, KeepsAStatisticAndThins) {
  const GaussianDistribution<double> distribution(Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2));
  const Context job(1);
  SamplerOptions options;
  options.warmup = 20;
  options.draws = 30;
  const auto starts = normal_starts<double>(3, 2);
  const auto every = sample<double>(distribution, Box::unbounded(2), starts.view(), options, job);
  options.draws = 10;
  options.thin = 3;
  Statistic<double> sum{1, [](Index, MatrixView<const double> points, MatrixView<double> out) {
                          for (Index i = 0; i < points.rows; ++i) out(i, 0) = points(i, 0) + points(i, 1);
                        }};
  const auto third = sample<double>(distribution, Box::unbounded(2), starts.view(), options, job, &sum);
  ASSERT_EQ(third.draws.columns(), 1);
  for (Index t = 0; t < 10; ++t)
    EXPECT_EQ(third.draws(t, 2, 0), every.draws(3 * t + 2, 2, 0) + every.draws(3 * t + 2, 2, 1));
}

// In the warm-up and after it; whoever keeps what was reached gets all draws.
TEST(Sampler, TellsWhereItStandsAndStopsThere) {
  const GaussianDistribution<double> density(Eigen::VectorXd::Zero(2), Eigen::MatrixXd::Identity(2, 2));
  SamplerOptions options;
  options.warmup = options.draws = 100;
  const auto run = [&](const Context& job) {
    return sample<double>(density, Box::unbounded(2), normal_starts<double>(64, 2).view(), options, job);
  };
  const SamplerResult<double> whole = run(Context(1));
  for (const std::string stage : {"warm-up moves: 40 of 100", "moves: 4096 of 6400"}) {
    for (const bool keeps : {false, true}) {
      bool reached = false;
      const Context job(
          1, {.should_stop = [&] { return reached; },
              .on_progress = [&](double,
                                 const std::string& text) { reached = reached || text.starts_with(stage); },
              .keeps = keeps});
      if (keeps)
        EXPECT_TRUE(std::ranges::equal(run(job).last.flat(), whole.last.flat())) << stage;
      else
        EXPECT_THROW(run(job), Interrupted) << stage;
      EXPECT_TRUE(reached) << stage;
    }
  }
}

TEST(Sampler, RefusesWhatMakesNoSense) {
  const GaussianDistribution<double> distribution(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1));
  const Context job(1);
  const auto attempt = [&](const SamplerOptions& options, const Box& box, double start) {
    Matrix<double> starts(2, 1);
    starts(0, 0) = starts(1, 0) = start;
    sample<double>(distribution, box, starts.view(), options, job);
  };
  SamplerOptions options;
  options.draws = 0;
  EXPECT_THROW(attempt(options, Box::unbounded(1), 0), UsageError);
  options = {};
  options.warmup = 0;
  EXPECT_THROW(attempt(options, Box::unbounded(1), 0), UsageError);
  options = {};
  EXPECT_THROW(attempt(options, Box::cube(1, 1, 2), 0), UsageError);
  EXPECT_THROW(attempt(options, Box::cube(2, 1, 2), 0), UsageError);
  options.chains_per_distribution = 3;
  EXPECT_THROW(attempt(options, Box::unbounded(1), 0), UsageError);
  const auto infinite = [](const double*, double* g) {
    g[0] = 0;
    return -std::numeric_limits<double>::infinity();
  };
  Matrix<double> starts(1, 1);
  starts(0, 0) = 0;
  EXPECT_THROW(sample<double>(FunctionDistribution(1, infinite), Box::unbounded(1), starts.view(),
                              SamplerOptions(), job),
               NumericError);
}

}  // namespace
}  // namespace bl::gibbs
