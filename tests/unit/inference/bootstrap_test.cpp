#include "inference/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "estimated_entries.hpp"
#include "made_data.hpp"

namespace bl::inference {
namespace {

struct Fitted {
  test::LogitData data;
  Network<double> network{test::logit_architecture()};
  Objective<double> objective;
  EstimateSpec spec;
  Estimate e;

  Fitted(Index rows, const Context& job) : data(rows, 21), objective(network, {}, data.view()) {
    spec.minimiser.starts = 1;
    e = estimate(objective, spec, job);
  }
};

// The standard deviation of R draws has a relative error of about 1 / sqrt(2 R): 4% for 300, and the
// asymptotic error itself is right to 1 / n. Four of those are allowed.
TEST(Bootstrap, AgreesWithTheRobustErrors) {
  const Context job(2);
  const Fitted fitted(600, job);
  const Bootstrap draws =
      bootstrap(fitted.objective, fitted.e, fitted.spec, {.resamples = 300, .seed = 3, .clusters = {}}, job);
  EXPECT_EQ(draws.failed, 0);
  ASSERT_EQ(draws.draws.rows(), 300);
  const auto entries = test::entries_of(fitted.e);
  for (Index k = 0; k < 3; ++k)
    EXPECT_NEAR(
        bootstrap_error(draws, Eigen::VectorXd::Unit(3, k)) / entries[static_cast<std::size_t>(k)].error, 1,
        0.17);
}

TEST(Bootstrap, SameBitsForAnyThreads) {
  const Context one(1), three(3);
  const Fitted fitted(200, one);
  const BootstrapSpec spec{.resamples = 7, .seed = 3, .clusters = {}};
  EXPECT_EQ(bootstrap(fitted.objective, fitted.e, fitted.spec, spec, one).draws,
            bootstrap(fitted.objective, fitted.e, fitted.spec, spec, three).draws);
}

// Every row four times as one cluster: drawing clusters is drawing the rows of which there are four.
TEST(Bootstrap, DrawsClustersWhole) {
  const Context job(2);
  test::LogitData once(150, 22), often(600, 22);
  std::vector<std::int32_t> clusters;
  for (Index i = 0; i < 600; ++i) {
    for (Index c = 0; c < 2; ++c) often.context(i, c) = once.context(i / 4, c);
    often.classes[static_cast<std::size_t>(i)] = once.classes[static_cast<std::size_t>(i / 4)];
    clusters.push_back(static_cast<std::int32_t>(i / 4));
  }
  const Network<double> network(test::logit_architecture());
  const Objective<double> rows(network, {}, once.view()), copies(network, {}, often.view());
  EstimateSpec spec;
  spec.minimiser.starts = 1;
  const Estimate a = estimate(rows, spec, job), b = estimate(copies, spec, job);
  const Bootstrap one = bootstrap(rows, a, spec, {.resamples = 20, .seed = 5, .clusters = {}}, job),
                  four = bootstrap(copies, b, spec, {.resamples = 20, .seed = 5, .clusters = clusters}, job);
  ASSERT_EQ(one.draws.rows(), four.draws.rows());
  EXPECT_NEAR((one.draws - four.draws).norm(), 0, 1e-5 * one.draws.norm());
  EXPECT_THROW(bootstrap(rows, a, spec, {.resamples = 2, .seed = 5, .clusters = clusters}, job), UsageError);
}

}  // namespace
}  // namespace bl::inference
