#include "gibbs/network_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gibbs/utility.hpp"
#include "support/finite_differences.hpp"
#include "unit/gibbs/random_models.hpp"

namespace bl::gibbs {
namespace {

constexpr double kTemperature = 0.7;
constexpr Index kRows = 6;

// Rows of 29 chains cross the borders of chunks (64, 128) in the middle of a row, as does a row of 100.
template <class T>
struct Fixture {
  Architecture architecture;
  std::vector<double> exact;  // parameters that float holds exactly, so that both precisions have one truth
  std::vector<T> parameters;
  Network<T> network;
  PreparedParameters<T> prepared;
  NaiveUtility naive;
  Matrix<T> context, points;
  NetworkDensity<T> distribution;
  std::vector<std::int32_t> classes;
  Index chains_per_row;

  Fixture(const ModelCase& model, Index per_row)
      : architecture(model.architecture),
        exact(rounded(test::random_parameters(ParameterLayout(architecture), 3))),
        parameters(exact.begin(), exact.end()),
        network(architecture),
        prepared(prepare()),
        naive(architecture, exact),
        context(normal_matrix<T>(kRows, architecture.input.context, 1)),
        points(normal_matrix<T>(kRows * per_row, architecture.input.values, 2)),
        distribution(network, prepared, kTemperature, context, kRows, per_row),
        chains_per_row(per_row) {
    if (model.classes() == 0) return;
    for (Index i = 0; i < chains(); ++i)
      classes.push_back(static_cast<std::int32_t>((i * 7 + i / 3) % model.classes()));
    for (Index first = 0; first < chains(); first += kChainsPerChunk)
      distribution.set_classes(
          first, std::span<const std::int32_t>(classes).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(size(first))));
  }

  static std::vector<double> rounded(std::vector<double> values) {
    for (double& v : values) v = static_cast<double>(static_cast<float>(v));
    return values;
  }
  PreparedParameters<T> prepare() {
    PreparedParameters<T> out;
    network.prepare(parameters, out);
    return out;
  }
  Index chains() const { return points.rows(); }
  Index size(Index first) const { return std::min(kChainsPerChunk, chains() - first); }
  std::int32_t class_of(Index chain) const {
    return classes.empty() ? -1 : classes[static_cast<std::size_t>(chain)];
  }
  const T* context_of(Index chain) const { return context.row(chain / chains_per_row); }

