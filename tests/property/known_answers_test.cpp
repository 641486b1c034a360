// Fits and densities whose answer is known: densities integrate to one, a planted Gaussian and a linear
// regression are recovered by maximum likelihood and by score matching, a logit equals Newton's.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>

#include "engine/reference/utility.hpp"
#include "support/random_problem.hpp"
#include "training/trainer.hpp"

namespace bl::test {
namespace {

// ---- Densities integrate to one -------------------------------------------------------------------------

// Simpson's rule on a grid of its own: independent of Gauss-Legendre panels.
double simpson_weight(Index i, Index n, double h) {
  return h / 3 * (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2);
}

// The integral over the box of exp(BL(x, y) / tau - log_normaliser).
double integral_of_density(const Problem<double>& p, const Network<double>& network,
                           const std::vector<double>& parameters, const Support& box, double log_normaliser,
                           Index intervals) {
  PreparedParameters<double> prepared;
  network.prepare(parameters, prepared);
  NetworkWorkspace<double> ws;
  const double h0 = (box.upper[0] - box.lower[0]) / static_cast<double>(intervals);
  const bool plane = box.dimension() == 2;
  const double h1 = plane ? (box.upper[1] - box.lower[1]) / static_cast<double>(intervals) : 0;
  const Index across = plane ? intervals + 1 : 1, chunk = plane ? 1 : 4096;
  Matrix<double> values;
  double integral = 0;
  for (Index first = 0; first <= intervals; first += chunk) {
    const Index lines = std::min(chunk, intervals + 1 - first);
    values.resize(lines * across, box.dimension());
    for (Index k = 0; k < lines * across; ++k) {
      values(k, 0) = box.lower[0] + h0 * static_cast<double>(first + k / across);
      if (plane) values(k, 1) = box.lower[1] + h1 * static_cast<double>(k % across);
    }
    const std::vector<std::int32_t> begin = {0, static_cast<std::int32_t>(lines * across)};
    network.forward(prepared, {p.context.view(), begin, values.view(), {}}, ws, true);
    for (Index k = 0; k < lines * across; ++k)
      integral += simpson_weight(first + k / across, intervals, h0) *
                  (plane ? simpson_weight(k % across, intervals, h1) : 1) *
                  std::exp(ws.scores(k, 0) / p.spec.temperature - log_normaliser);
  }
  return integral;
}

struct DensityCase {
  std::string name;
  int dimensions;
  bool kinked;
  std::vector<Index> widths;
  int panels;       // over a box of 8 units: what 1e-6 takes
  Index intervals;  // of the independent integration
};

class Density : public testing::TestWithParam<DensityCase> {};

// Smooth utilities need 16 to 24 panels of 8 nodes over 8 units; a kink within a panel costs the square of
// the panel's width, so kinked ones need about a thousand in one dimension.
TEST_P(Density, IntegratesToOne) {
  const DensityCase& c = GetParam();
  const Context job(1);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Architecture a = stacked({.context = 2, .values = c.dimensions, .classes = 0}, c.widths);
    if (!c.kinked) a.activations = {Activation::tanh, Activation::softplus, Activation::square};
    const Task task = c.dimensions == 1 ? Task::density_1d : Task::density_2d;
    auto p = random_problem<double>(task, a, 1, seed);
    p.weights.clear();
    const auto sides = static_cast<std::size_t>(c.dimensions);
    const Support box{std::vector<double>(sides, -4.0), std::vector<double>(sides, 4.0)};
    p.spec.rule = composite_rule(box, c.panels);
    const Network<double> network(a);
    const auto parameters = random_parameters(network.layout(), seed);
    LibraryLoss<double> loss(p, network, job);
    const reference::Utility plain(a, network.layout(), parameters);
    std::vector<double> observed(p.context.flat().begin(), p.context.flat().end());
    observed.insert(observed.end(), p.values.flat().begin(), p.values.flat().end());
    // -log p(observed) = log Z - BL / tau.
    const double log_normaliser = loss(parameters) + plain.outputs(observed)[0] / p.spec.temperature;
    EXPECT_NEAR(integral_of_density(p, network, parameters, box, log_normaliser, c.intervals), 1, 1e-6)
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Density,
                         testing::Values(DensityCase{"line_smooth", 1, false, {4, 3}, 24, 2000},
                                         DensityCase{"line_kinked", 1, true, {4, 3}, 1024, 200000},
                                         DensityCase{"plane_smooth", 2, false, {4, 3}, 16, 400},
                                         DensityCase{"plane_kinked", 2, true, {1}, 96, 1600}),
                         [](const auto& c) { return c.param.name; });

// ---- A planted Gaussian ---------------------------------------------------------------------------------

// BL = l0 (w . z + b) - l2 (t . z + d)^2 with z = [x ; y]: y given x is normal with precision 2 l2 t_y^2 and
// a mean linear in x.
Architecture gaussian_block(Index context) {
  Architecture a = single_block({.context = context, .values = 1, .classes = 0}, {1}, {}, {1});
  a.basis.kind = BasisKind::affine;
  a.activations = {Activation::identity, Activation::relu, Activation::square};
  return a;
}

struct Line {
  double intercept = 0, slope = 0, variance = 0;  // of y given x
};

Line gaussian_of(const Network<double>& network, std::span<const double> parameters) {
  const Architecture& a = network.architecture();
  const auto at = [&](const char* name, Index i) {
    const TensorInfo& tensor = network.layout().tensor(name);
    const double raw = parameters[static_cast<std::size_t>(tensor.offset + i)];
    return tensor.sign == Sign::non_negative ? softplus(raw) : raw;
  };
  const Index y = a.input.context;
  const double l0 = at("layers/0/U/lambda", 0), l2 = at("layers/0/T/lambda", 0);
  const double w = at("layers/0/U/weight", y), t = at("layers/0/T/weight", y);
  Line line;
  line.variance = 1 / (2 * l2 * t * t);
  // d BL / dy = l0 w - 2 l2 t (t y + t_x x + d) = 0.
  line.intercept = (l0 * w / (2 * l2 * t) - at("layers/0/T/bias", 0)) / t;
  if (y > 0) line.slope = -at("layers/0/T/weight", 0) / t;
  return line;
}

TrainSpec to_the_minimum() {
  TrainSpec spec;
  spec.optimizer.kind = OptimizerKind::lbfgs;
  spec.epochs = 2000;
  spec.gradient_tolerance = 1e-9;
  spec.seed = 3;
  return spec;
}

struct Sample {
  Matrix<double> x, y;
  double mean_x = 0, mean_y = 0;
};

Sample planted_line(Index n, const Line& truth) {
  const RandomStream random(21, Purpose::test);
  Sample s{Matrix<double>(n, 1), Matrix<double>(n, 1)};
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    s.x(i, 0) = random.normal(1, row);
    s.y(i, 0) = truth.intercept + truth.slope * s.x(i, 0) + std::sqrt(truth.variance) * random.normal(2, row);
    s.mean_x += s.x(i, 0) / static_cast<double>(n);
    s.mean_y += s.y(i, 0) / static_cast<double>(n);
  }
  return s;
}

FitReport fit(const Network<double>& network, const ObjectiveSpec& spec, const DatasetView<double>& data,
              std::vector<double>& parameters) {
  const Objective<double> objective(network, spec, data);
  const auto engine = make_engine<double>(Context(1));
  Trainer<double> trainer(objective, nullptr, to_the_minimum(), *engine);
  TrainingState<double> state = trainer.start();
  FitReport report = trainer.run(state);
  parameters = state.parameters;
  return report;
}

TEST(PlantedGaussian, MaximumLikelihoodIsLeastSquares) {
  const Index n = 400;
  const Line truth{.intercept = 0.5, .slope = -0.8, .variance = 0.49};
  const Sample s = planted_line(n, truth);
  double xx = 0, xy = 0, rss = 0;
  for (Index i = 0; i < n; ++i) {
    xx += (s.x(i, 0) - s.mean_x) * (s.x(i, 0) - s.mean_x);
    xy += (s.x(i, 0) - s.mean_x) * (s.y(i, 0) - s.mean_y);
  }
  const double slope = xy / xx, intercept = s.mean_y - slope * s.mean_x;
  for (Index i = 0; i < n; ++i) rss += std::pow(s.y(i, 0) - intercept - slope * s.x(i, 0), 2);
  const Network<double> network(gaussian_block(1));
  // Twelve standard deviations around the farthest mean: what is cut off is below rounding.
  ObjectiveSpec spec;
  spec.rule = composite_rule({{-12}, {12}}, 40);
  std::vector<double> parameters;
  const FitReport report = fit(network, spec,
                               {.rows = n,
                                .context = s.x.view(),
                                .values = s.y.view(),
                                .classes = {},
                                .weights = {},
                                .alternatives = {}},
                               parameters);
  EXPECT_EQ(report.reason, StopReason::converged) << report.cause;
  EXPECT_LE(report.gradient_norm, 1e-9);
  const Line got = gaussian_of(network, parameters);
  // A gradient norm g leaves the estimate within g times the inverse information, here at most about 1.
  EXPECT_NEAR(got.intercept, intercept, 1e-6);
  EXPECT_NEAR(got.slope, slope, 1e-6);
  EXPECT_NEAR(got.variance, rss / static_cast<double>(n), 1e-6);
  // And the truth within five standard errors.
  const double root_n = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(got.intercept, truth.intercept, 5 * 0.7 / root_n);
  EXPECT_NEAR(got.slope, truth.slope, 5 * 0.7 / root_n);
  EXPECT_NEAR(got.variance, truth.variance, 5 * truth.variance * std::sqrt(2.0) / root_n);
  // The loss at the minimum is the entropy formula.
  EXPECT_NEAR(report.final_loss, 0.5 * std::log(2 * M_PI * std::exp(1) * rss / static_cast<double>(n)), 1e-9);
}

// Score matching regresses -e / sigma on the noisy y: with the noise it drew, that regression is the answer.
TEST(PlantedGaussian, ScoreMatchingIsARegressionOnItsNoise) {
  const Index n = 4000;
  const Line truth{.intercept = 0.5, .slope = 0, .variance = 0.49};
  const Sample s = planted_line(n, truth);
  ObjectiveSpec spec;
  spec.kind = ObjectiveKind::score_matching;
  spec.sigma = 0.3;
  spec.draws = 2;
  const Network<double> network(gaussian_block(0));
  std::vector<double> parameters;
  const FitReport report =
      fit(network, spec,
          {.rows = n, .context = {}, .values = s.y.view(), .classes = {}, .weights = {}, .alternatives = {}},
          parameters);
  EXPECT_EQ(report.reason, StopReason::converged) << report.cause;
  const RandomStream noise(to_the_minimum().seed, Purpose::score_noise);
  double sum = 0, sum_t = 0, square = 0, cross = 0;
  const double m = 2 * static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    for (std::uint64_t k = 0; k < 2; ++k) {
      const double e = noise.normal(static_cast<std::uint64_t>(i), k), noisy = s.y(i, 0) + spec.sigma * e;
      sum += noisy;
      sum_t += -e / spec.sigma;
      square += noisy * noisy;
      cross += noisy * -e / spec.sigma;
    }
  }
  // score = alpha - beta y: mean alpha / beta, variance 1 / beta.
  const double beta = -(cross / m - sum / m * sum_t / m) / (square / m - sum / m * sum / m);
  const double alpha = sum_t / m + beta * sum / m;
  const Line got = gaussian_of(network, parameters);
  EXPECT_NEAR(got.intercept, alpha / beta, 1e-5);
  EXPECT_NEAR(got.variance, 1 / beta, 1e-5);
  // Its target is the noisy distribution: mean kept, variance + sigma^2. The regression of -e / sigma on y~
  // has slope beta with standard error sqrt(residual / (m var)): residual variance = 1 / sigma^2 - beta.
  const double target = truth.variance + spec.sigma * spec.sigma;
  const double beta_error =
      std::sqrt((1 / (spec.sigma * spec.sigma) - 1 / target) / (static_cast<double>(n) * target));
  EXPECT_NEAR(beta, 1 / target, 5 * beta_error);
  EXPECT_NEAR(got.intercept, truth.intercept,
              5 * std::sqrt(truth.variance / static_cast<double>(n)) +
                  5 * target * std::sqrt(1 / (spec.sigma * spec.sigma * static_cast<double>(n))));
}

