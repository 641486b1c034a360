#include "compute/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "base/random.hpp"

namespace bl {
namespace {

template <class T>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Matrix<T> out(rows, cols);
  for (std::size_t i = 0; i < out.flat().size(); ++i) out.flat()[i] = static_cast<T>(random.normal(0, i));
  return out;
}

BlockShape shape_of(Index blocks, std::array<Index, 3> heads, std::array<Activation, 3> activations) {
  BlockShape shape;
  shape.blocks = blocks;
  Index begin = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    shape.sections[k] = {.activation = activations[k],
                         .sign = k == 0 ? 1.0 : -1.0,
                         .begin = begin,
                         .heads_per_block = heads[k]};
    begin += blocks * heads[k];
  }
  return shape;
}

// What every kernel returns on one random layer, as one list of numbers.
template <class T>
std::vector<T> all_results(const Kernels<T>& k, const BlockShape& shape) {
  const Index n = 5, heads = shape.total();
  const Matrix<T> lambda = random_matrix<T>(1, heads, 1);
  Matrix<T> phi = random_matrix<T>(n, heads, 2), slope(n, heads), out = random_matrix<T>(n, shape.blocks, 3);
  Matrix<T> a_dot = random_matrix<T>(n, heads, 4), d_a(n, heads), d_lambda(1, heads), s_dot(n, shape.blocks);
  const Matrix<T> d_s = random_matrix<T>(n, shape.blocks, 5), d_s_dot = random_matrix<T>(n, shape.blocks, 6);
  std::vector<T> results;
  const auto keep = [&](Matrix<T>& m) { results.insert(results.end(), m.flat().begin(), m.flat().end()); };
  k.blocks_forward(shape, lambda.data(), phi.view(), slope.view(), out.view(), true);
  keep(phi), keep(slope), keep(out);
  std::fill(s_dot.flat().begin(), s_dot.flat().end(), T(0));
  k.blocks_tangent(shape, lambda.data(), slope.view(), a_dot.view(), s_dot.view());
  keep(s_dot);
  std::fill(d_lambda.flat().begin(), d_lambda.flat().end(), T(0));
  k.blocks_backward(shape, lambda.data(), phi.view(), slope.view(), d_s.view(), d_a.view(), d_lambda.data());
  keep(d_a), keep(d_lambda);
  k.blocks_backward_tangent(shape, lambda.data(), phi.view(), slope.view(), a_dot.view(), d_s.view(),
                            d_s_dot.view(), d_a.view(), d_lambda.data());
  keep(d_a), keep(d_lambda), keep(a_dot);

  const std::vector<std::int32_t> begin = {0, 2, 2, 5}, groups = {1, 0, 2, 1, 1};
  const Matrix<T> rows = random_matrix<T>(3, heads, 7), features = random_matrix<T>(n, 2, 8);
  const Matrix<T> weights = random_matrix<T>(6, heads, 9);
  Matrix<T> spread(n, heads), sums(3, heads), d_weights = random_matrix<T>(6, heads, 10), d_features(n, 2);
  k.spread_rows(begin, rows.view(), {}, {}, spread.view());
  keep(spread);
  k.gather_rows(begin, spread.view(), {}, {}, sums.view());
  keep(sums);
  k.rank_update(features.view(), groups, weights.view(), spread.view());
  keep(spread);
  k.rank_weight_gradient(features.view(), groups, spread.view(), d_weights.view());
  keep(d_weights);
  k.rank_feature_gradient(weights.view(), groups, spread.view(), d_features.view());
  keep(d_features);
  return results;
}

template <class T>
class KernelsOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsOf, Reals);

// All instruction sets agree: products of a handful of factors and sums of up to 160 terms.
TYPED_TEST(KernelsOf, EveryInstructionSetAgrees) {
  using T = TypeParam;
  const auto tables = kernels_of_every_target<T>();
  ASSERT_FALSE(tables.empty());
  const std::vector<BlockShape> shapes = {
      shape_of(31, {1, 1, 1}, {Activation::tanh, Activation::relu, Activation::abs}),
      shape_of(13, {2, 1, 3}, {Activation::identity, Activation::softplus, Activation::square}),
      shape_of(7, {0, 2, 1}, {Activation::tanh, Activation::softplus, Activation::huber}),
      shape_of(9, {2, 1, 1}, {Activation::clip, Activation::relu, Activation::abs}),
      shape_of(1, {1, 0, 0}, {Activation::tanh, Activation::relu, Activation::abs})};
  for (const BlockShape& shape : shapes) {
    const auto expected = all_results(tables.back(), shape);
    for (const auto& table : tables) {
      const auto got = all_results(table, shape);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i],
                    256 * std::numeric_limits<T>::epsilon() * (1 + std::abs(expected[i])))
            << table.target << " against " << tables.back().target << " at " << i;
    }
  }
}

