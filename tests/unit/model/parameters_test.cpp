#include "model/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace bl {
namespace {

template <class T>
std::vector<T> start(const Architecture& a, std::uint64_t seed) {
  const ParameterLayout layout(a);
  std::vector<T> parameters(static_cast<std::size_t>(layout.size()));
  starting_values<T>(a, layout, seed, parameters);
  return parameters;
}

TEST(Parameters, NamesAndPlaces) {
  Architecture a = stacked({.context = 3, .values = 1, .classes = 0}, {2, 4});
  a.skip = Skip::residual;
  a.layers[1].degrees[1].clear();
  const ParameterLayout layout(a);
  std::vector<std::string> names;
  Index at = 0;
  for (const TensorInfo& tensor : layout.tensors()) {
    names.push_back(tensor.name);
    EXPECT_EQ(tensor.offset, at) << tensor.name;
    at += tensor.size();
  }
  EXPECT_EQ(at, layout.size());
  EXPECT_THAT(names, testing::ElementsAre("layers/0/U/weight", "layers/0/C/weight", "layers/0/T/weight",
                                          "layers/0/U/bias", "layers/0/C/bias", "layers/0/T/bias",
                                          "layers/0/U/lambda", "layers/0/C/lambda", "layers/0/T/lambda",
                                          "layers/1/U/weight", "layers/1/T/weight", "layers/1/U/bias",
                                          "layers/1/T/bias", "layers/1/U/lambda", "layers/1/T/lambda",
                                          "projections/1", "readout/weight", "readout/bias"));
  EXPECT_EQ(layout.tensor("projections/1").rows, 4);
  EXPECT_EQ(layout.tensor("projections/1").cols, 2);
  EXPECT_EQ(layout.tensor("layers/0/C/lambda").sign, Sign::non_negative);
  EXPECT_EQ(layout.tensor("readout/weight").sign, Sign::non_negative);
  EXPECT_FALSE(layout.contains("layers/1/C/weight"));
  EXPECT_THROW(layout.tensor("layers/1/C/weight"), std::out_of_range);
  a.layers[1].blocks = 2;
  EXPECT_FALSE(ParameterLayout(a).contains("projections/1")) << "equal widths add without a projection";
}

// Neither biases, nor lambdas, nor a readout stored raw: the zero of a raw value is not the zero of its
// weight.
TEST(Parameters, DecayIsForWeightsOnly) {
  for (const Sign readout : {Sign::free, Sign::non_negative}) {
    Architecture a = stacked({.context = 3, .values = 1, .classes = 0}, {2, 4});
    a.skip = Skip::residual;
    a.readout.sign = readout;
    const ParameterLayout layout(a);
    for (const TensorInfo& tensor : layout.tensors()) {
      const bool free_weight = tensor.role == TensorRole::weight || tensor.role == TensorRole::projection ||
                               (tensor.role == TensorRole::readout_weight && readout == Sign::free);
      EXPECT_EQ(tensor.decays(), free_weight) << tensor.name;
    }
  }
}

// Two blocks of monomials in 3 inputs: 3, 9 and 19 terms at degrees 1, 2 and 3.
TEST(Parameters, AHeadOfLowerDegreeKeepsItsColumns) {
  Architecture a = single_block({.context = 2, .values = 1, .classes = 0}, {3, 1}, {2}, {3});
  a.layers[0].blocks = 2;
  a.readout.present = true;
  const ParameterLayout layout(a);
  const Index weights = 2 * 4 * 19, held = 2 * ((19 - 3) + (19 - 9));
  EXPECT_EQ(layout.size(), weights + 2 * 4 + 2 * 4 + 2 + 1);
  EXPECT_EQ(layout.free_count(), layout.size() - held);
  const auto& mask = layout.free_mask();
  ASSERT_EQ(mask.size(), static_cast<std::size_t>(layout.size()));
  const std::array<Index, 4> terms_of_u_rows = {19, 3, 19, 3};  // block-major
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 19; ++column)
      EXPECT_EQ(mask[static_cast<std::size_t>(row * 19 + column)] != 0,
                column < terms_of_u_rows[static_cast<std::size_t>(row)])
          << row << ", " << column;
  const auto values = start<double>(a, 1);
  for (std::size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(values[i] == 0, mask[i] == 0) << i;
  EXPECT_TRUE(ParameterLayout(single_block({.context = 2, .values = 1, .classes = 0}, {2}, {2}, {2}))
                  .free_mask()
                  .empty());
}

TEST(Parameters, ResponseOnlyMasksCountTheirOwnTerms) {
  Architecture a = single_block({.context = 2, .values = 1, .classes = 0}, {2}, {1}, {2});
  a.basis.response_only = true;
  const ParameterLayout layout(a);  // 4 terms with v at degree 2, 1 at degree 1; no biases
  EXPECT_EQ(layout.size(), 3 * 4 + 3);
  EXPECT_EQ(layout.free_count(), 4 + 1 + 4 + 3);
}

TEST(Parameters, SoftplusAndItsInverse) {
  for (const double value : {1e-12, 1e-3, 0.5, 1.0, 20.0, 700.0}) {
    EXPECT_NEAR(softplus(inverse_softplus(value)), value,
                8 * std::numeric_limits<double>::epsilon() * std::max(value, -std::log(value) * value));
  }
  EXPECT_NEAR(softplus(inverse_softplus(1.0)), 1.0, 4e-16);
  EXPECT_EQ(softplus(800.0), 800.0);
  EXPECT_GT(softplus(-700.0), 0.0);
}

TEST(Parameters, AffineStartingValuesAreUniformWithUnitLambdas) {
  const Architecture a = stacked({.context = 15, .values = 1, .classes = 0}, {300, 25});
  const ParameterLayout layout(a);
  const auto values = start<double>(a, 5);
  for (const TensorInfo& tensor : layout.tensors()) {
    const double bound =
        1 / std::sqrt(tensor.layer == 0 && tensor.role != TensorRole::readout_weight ? 16.0
                      : tensor.role == TensorRole::readout_weight || tensor.role == TensorRole::readout_bias
                          ? 25.0
                          : 300.0);
    double sum = 0, square = 0;
    for (Index i = 0; i < tensor.size(); ++i) {
      const double raw = values[static_cast<std::size_t>(tensor.offset + i)];
      const double effective = tensor.sign == Sign::non_negative ? softplus(raw) : raw;
      if (tensor.role == TensorRole::lambda) {
        ASSERT_NEAR(effective, 1.0, 1e-15) << tensor.name;
      } else {
        ASSERT_LT(std::abs(effective), bound) << tensor.name;
      }
      if (tensor.sign == Sign::non_negative) {
        ASSERT_GE(effective, 0.0) << tensor.name;
      }
      sum += effective;
      square += effective * effective;
    }
    if (tensor.role != TensorRole::weight) continue;
    // Mean 0 and variance bound^2 / 3 to five standard errors; the fourth moment of a uniform is bound^4 / 5.
    const double n = static_cast<double>(tensor.size());
    EXPECT_NEAR(sum / n, 0, 5 * bound / std::sqrt(3 * n)) << tensor.name;
    EXPECT_NEAR(square / n, bound * bound / 3, 5 * bound * bound * std::sqrt((1.0 / 5 - 1.0 / 9) / n))
        << tensor.name;
  }
}

TEST(Parameters, MonomialStartingValuesAreNormalWithDeviationOneHundredth) {
  for (const Sign sign : {Sign::non_negative, Sign::free}) {
    Architecture a = single_block({.context = 30, .values = 1, .classes = 0}, {2, 2, 2, 2}, {2, 2}, {2});
    a.lambda = sign;
    const ParameterLayout layout(a);
    const auto values = start<double>(a, 5);
    double square = 0, lambda_sum = 0;
    Index count = 0, lambdas = 0;
    for (const TensorInfo& tensor : layout.tensors()) {
      for (Index i = 0; i < tensor.size(); ++i) {
        const double raw = values[static_cast<std::size_t>(tensor.offset + i)];
        if (tensor.role == TensorRole::lambda) {
          const double effective = sign == Sign::non_negative ? softplus(raw) : raw;
          ASSERT_GT(effective, 0);
          ASSERT_LT(effective, 0.06);  // six standard deviations
          lambda_sum += effective;
          ++lambdas;
        } else {
          ASSERT_LT(std::abs(raw), 0.06);
          square += raw * raw;
          ++count;
        }
      }
    }
    const double n = static_cast<double>(count);
    EXPECT_NEAR(square / n, 1e-4, 5 * 1e-4 * std::sqrt(2 / n));
    EXPECT_EQ(lambdas, 7);
    EXPECT_GT(lambda_sum, 0);
  }
}

TEST(Parameters, TheSeedDecidesEverything) {
  const Architecture a = stacked({.context = 3, .values = 1, .classes = 0}, {4, 2});
  EXPECT_EQ(start<double>(a, 7), start<double>(a, 7));
  const auto one = start<double>(a, 7), other = start<double>(a, 8);
  const ParameterLayout layout(a);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role == TensorRole::lambda) continue;
    for (Index i = 0; i < tensor.size(); ++i) {
      const auto at = static_cast<std::size_t>(tensor.offset + i);
      EXPECT_NE(one[at], other[at]) << tensor.name;
    }
  }
  const auto narrow = start<float>(a, 7);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(narrow[i], static_cast<float>(one[i]));
}

}  // namespace
}  // namespace bl
