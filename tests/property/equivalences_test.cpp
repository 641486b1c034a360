// Different ways of saying the same model or the same data must give the same numbers.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/reference/utility.hpp"
#include "support/finite_differences.hpp"
#include "support/random_problem.hpp"

namespace bl::test {
namespace {

// Sums of the same terms in another order: a few dozen roundings of the largest term.
constexpr double kReordered = 1e-12;

struct Evaluated {
  double loss = 0;
  std::vector<double> gradient;
};

Evaluated evaluate(const Problem<double>& problem, const std::vector<double>& parameters) {
  const Network<double> network(problem.architecture);
  const Context job(1);
  LibraryLoss<double> loss(problem, network, job);
  Evaluated out;
  out.gradient.resize(parameters.size());
  out.loss = loss(parameters, out.gradient);
  return out;
}

std::vector<double> parameters_of(const Architecture& a, std::uint64_t seed = 4) {
  return random_parameters(ParameterLayout(a), seed);
}

void expect_same(const Evaluated& a, const Evaluated& b) {
  EXPECT_NEAR(a.loss, b.loss, kReordered * (1 + std::abs(b.loss)));
  ASSERT_EQ(a.gradient.size(), b.gradient.size());
  const double scale = 1 + largest_entry(b.gradient);
  for (std::size_t i = 0; i < a.gradient.size(); ++i)
    EXPECT_NEAR(a.gradient[i], b.gradient[i], kReordered * scale) << i;
}

Architecture rich(const InputShape& input, BasisKind kind, Skip skip) {
  Architecture a = stacked(input, {3, 2});
  a.basis.kind = kind;
  a.skip = skip;
  a.layers[0].degrees = {{{2}, {3, 1}, {2}}};
  a.activations = {Activation::tanh, Activation::softplus, Activation::huber};
  return a;
}

Matrix<double> scores(const Architecture& a, const std::vector<double>& parameters,
                      const Points<double>& points) {
  const Network<double> network(a);
  PreparedParameters<double> prepared;
  NetworkWorkspace<double> ws;
  network.prepare(parameters, prepared);
  network.forward(prepared, points, ws);
  return ws.scores;
}

TEST(SharedContext, CandidatesOfOneRowScoreAsRowsOfTheirOwn) {
  for (const BasisKind kind : {BasisKind::affine, BasisKind::monomials}) {
    for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
      const InputShape input{.context = 3, .values = 2, .classes = 3};
      const Architecture a = rich(input, kind, skip);
      const auto parameters = parameters_of(a);
      const RandomStream random(5, Purpose::test);
      const std::vector<std::int32_t> shared = {0, 3, 4, 4, 9}, owner = {0, 0, 0, 1, 3, 3, 3, 3, 3};
      Matrix<double> context(4, 3), values(9, 2), repeated(9, 3);
      fill_normal(context, random, 1);
      fill_normal(values, random, 2);
      std::vector<std::int32_t> classes, own(10);
      std::iota(own.begin(), own.end(), 0);
      for (Index p = 0; p < 9; ++p) {
        classes.push_back(static_cast<std::int32_t>(p % 3));
        std::copy_n(context.row(owner[static_cast<std::size_t>(p)]), 3, repeated.row(p));
      }
      const auto together = scores(a, parameters, {context.view(), shared, values.view(), classes});
      const auto apart = scores(a, parameters, {repeated.view(), own, values.view(), classes});
      for (Index p = 0; p < 9; ++p) EXPECT_NEAR(together(p, 0), apart(p, 0), kReordered) << p;
    }
  }
}

// Classes by look-up against the same one-hot columns as plain values of alternatives.
TEST(OneHot, ALookUpIsTheProductWithTheIndicatorColumns) {
  for (const BasisKind kind : {BasisKind::affine, BasisKind::monomials}) {
    for (const Skip skip : {Skip::none, Skip::input, Skip::dense, Skip::residual}) {
      const Architecture by_class = rich({.context = 2, .values = 0, .classes = 3}, kind, skip);
      const Architecture by_value = rich({.context = 2, .values = 3, .classes = 0}, kind, skip);
      const auto parameters = parameters_of(by_class);
      const auto problem = random_problem<double>(Task::classes, by_class, 6, 2);
      Problem<double> same;
      same.architecture = by_value;
      same.spec = problem.spec;
      same.rows = problem.rows;
      same.context = problem.context;
      same.weights = problem.weights;
      same.chosen = problem.classes;
      same.values.resize(6, 0);
      same.attributes.resize(18, 3);
      for (std::int64_t i = 0; i <= 6; ++i) same.set_begin.push_back(3 * i);
      for (Index j = 0; j < 18; ++j)
        for (Index c = 0; c < 3; ++c) same.attributes(j, c) = j % 3 == c ? 1 : 0;
      expect_same(evaluate(problem, parameters), evaluate(same, parameters));
    }
  }
}

// Identity heads without penalties: BL(x, c) = lambda (w_x . x + w_c + b) with one block per class in the
// vector form, whose readout reads block c for class c.
TEST(Forms, VectorAndScalarCoincideOnAMultinomialLogit) {
  Architecture vector = stacked_vector({.context = 2, .values = 0, .classes = 0}, {3}, 3);
  Architecture scalar = single_block({.context = 2, .values = 0, .classes = 3}, {2}, {}, {});
  for (Architecture* a : {&vector, &scalar}) {
    a->activations[0] = Activation::identity;
    a->lambda = Sign::free;
    for (auto kind : {1, 2}) a->layers[0].degrees[static_cast<std::size_t>(kind)].clear();
  }
  const RandomStream random(9, Purpose::test);
  // Class c: intercept and two slopes.
  Matrix<double> beta(3, 3);
  fill_normal(beta, random, 1);
  const ParameterLayout vector_layout(vector), scalar_layout(scalar);
  std::vector<double> p(static_cast<std::size_t>(vector_layout.size()), 0.0);
  std::vector<double> q(static_cast<std::size_t>(scalar_layout.size()), 0.0);
  const auto terms = basis_terms(scalar.basis, scalar.input, 2);
  for (Index c = 0; c < 3; ++c) {
    for (Index j = 0; j < 2; ++j) p[static_cast<std::size_t>(2 * c + j)] = beta(c, 1 + j);
    p[static_cast<std::size_t>(vector_layout.tensor("layers/0/U/bias").offset + c)] = beta(c, 0);
    p[static_cast<std::size_t>(vector_layout.tensor("layers/0/U/lambda").offset + c)] = 1;
    p[static_cast<std::size_t>(vector_layout.tensor("readout/weight").offset + 4 * c)] = 1;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const auto one_hot = static_cast<std::int32_t>(2 + c);
      if (terms[t] == Term{one_hot}) q[t] = beta(c, 0);
      for (std::int32_t j = 0; j < 2; ++j)
        if (terms[t] == Term{j, one_hot}) q[t] = beta(c, 1 + j);
    }
  }
  q[static_cast<std::size_t>(scalar_layout.tensor("layers/0/U/lambda").offset)] = 1;
  auto by_vector = random_problem<double>(Task::vector, vector, 8, 3);
  auto by_scalar = by_vector;
  by_scalar.task = Task::classes;
  by_scalar.architecture = scalar;
  const auto a = evaluate(by_vector, p), b = evaluate(by_scalar, q);
  EXPECT_NEAR(a.loss, b.loss, kReordered);
  // The derivative by the intercept of each class.
  for (Index c = 0; c < 3; ++c) {
    const auto at = static_cast<std::size_t>(vector_layout.tensor("layers/0/U/bias").offset + c);
    EXPECT_NEAR(a.gradient[at], b.gradient[static_cast<std::size_t>(2 + c)], kReordered);
  }
}