TYPED_TEST(KernelsOf, TheChosenSetIsTheFastestAndHasAName) {
  using T = TypeParam;
  const auto tables = kernels_of_every_target<T>();
  std::set<std::string> names;
  for (const auto& table : tables) names.insert(table.target);
  EXPECT_EQ(names.size(), tables.size());
  EXPECT_STREQ(kernels<T>().target, tables.front().target);
  testing::Test::RecordProperty("instruction_set", kernels<T>().target);
}

// s_b = sum sign lambda phi(a), by hand: two blocks, U and C one head, T two.
TEST(Kernels, ABlockIsItsSignedSum) {
  const BlockShape shape =
      shape_of(2, {1, 1, 2}, {Activation::identity, Activation::relu, Activation::square});
  EXPECT_EQ(shape.total(), 8);
  const std::vector<double> lambda = {2, 3, 5, 7, 11, 13, 17, 19};
  std::vector<double> phi = {1, -1, 4, -4, 1, 2, 3, 0.5}, slope(8), out = {100, 200};
  kernels<double>().blocks_forward(shape, lambda.data(), {phi.data(), 1, 8, 8}, {slope.data(), 1, 8, 8},
                                   {out.data(), 1, 2, 2}, true);
  EXPECT_EQ(out, (std::vector<double>{100 + 2 - 5 * 4 - 11 - 13 * 4, 200 - 3 - 17 * 9 - 19 * 0.25}));
  EXPECT_EQ(slope, (std::vector<double>{1, 1, 1, 0, 2, 4, 6, 1}));
  // Without accumulation and without slopes.
  phi = {1, -1, 4, -4, 1, 2, 3, 0.5};
  kernels<double>().blocks_forward(shape, lambda.data(), {phi.data(), 1, 8, 8}, {}, {out.data(), 1, 2, 2},
                                   false);
  EXPECT_EQ(out, (std::vector<double>{2 - 5 * 4 - 11 - 13 * 4, -3 - 17 * 9 - 19 * 0.25}));
}

TEST(Kernels, RowsWithoutPointsAndRankUpdates) {
  const auto& k = kernels<double>();
  const std::vector<std::int32_t> begin = {0, 2, 2, 3};
  std::vector<double> rows = {1, 2, 3}, points(3), sums(3);
  k.spread_rows(begin, {rows.data(), 3, 1, 1}, {}, {}, {points.data(), 3, 1, 1});
  EXPECT_EQ(points, (std::vector<double>{1, 1, 3}));
  k.gather_rows(begin, {points.data(), 3, 1, 1}, {}, {}, {sums.data(), 3, 1, 1});
  EXPECT_EQ(sums, (std::vector<double>{2, 0, 3}));

  // Two features a point, two groups of weights, one head.
  const std::vector<std::int32_t> groups = {1, 0};
  const std::vector<double> features = {2, 3, 5, 7}, weights = {1, 10, 100, 1000}, d_out = {1, 2};
  std::vector<double> out = {0.5, 0.25}, d_weights(4, 1.0), d_features(4);
  k.rank_update({features.data(), 2, 2, 2}, groups, {weights.data(), 4, 1, 1}, {out.data(), 2, 1, 1});
  EXPECT_EQ(out, (std::vector<double>{0.5 + 200 + 3000, 0.25 + 5 + 70}));
  k.rank_weight_gradient({features.data(), 2, 2, 2}, groups, {d_out.data(), 2, 1, 1},
                         {d_weights.data(), 4, 1, 1});
  EXPECT_EQ(d_weights, (std::vector<double>{11, 15, 3, 4}));
  k.rank_feature_gradient({weights.data(), 4, 1, 1}, groups, {d_out.data(), 2, 1, 1},
                          {d_features.data(), 2, 2, 2});
  EXPECT_EQ(d_features, (std::vector<double>{100, 1000, 2, 20}));
}

}  // namespace
}  // namespace bl
