// Classes taught by another model: the loss over the spread rows is the cross-entropy to the mixed targets.
#include <gtest/gtest.h>

#include <cmath>

#include "data/read_table.hpp"
#include "features/schema.hpp"
#include "fitted/part_data.hpp"

namespace bl {
namespace {

constexpr double kSingle = 1e-6;  // of numbers of order one in single precision

PartData<float> three_rows() {
  const Table table = read_table_from_memory("x,y\n1,a\n2,b\n3,c\n", "t.csv");
  RoleOptions roles;
  roles.targets = {"y"};
  const std::vector<Index> rows = {0, 1, 2};
  const Encoder encoder = Encoder::fit(table, infer_schema(table, roles), {}, rows, Context(1));
  return PartData<float>(encoder, ResponseSpace(encoder), table, rows, false);
}

TEST(Guidance, SpreadsWeightOverClasses) {
  PartData<float> part = three_rows();
  part.encoded.features = Matrix<float>(3, 2);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 2; ++j) part.encoded.features(i, j) = static_cast<float>(10 * i + j);
  part.classes = {0, 1, 2};
  part.weights = {1, 2, 4};
  Matrix<double> log_p(3, 3);
  const double p[3][3] = {{0.5, 0.3, 0.2}, {0.1, 0.9, 0}, {0.6, 0.399, 0.001}};
  for (Index i = 0; i < 3; ++i)
    for (Index k = 0; k < 3; ++k) log_p(i, k) = std::log(p[i][k]);
  spread_classes(part, log_p, 0.5);

  // Half by the probabilities, half with the row's own class; what is below a hundredth goes to the
  // likeliest.
  const double expected[3][3] = {
      {0.75, 0.15, 0.1}, {2 * 0.05, 2 * 0.95, 0}, {4 * 0.3, 4 * 0.1995, 4 * 0.5005}};
  double found[3][3] = {};
  ASSERT_EQ(part.encoded.features.rows(), 8);
  ASSERT_EQ(part.view().rows, 8);
  for (Index i = 0; i < 8; ++i) {
    const auto from = static_cast<int>(part.encoded.features(i, 0)) / 10;
    EXPECT_EQ(part.encoded.features(i, 1), static_cast<float>(10 * from + 1));
    found[from][part.classes[static_cast<std::size_t>(i)]] += part.weights[static_cast<std::size_t>(i)];
  }
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[i][k], expected[i][k], 4 * kSingle) << i << " " << k;
}

TEST(Guidance, ACertainTeacherLeavesTheClasses) {
  PartData<float> part = three_rows();
  part.encoded.features = Matrix<float>(1, 1);
  part.encoded.features(0, 0) = 1;
  part.classes = {1};
  Matrix<double> log_p(1, 2);
  log_p(0, 0) = std::log(0.001);
  log_p(0, 1) = std::log(0.999);
  spread_classes(part, log_p, 1);
  EXPECT_EQ(part.classes, (std::vector<std::int32_t>{1}));
  EXPECT_NEAR(part.weights[0], 1, kSingle);
}

}  // namespace
}  // namespace bl