TEST(Availability, AnUnavailableAlternativeIsOneLeftOut) {
  for (const Task task : {Task::choice, Task::choice_named}) {
    const auto full =
        random_problem<double>(task, rich(input_shape(task), BasisKind::monomials, Skip::input), 12, 4);
    auto reduced = full;
    reduced.set_begin = {0};
    reduced.available.clear();
    reduced.alternative_classes.clear();
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < 12; ++i) {
      std::int32_t position = 0;
      for (std::int64_t j = full.set_begin[i]; j < full.set_begin[i + 1]; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (j - full.set_begin[i] == full.chosen[i]) reduced.chosen[i] = position;
        if (!full.available[at]) continue;
        kept.push_back(j);
        if (task == Task::choice_named) reduced.alternative_classes.push_back(full.alternative_classes[at]);
        ++position;
      }
      reduced.set_begin.push_back(static_cast<std::int64_t>(kept.size()));
    }
    ASSERT_LT(kept.size(), full.available.size()) << "something must be unavailable";
    reduced.attributes.resize(static_cast<Index>(kept.size()), full.attributes.cols());
    for (std::size_t j = 0; j < kept.size(); ++j)
      std::copy_n(full.attributes.row(kept[j]), full.attributes.cols(),
                  reduced.attributes.row(static_cast<Index>(j)));
    const auto parameters = parameters_of(full.architecture);
    expect_same(evaluate(full, parameters), evaluate(reduced, parameters));
  }
}

