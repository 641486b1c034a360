#include "inference/estimate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bl/errors.hpp"
#include "estimated_entries.hpp"
#include "made_data.hpp"

namespace bl::inference {
namespace {

EstimateSpec with(CovarianceKind kind) {
  EstimateSpec spec;
  spec.minimiser.starts = 2;
  spec.covariance.kind = kind;
  return spec;
}

// Free entries in the order of the basis e1, e2, x1 e1, x1 e2, x2 e1, x2 e2, ...: the second class's.
TEST(Estimate, BinaryLogitIsTheTextbooks) {
  const test::LogitData data(800, 5);
  std::vector<double> weights;
  for (std::size_t i = 0; i < 800; ++i) weights.push_back(i % 3 == 0 ? 2 : 1);
  for (const auto& w : {std::vector<double>{}, weights}) {
    const test::TextbookLogit truth(data, w);
    const Network<double> network(test::logit_architecture());
    const Objective<double> objective(network, {}, data.view(w));
    const Context job(2);
    for (const CovarianceKind kind : {CovarianceKind::classical, CovarianceKind::robust}) {
      const Estimate e = estimate(objective, with(kind), job);
      const Eigen::MatrixXd& covariance = kind == CovarianceKind::classical ? truth.classical : truth.robust;
      ASSERT_TRUE(e.converged) << e.cause;
      ASSERT_EQ(e.chart.positions, (std::vector<Index>{1, 3, 5}));
      EXPECT_NEAR(-e.loss * e.total_weight, truth.log_likelihood, 1e-9 * std::abs(truth.log_likelihood));
      const auto entries = test::entries_of(e);
      for (Index k = 0; k < 3; ++k) {
        EXPECT_NEAR(entries[static_cast<std::size_t>(k)].value, truth.beta(k), 1e-8);
        for (Index l = 0; l < 3; ++l)
          EXPECT_NEAR(e.entries(k, l), covariance(k, l), 1e-8 * covariance.diagonal().maxCoeff());
      }
    }
  }
}

// p(y | x) ~ exp(b1 y + b2 x y + b3 y^2): normal with variance s = -1 / (2 b3) and mean m = (b1 + b2 x) s,
// and the Hessian of the loss is the covariance of (y, x y, y^2) given x: no data in it but x.
TEST(Information, OfAPlantedGaussianIsItsOwn) {
  constexpr Index kRows = 300;
  Architecture a = single_block({.context = 1, .values = 1, .classes = 0}, {2}, {}, {});
  a.activations[0] = Activation::identity;
  a.basis.response_only = true;
  const double b1 = 0.3, b2 = 0.7, b3 = -0.6, s = -1 / (2 * b3);
  Matrix<double> context(kRows, 1), values(kRows, 1);
  const RandomStream random(4, Purpose::test);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 3);
  for (Index i = 0; i < kRows; ++i) {
    const double x = context(i, 0) = random.normal(static_cast<std::uint64_t>(i), 0), m = (b1 + b2 * x) * s;
    values(i, 0) = m + std::sqrt(s) * random.normal(static_cast<std::uint64_t>(i), 1);
    const double cov = 2 * m * s;  // of y and y^2
    Eigen::Matrix3d one;
    one << s, x * s, cov, x * s, x * x * s, x * cov, cov, x * cov, 2 * s * s + 4 * m * m * s;
    expected += one;
  }
  ObjectiveSpec spec;
  spec.rule = composite_rule({{-14}, {14}}, 24);
  const Network<double> network(a);
  const Objective<double> objective(network, spec,
                                    {.rows = kRows,
                                     .context = context.view(),
                                     .values = values.view(),
                                     .classes = {},
                                     .weights = {},
                                     .alternatives = {}});
  // Terms: y, x y, y^2; then lambda.
  const std::vector<double> raw = {b1, b2, b3, inverse_softplus(1)};
  const auto engine = make_engine<double>(Context(2));
  Loss loss(objective, 0, *engine);
  const Information found = information(loss, make_chart(a, raw));
  ASSERT_EQ(found.hessian.rows(), 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(found.hessian(i, j), expected(i, j), 1e-8 * std::sqrt(expected(i, i) * expected(j, j)))
          << i << ", " << j;
}

TEST(Estimate, TwoEqualHeadsAreNamedAndHaveNoErrors) {
  const test::LogitData data(500, 6);
  const Architecture a = test::logit_architecture({2, 2});
  const Network<double> network(a);
  const Objective<double> objective(network, {}, data.view());
  const Context job(2);
  const Estimate e = estimate(objective, with(CovarianceKind::robust), job);
  EXPECT_TRUE(e.converged) << e.cause;
  ASSERT_EQ(e.identification.directions.size(), 3U);
  for (const Direction& direction : e.identification.directions) {
    ASSERT_EQ(direction.entries.size(), 2U);
    EXPECT_NEAR(direction.entries[0].second, -direction.entries[1].second, 1e-6);
  }
  for (const test::EstimatedEntry& entry : test::entries_of(e))
    EXPECT_TRUE(std::isnan(entry.error)) << entry.position;
  const ParameterMap map(a);
  const auto words =
      direction_words(map, e.identification.directions, [](Index) { return std::string("?"); });
  ASSERT_EQ(words.size(), 1U);
  EXPECT_NE(words[0].find("L1.B1.U1 and L1.B1.U2 cannot be told apart"), std::string::npos) << words[0];
}

TEST(Estimate, ASearchTellsWhereItStandsAndStops) {
  const test::LogitData data(300, 9);
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  std::vector<std::string> told;
  const Context job(2, {.on_progress = [&](double, const std::string& text) { told.push_back(text); }});
  EstimateSpec spec = with(CovarianceKind::robust);
  spec.minimiser.starts = 3;
  const Estimate whole = estimate(objective, spec, job);
  EXPECT_TRUE(whole.converged);
  // The counts go up, and the last line of the search has the loss that was found.
  const auto of = [&](const std::string& stage) {
    std::vector<int> counts;
    for (const std::string& text : told)
      if (text.starts_with(stage)) counts.push_back(std::stoi(text.substr(stage.size())));
    return counts;
  };
  const std::vector<int> tried = of("starts tried: "), ended = of("starts at their minimum: ");
  EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end()));
  EXPECT_TRUE(std::is_sorted(ended.begin(), ended.end()));
  EXPECT_EQ(tried.back(), 11);
  EXPECT_EQ(ended.back(), 3);
  const auto last = std::find_if(told.rbegin(), told.rend(),
                                 [](const std::string& text) { return text.starts_with("starts at"); });
  EXPECT_EQ(*last,
            fmt::format("starts at their minimum: 3 of 3, about 0 s left, lowest loss {:.6f}", whole.loss));
  int asked = 0;
  const Context stopping(2, {.should_stop = [&] { return ++asked > 5; }});
  const Estimate stopped = estimate(objective, spec, stopping);
  EXPECT_TRUE(stopped.minimisation.interrupted);
  EXPECT_FALSE(stopped.converged);
  EXPECT_EQ(stopped.cause, "it was interrupted");
  EXPECT_EQ(stopped.chart.raw.size(), whole.chart.raw.size());
  EXPECT_EQ(asked, 6);  // an answer stays
}