  double truth(Index chain, std::span<const double> v, const test::HeadVisitor& visit = {}) const {
    const T* x = context_of(chain);
    const std::vector<double> wide(x, x + context.cols());
    return naive(wide.data(), v.data(), class_of(chain), visit) / kTemperature;
  }
};

// Distance of the nearest head from a kink of its activation: differences across one would be wrong.
template <class T>
double kink_distance(const Fixture<T>& f, Index chain, std::span<const double> v) {
  double nearest = std::numeric_limits<double>::infinity();
  f.truth(chain, v, [&](Activation activation, double head) {
    for (const double kink : test::kinks(activation)) nearest = std::min(nearest, std::abs(head - kink));
  });
  return nearest;
}

template <class T>
void expect_values_and_gradients(const ModelCase& model, Index per_row) {
  Fixture<T> f(model, per_row);
  const Index d = f.distribution.dimension();
  EXPECT_EQ(d, model.architecture.input.values);
  EXPECT_EQ(f.distribution.classes(), model.classes());
  std::vector<T> value(static_cast<std::size_t>(f.chains())), alone(value);
  Matrix<T> gradient(f.chains(), d);
  for (Index first = 0; first < f.chains(); first += kChainsPerChunk) {
    const auto at = static_cast<std::size_t>(first), n = static_cast<std::size_t>(f.size(first));
    const auto points = f.points.view().row_range(first, f.size(first));
    f.distribution.evaluate(first, points, std::span(value).subspan(at, n),
                            gradient.view().row_range(first, f.size(first)));
    f.distribution.evaluate(first, points, std::span(alone).subspan(at, n), {});
  }
  // Roundings of T: some hundred in the sums of a few dozen terms of size 1, divided by the temperature.
  const double rounding = 200 * static_cast<double>(std::numeric_limits<T>::epsilon());
  Index compared = 0;
  for (Index i = 0; i < f.chains(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::vector<double> v(f.points.row(i), f.points.row(i) + d);
    const double truth = f.truth(i, v);
    ASSERT_NEAR(static_cast<double>(value[at]), truth, rounding * (1 + std::abs(truth))) << "chain " << i;
    EXPECT_EQ(value[at], alone[at]) << "with and without gradient, chain " << i;
    if (kink_distance(f, i, v) < 1e-3) continue;
    ++compared;
    for (Index j = 0; j < d; ++j) {
      const auto difference = test::central_difference([&](double t) {
        std::vector<double> moved = v;
        moved[static_cast<std::size_t>(j)] += t;
        return f.truth(i, moved);
      });
      // A value may be a small sum of large terms: its rounding is theirs.
      const double scale = 1 + std::abs(difference.slope);
      const double bound = difference.bound + test::difference_rounding(scale, difference.step);
      ASSERT_LT(bound, 1e-6 * scale);
      ASSERT_NEAR(static_cast<double>(gradient(i, j)), difference.slope, bound + rounding * scale)
          << "chain " << i << " dimension " << j;
    }
  }
  EXPECT_GT(compared, f.chains() / 2);
}

std::vector<ModelCase> models_with_values() {
  std::vector<ModelCase> out;
  for (ModelCase& model : model_cases())
    if (model.architecture.input.values > 0) out.push_back(std::move(model));
  return out;
}

class NetworkDensityOf : public testing::TestWithParam<std::tuple<ModelCase, Index>> {};

TEST_P(NetworkDensityOf, ValuesAndGradients) {
  const auto& [model, per_row] = GetParam();
  expect_values_and_gradients<double>(model, per_row);
  expect_values_and_gradients<float>(model, per_row);
}

// Any range of chains within a chunk gives what the whole chunk gives.
TEST_P(NetworkDensityOf, PartsOfAChunkAgreeWithTheWhole) {
  const auto& [model, per_row] = GetParam();
  Fixture<double> f(model, per_row);
  const Index d = f.distribution.dimension(), whole = f.size(0);
  std::vector<double> value(static_cast<std::size_t>(whole)), part(value);
  Matrix<double> gradient(whole, d), part_gradient(whole, d);
  f.distribution.evaluate(0, f.points.view().row_range(0, whole), value, gradient.view());
  for (Index from = 0; from < whole; from += 5) {
    const Index count = std::min<Index>(5, whole - from);
    f.distribution.evaluate(
        from, f.points.view().row_range(from, count),
        std::span(part).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count)),
        part_gradient.view().row_range(from, count));
  }
  for (Index i = 0; i < whole; ++i) {
    EXPECT_NEAR(part[static_cast<std::size_t>(i)], value[static_cast<std::size_t>(i)], 1e-12);
    for (Index j = 0; j < d; ++j) EXPECT_NEAR(part_gradient(i, j), gradient(i, j), 1e-12);
  }
}

template <class T>
void expect_conditionals(const ModelCase& model, Index per_row) {
  Fixture<T> f(model, per_row);
  const Index classes = model.classes();
  const double rounding = 400 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (Index first = 0; first < f.chains(); first += kChainsPerChunk) {
    Matrix<T> out(f.size(first), classes);
    f.distribution.conditional_log_probabilities(first, f.points.view().row_range(first, f.size(first)),
                                                 out.view());
    for (Index i = 0; i < f.size(first); ++i) {
      const T* x = f.context_of(first + i);
      const T* v = f.points.row(first + i);
      const double base = f.naive(x, v, 0);
      for (Index c = 0; c < classes; ++c) {
        const double truth = (f.naive(x, v, static_cast<std::int32_t>(c)) - base) / kTemperature;
        ASSERT_NEAR(static_cast<double>(out(i, c)) - static_cast<double>(out(i, 0)), truth,
                    rounding * (1 + std::abs(truth) + std::abs(base)))
            << "chain " << first + i << " class " << c;
      }
    }
  }
}

TEST_P(NetworkDensityOf, ConditionalsOfTheClasses) {
  const auto& [model, per_row] = GetParam();
  if (model.classes() == 0) GTEST_SKIP() << "no classes";
  expect_conditionals<double>(model, per_row);
  expect_conditionals<float>(model, per_row);
}

INSTANTIATE_TEST_SUITE_P(Models, NetworkDensityOf,
                         testing::Combine(testing::ValuesIn(models_with_values()),
                                          testing::Values<Index>(1, 29, 100)),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_" + std::to_string(std::get<1>(one.param));
                         });

// The classes of a conditional draw do not disturb those that the chains have.
TEST(NetworkDensity, ConditionalsLeaveTheClassesAlone) {
  Fixture<double> f(models_with_values()[2], 29);
  const Index n = f.size(0);
  std::vector<double> before(static_cast<std::size_t>(n)), after(before);
  Matrix<double> log_p(n, f.distribution.classes());
  const auto points = f.points.view().row_range(0, n);
  f.distribution.evaluate(0, points, before, {});
  f.distribution.conditional_log_probabilities(0, points, log_p.view());
  f.distribution.evaluate(0, points, after, {});
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace bl::gibbs