// ---- A logit --------------------------------------------------------------------------------------------

TEST(BinaryLogit, EqualsNewtonsSolution) {
  const Index n = 500;
  const RandomStream random(31, Purpose::test);
  Matrix<double> x(n, 2);
  fill_normal(x, random, 1);
  Eigen::MatrixXd design(n, 3);
  Eigen::VectorXd y(n);
  std::vector<std::int32_t> classes;
  for (Index i = 0; i < n; ++i) {
    design.row(i) << 1, x(i, 0), x(i, 1);
    const double u = 0.3 + 1.2 * x(i, 0) - 0.7 * x(i, 1);
    classes.push_back(random.uniform(2, static_cast<std::uint64_t>(i)) < 1 / (1 + std::exp(-u)) ? 1 : 0);
    y(i) = classes.back();
  }
  Eigen::VectorXd beta = Eigen::VectorXd::Zero(3);
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Eigen::VectorXd p = (1 + (-(design * beta)).array().exp()).inverse();
    const Eigen::MatrixXd information =
        design.transpose() * (p.array() * (1 - p.array())).matrix().asDiagonal() * design;
    beta += information.ldlt().solve(design.transpose() * (y - p));
  }
  // e_1, x_0 e_1, x_1 e_1: a utility for class 1 alone.
  Architecture a = single_block({.context = 2, .values = 0, .classes = 2}, {1}, {}, {});
  a.basis = {.kind = BasisKind::listed, .extra = {{3}, {0, 3}, {1, 3}}, .response_only = true};
  a.activations[0] = Activation::identity;
  const Network<double> network(a);
  std::vector<double> parameters;
  const FitReport report = fit(
      network, {},
      {.rows = n, .context = x.view(), .values = {}, .classes = classes, .weights = {}, .alternatives = {}},
      parameters);
  EXPECT_EQ(report.reason, StopReason::converged) << report.cause;
  ASSERT_EQ(parameters.size(), 4U);
  const double lambda = softplus(parameters[3]);
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(lambda * parameters[static_cast<std::size_t>(j)], beta(j), 1e-6);
}

}  // namespace
}  // namespace bl::test