// A second class that never has x2 different from zero: what it multiplies is not determined, the rest is.
TEST(Estimate, OnlyWhatTheRowsDetermineHasErrors) {
  test::LogitData data(400, 7);
  for (Index i = 0; i < 400; ++i) data.context(i, 1) = 0;
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  const Context job(1);
  const Estimate e = estimate(objective, with(CovarianceKind::classical), job);
  const auto entries = test::entries_of(e);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_GT(entries[0].error, 0);
  EXPECT_GT(entries[1].error, 0);
  EXPECT_TRUE(std::isnan(entries[2].error));
  ASSERT_EQ(e.identification.directions.size(), 1U);
  ASSERT_EQ(e.identification.directions[0].entries.size(), 1U);
  EXPECT_EQ(e.identification.directions[0].entries[0].first, entries[2].position);
}

TEST(Estimate, ClustersOfOneRowAreRobustUpToTheFactor) {
  const test::LogitData data(600, 8);
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  const Context job(2);
  const Estimate robust = estimate(objective, with(CovarianceKind::robust), job);
  EstimateSpec spec = with(CovarianceKind::cluster);
  std::vector<std::int32_t> own(600), pairs(600), same(600);
  for (std::size_t i = 0; i < 600; ++i) {
    own[i] = static_cast<std::int32_t>(599 - i);
    pairs[i] = static_cast<std::int32_t>(i / 2);
    same[i] = static_cast<std::int32_t>(i % 2);
  }
  spec.covariance.clusters = {own};
  const Estimate single = estimate(objective, spec, job);
  EXPECT_NEAR((single.entries - 600.0 / 599 * robust.entries).norm(), 0, 1e-12 * robust.entries.norm());
  EXPECT_EQ(single.covariance.factor, "G/(G-1)");
  // Two ways whose intersections are single rows: V_1 + V_2 - V_robust.
  const auto one_way = [&](const std::vector<std::int32_t>& groups) {
    EstimateSpec one = spec;
    one.covariance.clusters = {groups};
    one.covariance.finite_sample = false;
    return estimate(objective, one, job).entries;
  };
  spec.covariance.clusters = {pairs, same};
  spec.covariance.finite_sample = false;
  const Estimate both = estimate(objective, spec, job);
  const Eigen::MatrixXd expected = one_way(pairs) + one_way(same) - robust.entries;
  if (!both.covariance.repaired)
    EXPECT_NEAR((both.entries - expected).norm(), 0, 1e-10 * expected.norm());
  else
    EXPECT_LT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(expected).eigenvalues()(0), 0);
}

