#include "evidence/constraint_sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "bl/errors.hpp"

namespace bl::gibbs {
namespace {

// E|T| is close to sqrt(tau / (pi lambda)) at small tau; P(|T| <= t) to erf(t sqrt(lambda / tau)).
TEST(ConstraintDistribution, ExactFiguresAtSmallTemperature) {
  const SweepFigures figures = exact_constraint_figures({25, 0.01}, {64}, 64);
  EXPECT_NEAR(figures.mean, std::sqrt(0.01 / (std::numbers::pi * 25)), 1e-5);
  EXPECT_NEAR(std::erf(figures.percentile_95 * std::sqrt(2500.0)), 0.95, 1e-3);
  EXPECT_NEAR(figures.share_within, 1, 1e-9);
}

// In two dimensions the power is 0 and T is a normal number of variance tau / (2 lambda) cut off at -|x|^2 =
// -1.
TEST(ConstraintDistribution, ExactFiguresInTwoDimensions) {
  const double sd = std::sqrt(0.5), mass = 0.5 * std::erfc(-1 / (sd * std::numbers::sqrt2));
  const auto phi = [&](double t) { return std::exp(-t * t) / std::sqrt(std::numbers::pi); };
  // E|T| = [integral of |t| phi over t > -1] / mass = sd^2 (2 phi(0) - phi(1)) / mass.
  const SweepFigures figures = exact_constraint_figures({1, 1}, {1}, 2);
  EXPECT_NEAR(figures.mean, sd * sd * (2 * phi(0) - phi(1)) / mass, 1e-7);
  EXPECT_NEAR(figures.share_within, std::erf(0.1) / mass, 1e-7);
}

TEST(ConstraintSweep, HasTheSeventeenSettings) {
  const auto settings = paper_sweep_settings();
  ASSERT_EQ(settings.size(), 17U);
  EXPECT_EQ(settings.front().tau, 2);
  EXPECT_EQ(settings.back().lambda, 500);
}

SweepOptions small() {
  SweepOptions options;
  options.contexts = 2;
  options.chains_per_context = 64;
  options.warmup = 200;
  options.draws = 600;
  return options;
}

// A small version of the sweep: every setting, fewer draws. Sixteen means at 4 standard errors pass by chance
// once in a thousand runs.
TEST(ConstraintSweep, SamplersAgreeWithTheExactDistribution) {
  const Context job(2);
  for (const Method method : {Method::hmc, Method::mala}) {
    SweepOptions options = small();
    options.method = method;
    if (method == Method::mala) options.settings = {{25, 2}, {25, 0.05}, {500, 0.05}};
    for (const ConstraintRow& row : run_constraint_sweep(options, job)) {
      if (row.lambda == 0) {
        EXPECT_NE(row.note.find("improper"), std::string::npos);
        EXPECT_FALSE(row.proper || row.sampled);
        continue;
      }
      ASSERT_TRUE(row.proper && row.sampled);
      EXPECT_NEAR(row.mean, row.exact_mean, 4 * row.standard_error) << row.tau << " " << row.lambda;
      EXPECT_LT(row.standard_error, 0.02 * row.exact_mean);
      EXPECT_LT(row.rhat, 1.02);
      EXPECT_NEAR(row.percentile_95, row.exact_percentile_95, 0.05 * row.exact_percentile_95);
      EXPECT_NEAR(row.share_within, row.exact_share_within, 0.03);
      EXPECT_EQ(row.divergences, 0U);
      EXPECT_TRUE(row.note.empty());
    }
  }
}

// The same setting twice over: another mean each time, so two settings are two observations. The x are the
// same.
TEST(ConstraintSweep, SettingsDoNotShareTheirDraws) {
  std::vector<std::string> told;
  const Context job(2, {.on_progress = [&](double, const std::string& text) {
                      told.push_back(text.substr(0, text.find(',')));
                    }});
  SweepOptions options = small();
  options.draws = 50;
  options.settings = {{25, 0.05}, {25, 0.05}};
  const auto rows = run_constraint_sweep(options, job);
  EXPECT_NE(rows[0].mean, rows[1].mean);
  EXPECT_EQ(rows[0].exact_mean, rows[1].exact_mean);
  EXPECT_EQ(told, (std::vector<std::string>{"settings: 1 of 2", "settings: 2 of 2"}));
}

TEST(ConstraintSweep, ThePapersUpdateDivergesAndSaysSo) {
  const Context job(2);
  SweepOptions options = small();
  options.method = Method::paper;
  options.settings = {{25, 1}, {25, 0.5}, {25, 0.05}, {1, 0.05}};
  const auto rows = run_constraint_sweep(options, job);
  EXPECT_EQ(rows[0].diverged_chains, 0U);
  EXPECT_NE(rows[1].note.find("unstable"), std::string::npos);
  EXPECT_EQ(rows[2].diverged_chains, rows[2].chains);
  EXPECT_FALSE(rows[2].sampled);
  EXPECT_NE(rows[2].note.find("diverged: 128 of 128"), std::string::npos);
  // Where it is stable it samples tau^2: the mean of |T| is about sqrt(tau) of the right one, less the step's
  // own error.
  EXPECT_LT(rows[3].mean, 0.5 * rows[3].exact_mean);
}

TEST(ConstraintSweep, RefusesWhatMakesNoSense) {
  const Context job(1);
  SweepOptions options;
  options.settings = {{1, 0}};
  EXPECT_THROW(run_constraint_sweep(options, job), UsageError);
  options = {};
  options.contexts = 0;
  EXPECT_THROW(run_constraint_sweep(options, job), UsageError);
}

}  // namespace
}  // namespace bl::gibbs
