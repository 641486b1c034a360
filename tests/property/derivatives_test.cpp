// Every derivative of the learning core against differences, over the product of activations, bases, skips
// and objectives. Heads stand on both sides of every kink, and no kink lies within the difference step.
// Architectures that engines_agree_test does not draw are held against the reference engine here.
#include <gtest/gtest.h>

#include <string>

#include "support/agreement.hpp"
#include "support/finite_differences.hpp"

namespace bl::test {
namespace {

void expect_as_the_reference(Task task, const Instance& drawn) {
  double most = 0;
  expect_agreement<double>(task, drawn, *make_engine<double>(Context(2)), most);
}

// One random direction within each tensor: a wrong sign or a lost term in any of them shows, with its name.
void check_by_tensor(LibraryLoss<double>& loss, const ParameterLayout& layout,
                     const std::vector<double>& parameters, const std::vector<double>& gradient) {
  const RandomStream random(7, Purpose::test, 2);
  const Function f = [&](std::span<const double> p) { return loss(p); };
  for (const TensorInfo& tensor : layout.tensors()) {
    std::vector<double> direction(parameters.size(), 0.0);
    for (Index i = 0; i < tensor.size(); ++i) {
      const auto at = static_cast<std::size_t>(tensor.offset + i);
      if (layout.free_mask().empty() || layout.free_mask()[at]) direction[at] = random.normal(1, at);
    }
    EXPECT_TRUE(directional_matches(f, parameters, gradient, direction, tensor.name));
  }
}

void expect_masked_entries_are_zero(const ParameterLayout& layout, const std::vector<double>& gradient) {
  for (std::size_t i = 0; i < layout.free_mask().size(); ++i) {
    if (!layout.free_mask()[i]) {
      EXPECT_EQ(gradient[i], 0.0) << i;
    }
  }
}

class ParameterGradient : public testing::TestWithParam<Task> {};

TEST_P(ParameterGradient, EveryActivationBasisAndSkip) {
  const Task task = GetParam();
  const Context job(1);
  Sides sides;
  for_each_variant(task, [&](const Variant& variant) {
    const Network<double> network(architecture_of(task, variant));
    const auto instance = draw(task, variant, network, task == Task::density_2d ? 2 : 4, sides);
    ASSERT_TRUE(instance) << "no draw without a head near a kink";
    LibraryLoss<double> loss(instance->problem, network, job);
    std::vector<double> gradient(instance->parameters.size());
    loss(instance->parameters, gradient);
    check_by_tensor(loss, network.layout(), instance->parameters, gradient);
    expect_masked_entries_are_zero(network.layout(), gradient);
  });
  if (HasFailure()) return;
  for (const auto& [kink, count] : sides) {
    EXPECT_GT(count[0], 100) << bl::name(kink.first) << " below " << kink.second;
    EXPECT_GT(count[1], 100) << bl::name(kink.first) << " above " << kink.second;
  }
}

// Entry by entry, on one model per skip that has everything: mixed degrees, several heads, both signs.
TEST_P(ParameterGradient, EveryEntry) {
  const Task task = GetParam();
  const Context job(1);
  Sides sides;
  for (const SkipCase& skip : kSkips) {
    for (const bool kinked : {true, false}) {
      const Variant variant{
          .activations = kinked ? std::array{Activation::tanh, Activation::relu, Activation::abs}
                                : std::array{Activation::tanh, Activation::softplus, Activation::huber},
          .basis = kBases[3],
          .skip = skip,
          .heads = {1, 2, 1},
          .lambda = Sign::non_negative,
          .readout = Sign::non_negative,
          .readout_bias = true};
      SCOPED_TRACE(describe(task, variant));
      const Network<double> network(architecture_of(task, variant));
      const auto instance = draw(task, variant, network, 2, sides);
      ASSERT_TRUE(instance);
      expect_as_the_reference(task, *instance);
      LibraryLoss<double> loss(instance->problem, network, job);
      std::vector<double> gradient(instance->parameters.size());
      loss(instance->parameters, gradient);
      const auto& mask = network.layout().free_mask();
      // A masked entry has no gradient by decree; hold it still for the differences too.
      const Function f = [&](std::span<const double> at) {
        std::vector<double> p(at.begin(), at.end());
        for (std::size_t i = 0; i < mask.size(); ++i)
          if (!mask[i]) p[i] = 0;
        return loss(p);
      };
      EXPECT_TRUE(gradient_matches(f, instance->parameters, gradient));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Objective, ParameterGradient, testing::ValuesIn(kTasks),
                         [](const auto& task) { return name(task.param); });

// The sweeps themselves: gradient by the response, tangent along it, and the parameter derivative of the
// tangent (the mixed derivative that score matching needs).
struct Sweeps {
  const Problem<double>& problem;
  const Network<double>& network;
  std::vector<std::int32_t> begin, classes;
  NetworkWorkspace<double> ws;
  PreparedParameters<double> prepared;

  Sweeps(const Problem<double>& p, const Network<double>& n) : problem(p), network(n) {
    for (Index i = 0; i <= p.rows; ++i) begin.push_back(static_cast<std::int32_t>(i));
    if (n.architecture().input.classes > 0) classes = p.classes;
  }
  Points<double> points(const Matrix<double>& values) const {
    return {problem.context.view(), begin, values.view(), classes};
  }
  double weighted_scores(std::span<const double> parameters, const Matrix<double>& values,
                         const Matrix<double>& weights) {
    network.prepare(parameters, prepared);
    network.forward(prepared, points(values), ws);
    return dot(ws.scores, weights);
  }
  double weighted_tangent(std::span<const double> parameters, const Matrix<double>& values,
                          const Matrix<double>& direction, const Matrix<double>& weights) {
    network.prepare(parameters, prepared);
    network.forward(prepared, points(values), ws);
    network.tangent(prepared, points(values), direction.view(), ws);
    return dot(ws.scores_dot, weights);
  }
  static double dot(const Matrix<double>& a, const Matrix<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.flat().size(); ++i) sum += a.flat()[i] * b.flat()[i];
    return sum;
  }
};

class NetworkSweeps : public testing::TestWithParam<Task> {};

TEST_P(NetworkSweeps, ResponseGradientTangentAndMixedDerivative) {
  const Task task = GetParam();
  Sides sides;
  const RandomStream random(3, Purpose::test);
  std::size_t number = 0;
  for (const BasisCase& basis : kBases) {
    if (vector_form(task) && basis.response_only) continue;
    for (const SkipCase& skip : kSkips) {
      const Variant variant{.activations = kActivations[number % kActivations.size()],
                            .basis = basis,
                            .skip = skip,
                            .heads = kHeads[number % 3],
                            .lambda = Sign::non_negative,
                            .readout = number % 2 == 0 ? Sign::free : Sign::non_negative,
                            .readout_bias = true};
      ++number;
      SCOPED_TRACE(describe(task, variant));
      const Network<double> network(architecture_of(task, variant));
      const auto instance = draw(task, variant, network, 3, sides);
      ASSERT_TRUE(instance);
      expect_as_the_reference(task, *instance);
      Sweeps sweeps(instance->problem, network);
      const Index n = instance->problem.rows, dims = network.architecture().input.values;
      // At the first noisy value, which `draw` has seen to be clear of kinks.
      Matrix<double> values(n, dims), direction(n, dims), weights(n, network.outputs()), by_values(n, dims);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < dims; ++j)
          values(i, j) =
              instance->problem.values(i, j) + instance->problem.spec.sigma * instance->problem.noise(i, j);
      fill_normal(direction, random, 1);
      // The utility of the row's own class only: the one whose heads were watched.
      std::fill(weights.flat().begin(), weights.flat().end(), 0.0);
      for (Index i = 0; i < n; ++i)
        weights(i, vector_form(task) ? instance->problem.classes[static_cast<std::size_t>(i)] : 0) =
            random.normal(2, static_cast<std::uint64_t>(i));

      sweeps.weighted_scores(instance->parameters, values, weights);
      network.value_gradient(sweeps.prepared, sweeps.points(values), weights.view(), sweeps.ws,
                             by_values.view());
      const Function by_value = [&](std::span<const double> at) {
        Matrix<double> moved(n, dims);
        std::copy(at.begin(), at.end(), moved.flat().begin());
        return sweeps.weighted_scores(instance->parameters, moved, weights);
      };
      const std::vector<double> start(values.flat().begin(), values.flat().end());
      EXPECT_TRUE(gradient_matches(by_value, start, by_values.flat()));

      const double tangent = sweeps.weighted_tangent(instance->parameters, values, direction, weights);
      const double expected = Sweeps::dot(by_values, direction);
      EXPECT_NEAR(tangent, expected, 1e-12 * (1 + std::abs(expected)));

      GradientSum<double> sums;
      network.clear(sums);
      network.backward_tangent(sweeps.prepared, sweeps.points(values), weights.view(), sweeps.ws, sums);
      network.finish(sweeps.prepared, sums);
      const Function mixed = [&](std::span<const double> at) {
        return sweeps.weighted_tangent(at, values, direction, weights);
      };
      const std::vector<double> gradient(sums.flat.begin(), sums.flat.end());
      std::vector<double> along(gradient.size());
      for (std::size_t i = 0; i < along.size(); ++i) {
        const auto& mask = network.layout().free_mask();
        along[i] = mask.empty() || mask[i] ? random.normal(3, i) : 0;
      }
      EXPECT_TRUE(directional_matches(mixed, instance->parameters, gradient, along, "mixed derivative"));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Task, NetworkSweeps,
                         testing::Values(Task::dsm_1d, Task::dsm_3d, Task::hybrid, Task::hybrid_vector),
                         [](const auto& task) { return name(task.param); });

// One head of one kind, placed at a chosen distance from its kink by its bias: the slope by every parameter
// is the closed form of that side.
TEST(Kinks, BothSidesOfEveryKinkHaveTheirOwnDerivative) {
  struct Side {
    Activation activation;
    HeadKind kind;
    double head, slope, curvature;
  };
  const double e = 1e-3;
  const std::vector<Side> sides = {
      {Activation::relu, HeadKind::inequality, -e, 0, 0},
      {Activation::relu, HeadKind::inequality, 0, 0, 0},
      {Activation::relu, HeadKind::inequality, e, 1, 0},
      {Activation::abs, HeadKind::equality, -e, -1, 0},
      {Activation::abs, HeadKind::equality, 0, -1, 0},
      {Activation::abs, HeadKind::equality, e, 1, 0},
      {Activation::huber, HeadKind::equality, -1 - e, -1, 0},
      {Activation::huber, HeadKind::equality, -1, -1, 0},
      {Activation::huber, HeadKind::equality, -1 + e, -1 + e, 1},
      {Activation::huber, HeadKind::equality, 1 - e, 1 - e, 1},
      {Activation::huber, HeadKind::equality, 1, 1, 1},
      {Activation::huber, HeadKind::equality, 1 + e, 1, 0},
  };
  for (const Side& side : sides) {
    SCOPED_TRACE(std::string(bl::name(side.activation)) + " at " + std::to_string(side.head));
    Architecture a = single_block({.context = 0, .values = 1, .classes = 0}, {}, {}, {});
    a.basis.kind = BasisKind::affine;
    a.layers[0].degrees[static_cast<std::size_t>(side.kind)] = {1};
    a.activations[static_cast<std::size_t>(side.kind)] = side.activation;
    a.lambda = Sign::free;
    const Network<double> network(a);
    // head = w v + b with v = 0, so that the bias is the head exactly; parameters: weight, bias, lambda.
    const std::vector<double> parameters = {1.5, side.head, 2.0};
    Matrix<double> value(1, 1), seed(1, 1), direction(1, 1);
    value(0, 0) = 0;
    seed(0, 0) = direction(0, 0) = 1;
    const std::vector<std::int32_t> begin = {0, 1};
    const Points<double> at{{}, begin, value.view(), {}};
    PreparedParameters<double> prepared;
    NetworkWorkspace<double> ws;
    GradientSum<double> sums;
    network.prepare(parameters, prepared);
    network.forward(prepared, at, ws);
    network.clear(sums);
    network.backward(prepared, at, seed.view(), ws, sums);
    network.finish(prepared, sums);
    // BL = -lambda psi(w v + b).
    const double psi = reference::activate(side.activation, side.head).value;
    EXPECT_DOUBLE_EQ(ws.scores(0, 0), -2 * psi);
    EXPECT_DOUBLE_EQ(sums.flat[0], 0.0);
    EXPECT_DOUBLE_EQ(sums.flat[1], -2 * side.slope);
    EXPECT_DOUBLE_EQ(sums.flat[2], -psi);
    // BL_v = -lambda psi' w; by w: -lambda psi', by b: -lambda psi'' w, by lambda: -psi' w.
    network.forward(prepared, at, ws);
    network.tangent(prepared, at, direction.view(), ws);
    EXPECT_DOUBLE_EQ(ws.scores_dot(0, 0), -2 * side.slope * 1.5);
    network.clear(sums);
    network.backward_tangent(prepared, at, seed.view(), ws, sums);
    network.finish(prepared, sums);
    EXPECT_DOUBLE_EQ(sums.flat[0], -2 * side.slope);
    EXPECT_DOUBLE_EQ(sums.flat[1], -2 * side.curvature * 1.5);
    EXPECT_DOUBLE_EQ(sums.flat[2], -side.slope * 1.5);
  }
}

}  // namespace
}  // namespace bl::test