// Sums of pairs of scores, by the textbook's formula.
TEST(Estimate, ClusteredErrorsSumScoresFirst) {
  const test::LogitData data(400, 9);
  const test::TextbookLogit truth(data);
  std::vector<std::int32_t> pairs(400);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(3, 3);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(3);
  for (Index i = 0; i < 400; ++i) {
    pairs[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i / 2);
    const Eigen::Vector3d x(1, data.context(i, 0), data.context(i, 1));
    sum += (data.classes[static_cast<std::size_t>(i)] - 1 / (1 + std::exp(-x.dot(truth.beta)))) * x;
    if (i % 2 == 0) continue;
    products += sum * sum.transpose();
    sum.setZero();
  }
  const Eigen::MatrixXd expected = 200.0 / 199 * truth.classical * products * truth.classical;
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  const Context job(1);
  EstimateSpec spec = with(CovarianceKind::cluster);
  spec.covariance.clusters = {pairs};
  const Estimate e = estimate(objective, spec, job);
  EXPECT_NEAR((e.entries - expected).norm(), 0, 1e-7 * expected.norm());
}

// Cameron, Gelbach and Miller: V_a + V_b - V_ab, each K summed over pairs of units in the same cluster.
TEST(Covariance, OfScoresInTwoWaysIsThatOfTheFormula) {
  const RandomStream random(3, Purpose::test);
  const Index units = 60, size = 3;
  Eigen::MatrixXd scores(units, size);
  std::vector<std::int32_t> a, b, both;
  for (Index i = 0; i < units; ++i) {
    a.push_back(static_cast<std::int32_t>(i % 7));
    b.push_back(static_cast<std::int32_t>(i / 11));
    both.push_back(a.back() * 100 + b.back());
    for (Index k = 0; k < size; ++k)
      scores(i, k) = random.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)) + a.back() -
                     3 + 0.5 * b.back();
  }
  inference::Information information;
  information.products = scores.transpose() * scores;
  inference::Identification identification;
  identification.inverse = Eigen::MatrixXd::Identity(size, size) * 0.1;
  identification.inverse(0, 1) = identification.inverse(1, 0) = 0.02;
  const auto by_hand = [&](const std::vector<std::int32_t>& groups) {
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(size, size);
    for (Index i = 0; i < units; ++i)
      for (Index j = 0; j < units; ++j)
        if (groups[static_cast<std::size_t>(i)] == groups[static_cast<std::size_t>(j)])
          k += scores.row(i).transpose() * scores.row(j);
    const auto count = static_cast<double>(std::set<std::int32_t>(groups.begin(), groups.end()).size());
    return Eigen::MatrixXd(count / (count - 1) * identification.inverse * k * identification.inverse);
  };
  const auto found = [&](const std::vector<std::vector<std::int32_t>>& clusters) {
    return inference::covariance(scores, information, identification,
                                 {.kind = inference::CovarianceKind::cluster, .clusters = clusters});
  };
  EXPECT_TRUE(found({a}).coordinates.isApprox(by_hand(a), 1e-12));
  const inference::Covariance two = found({a, b});
  EXPECT_EQ(two.cluster_counts, (std::vector<Index>{7, 6}));
  EXPECT_FALSE(two.repaired);
  EXPECT_TRUE(two.coordinates.isApprox(by_hand(a) + by_hand(b) - by_hand(both), 1e-12));
  a.pop_back();
  EXPECT_THROW(found({a}), UsageError);
}