TEST(Weights, WeightTwoIsTheRowTwice) {
  for (const Task task : {Task::classes, Task::density_1d, Task::dsm_3d, Task::hybrid}) {
    SCOPED_TRACE(name(task));
    auto weighted =
        random_problem<double>(task, rich(input_shape(task), BasisKind::affine, Skip::none), 3, 4);
    weighted.weights = {1, 2, 1};
    auto twice = weighted;
    const std::vector<Index> source = {0, 1, 1, 2};
    twice.rows = 4;
    twice.weights.clear();
    twice.classes.clear();
    const auto copy_rows = [&](const auto& from, auto& to) {
      to.resize(4, from.cols());
      for (Index i = 0; i < 4; ++i)
        if (from.cols() > 0)
          std::copy_n(from.row(source[static_cast<std::size_t>(i)]), from.cols(), to.row(i));
    };
    copy_rows(weighted.context, twice.context);
    copy_rows(weighted.values, twice.values);
    copy_rows(weighted.noise, twice.noise);
    if (!weighted.classes.empty())
      for (const Index i : source) twice.classes.push_back(weighted.classes[static_cast<std::size_t>(i)]);
    const auto parameters = parameters_of(weighted.architecture);
    expect_same(evaluate(weighted, parameters), evaluate(twice, parameters));
  }
}

// BL / tau: a temperature is a division of the last linear map, for every objective.
TEST(Temperature, DividesTheUtility) {
  for (const Task task : kTasks) {
    SCOPED_TRACE(name(task));
    Architecture a = rich(input_shape(task), BasisKind::affine, Skip::none);
    if (vector_form(task)) {
      a.form = Form::vector;
      a.outputs = 3;
    }
    a.readout.sign = Sign::free;
    auto cold = random_problem<double>(task, a, 5, 4);
    cold.spec.temperature = 0.25;
    auto unit = cold;
    unit.spec.temperature = 1;
    const auto parameters = parameters_of(a);
    auto scaled = parameters;
    const ParameterLayout layout(a);
    for (const TensorInfo& tensor : layout.tensors()) {
      if (tensor.role != TensorRole::readout_weight && tensor.role != TensorRole::readout_bias) continue;
      for (Index i = 0; i < tensor.size(); ++i) scaled[static_cast<std::size_t>(tensor.offset + i)] *= 4;
    }
    const double cold_loss = evaluate(cold, parameters).loss, unit_loss = evaluate(unit, scaled).loss;
    EXPECT_NEAR(cold_loss, unit_loss, kReordered * (1 + std::abs(unit_loss)));
  }
}

// Quadrature over one panel of 8 nodes is a choice among 8 alternatives with weights, plus the numerator:
// with the observed value on a node, log p differs from the choice's by the node's log weight.
TEST(Quadrature, ANodeObservedIsAWeightedChoice) {
  const Architecture a = rich({.context = 1, .values = 1, .classes = 0}, BasisKind::monomials, Skip::none);
  auto density = random_problem<double>(Task::density_1d, a, 1, 4);
  density.weights.clear();
  density.spec.rule = composite_rule({{-2}, {2}}, 1);
  density.values(0, 0) = density.spec.rule.nodes(3, 0);
  const Network<double> network(a);
  const auto parameters = parameters_of(a);
  const reference::Utility plain(a, network.layout(), parameters);
  double sum = 0;
  for (Index k = 0; k < 8; ++k)
    sum +=
        std::exp(density.spec.rule.log_weights[static_cast<std::size_t>(k)] +
                 plain.outputs(std::vector{density.context(0, 0), density.spec.rule.nodes(k, 0)})[0] / 0.7);
  const double expected =
      std::log(sum) - plain.outputs(std::vector{density.context(0, 0), density.values(0, 0)})[0] / 0.7;
  EXPECT_NEAR(evaluate(density, parameters).loss, expected, kReordered * (1 + std::abs(expected)));
}

}  // namespace
}  // namespace bl::test
