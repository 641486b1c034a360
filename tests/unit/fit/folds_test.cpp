#include "fit/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/read_table.hpp"
#include "gibbs/utility.hpp"
#include "plan/table_plan.hpp"

namespace bl {
namespace {

// One abs head without an effect of x: exp(-rate |y - middle|) on a wide interval.
struct LaplaceMembers {
  Table table;
  Settings settings;
  Encoder encoder;
  ResponseSpace space;
  Split split;
  Architecture architecture;
  Network<double> network;
  Support support{{-60}, {60}};

  LaplaceMembers()
      : table(read_table_from_memory(rows(), "t.csv")),
        settings([] {
          Settings s;
          s.target = "y";
          return s;
        }()),
        encoder(Encoder::fit(table, plan_schema(table, settings), {}, all_rows(table.rows), Context(1))),
        space(encoder),
        architecture([] {
          Architecture a = stacked({.context = 1, .values = 1, .classes = 0}, {1});
          a.activations = {Activation::clip, Activation::relu, Activation::abs};
          a.layers[0].degrees = {{{}, {}, {1}}};
          return a;
        }()),
        network(architecture) {
    for (Index i = 0; i < table.rows; ++i) (i % 5 == 0 ? split.validation : split.train).push_back(i);
  }

  static std::string rows() {
    std::string text = "x,y\n";
    for (int i = 0; i < 60; ++i)
      text += std::to_string(std::cos(i)) + "," + std::to_string(3 * std::sin(2.7 * i) + 0.01 * i) + "\n";
    return text;
  }
  std::vector<double> parameters(double bias) const {
    const ParameterLayout layout(architecture);
    std::vector<double> out(static_cast<std::size_t>(layout.size()), 0.3);
    for (const TensorInfo& tensor : layout.tensors())
      for (Index i = 0; i < tensor.size(); ++i) {
        const bool of_x = tensor.role == TensorRole::weight && i % tensor.cols == 0;
        double& value = out[static_cast<std::size_t>(tensor.offset + i)];
        if (of_x) value = 0;
        if (tensor.role == TensorRole::bias) value = bias;
      }
    return out;
  }
  double utility(const std::vector<double>& at, double y) const {
    const gibbs::Utility u(architecture, at, 1, support);
    Matrix<double> x(1, 1), v(1, 1), out(1, 1);
    x(0, 0) = 0;
    v(0, 0) = y;
    u.utilities(x.view(), v.view(), out.view());
    return out(0, 0);
  }
  FoldRows<double> folds(Index count) const {
    ObjectiveSpec spec;
    spec.exact = ExactResponse{.lower = -60, .upper = 60};
    return FoldRows<double>(network, spec, {encoder, space, table}, split,
                            plan_folds(table, encoder.schema(), settings, split.train, count));
  }
};

// Of a Laplace distribution the most likely scale is the mean distance from its middle.
TEST(Folds, TheTemperatureIsThatOfALaplaceDistributionInClosedForm) {
  const LaplaceMembers m;
  const Context job(2);
  for (const double bias : {0.0, 0.2}) {
    const std::vector<double> parameters = m.parameters(bias);
    const double rate = std::abs(m.utility(parameters, 40) - m.utility(parameters, 39));
    const double middle = -bias / 0.3;
    const Matrix<double> values = m.encoder.encode<double>(m.table, m.split.train).continuous;
    double distance = 0;
    for (Index i = 0; i < values.rows(); ++i)
      distance += std::abs(values(i, 0) - middle) / static_cast<double>(values.rows());
    TrainedMembers learned;
    for (std::size_t k = 0; k < 8; ++k) {
      learned.parameters.push_back(parameters);
      learned.kept.push_back(k);
    }
    const double scale = rate * distance;
    for (auto& one : learned.parameters) scale_utility(m.architecture, 1.7 / scale, one);
    // The search ends in an interval of 0.8% of the temperature.
    EXPECT_NEAR(m.folds(8).temperature(m.architecture, learned, job), 1.7, 0.008 * 1.7);
    // Two members of a fold are joined, and are one and the same here.
    EXPECT_NEAR(m.folds(4).temperature(m.architecture, learned, job), 1.7, 0.008 * 1.7);
  }
}

TEST(Folds, AMemberLearnsFromAllButItsFoldAndIsJudgedByItAndTheValidationRows) {
  const LaplaceMembers m;
  const FoldRows<double> folds = m.folds(8);
  const auto rows = folds.of_members(8);
  ASSERT_EQ(rows.size(), 8U);
  const auto train = static_cast<Index>(m.split.train.size());
  const auto validation = static_cast<Index>(m.split.validation.size());
  Index left_out = 0;
  for (const MemberRows<double>& one : rows) {
    left_out += train - one.training->data().rows;
    EXPECT_EQ(one.validation->data().rows, train - one.training->data().rows + validation);
  }
  EXPECT_EQ(left_out, train);
  EXPECT_TRUE(folds.weighty());
}

TEST(Folds, TheLowestPointOfAParabolaIsItsVertex) {
  EXPECT_NEAR(lowest_point(-1, 3, 40, [](double x) { return (x - 0.7) * (x - 0.7); }), 0.7, 1e-7);
}

}  // namespace
}  // namespace bl