TEST(Estimate, AnyNumberOfThreadsGivesTheSameBits) {
  const test::LogitData data(700, 10);
  const Architecture a = identifiable(single_block({.context = 2, .values = 0, .classes = 2}, {2}, {2}, {2}));
  const Network<double> network(a);
  const Objective<double> objective(network, {}, data.view());
  EstimateSpec spec = with(CovarianceKind::robust);
  spec.minimiser.iterations = 60;
  const Context one(1), three(3);
  const Estimate x = estimate(objective, spec, one), y = estimate(objective, spec, three);
  EXPECT_EQ(x.minimisation.best.parameters, y.minimisation.best.parameters);
  EXPECT_EQ(x.information.hessian, y.information.hessian);
  EXPECT_EQ(x.information.products, y.information.products);
}

// A weight that the data push to zero is at its bound: it is held there, and the rest has errors.
TEST(Estimate, AWeightAtItsBoundIsHeld) {
  const test::LogitData data(500, 11);
  Architecture a = single_block({.context = 2, .values = 0, .classes = 2}, {2}, {}, {2});
  a.activations = {Activation::identity, Activation::softplus, Activation::square};
  a.basis.response_only = true;
  const Network<double> network(a);
  const Objective<double> objective(network, {}, data.view());
  const Context job(2);
  // The logit's own minimum, with an equality head without weight.
  const Network<double> plain(test::logit_architecture());
  const Objective<double> logit(plain, {}, data.view());
  const Estimate alone = estimate(logit, with(CovarianceKind::robust), job);
  const ParameterMap map(a), simple(test::logit_architecture());
  std::vector<double> raw(static_cast<std::size_t>(map.layout().size()), 0.0);
  const auto from = simple.effective(alone.minimisation.best.parameters);
  std::vector<double> values = map.effective(raw);
  const HeadPlace u = map.heads_of(0, 0, HeadKind::utility)[0], t = map.heads_of(0, 0, HeadKind::equality)[0];
  const HeadPlace source = simple.heads()[0];
  for (Index c = 0; c < u.columns; ++c)
    values[static_cast<std::size_t>(u.weights + c)] = from[static_cast<std::size_t>(source.weights + c)];
  values[static_cast<std::size_t>(u.lambda)] = 1;
  values[static_cast<std::size_t>(t.lambda)] = 1e-9;
  values[static_cast<std::size_t>(t.weights)] = 1;
  Minimisation start;
  start.best.parameters = map.raw(values);
  const Estimate e = estimate_at(objective, start, with(CovarianceKind::robust), *make_engine<double>(job));
  EXPECT_EQ(e.chart.states[static_cast<std::size_t>(t.lambda)], ParameterState::at_bound);
  ASSERT_EQ(e.chart.positions.size(), 3U);
  EXPECT_NEAR((e.entries - alone.entries).norm(), 0, 1e-6 * alone.entries.norm());
}

TEST(Estimate, RefusesWhatCannotBe) {
  const test::LogitData data(50, 12);
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  const Context job(1);
  EstimateSpec spec = with(CovarianceKind::cluster);
  EXPECT_THROW(estimate(objective, spec, job), UsageError);
  spec.covariance.clusters = {std::vector<std::int32_t>(50, 0)};
  EXPECT_THROW(estimate(objective, spec, job), UsageError);
  spec.minimiser.starts = 0;
  EXPECT_THROW(estimate(objective, spec, job), UsageError);
}

// Perfectly separated classes have no maximum likelihood: the minimum is not reached, and that is said.
TEST(Estimate, SaysWhereTheMinimumIsNotReached) {
  test::LogitData data(60, 13);
  for (std::size_t i = 0; i < 60; ++i) data.classes[i] = data.context(static_cast<Index>(i), 0) > 0;
  const Network<double> network(test::logit_architecture());
  const Objective<double> objective(network, {}, data.view());
  const Context job(1);
  EstimateSpec spec = with(CovarianceKind::robust);
  spec.minimiser.iterations = 20;
  const Estimate e = estimate(objective, spec, job);
  EXPECT_FALSE(e.converged);
  EXPECT_NE(e.cause.find("not the minimum"), std::string::npos) << e.cause;
}

}  // namespace
}  // namespace bl::inference
