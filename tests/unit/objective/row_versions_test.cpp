#include "objective/row_versions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/agreement.hpp"

namespace bl::test {
namespace {

using ::testing::ElementsAre;

RowVersions<double> two_of_three_columns() {
  RowVersions<double> versions{
      .source = Matrix<std::int32_t>(2, 3), .offset = Matrix<double>(2, 3), .share = 0.4};
  const std::int32_t source[] = {2, 0, -1, 1, 1, 2};
  const double offset[] = {0, 10, 100, 0.5, 0, -1};
  std::copy_n(source, 6, versions.source.flat().begin());
  std::copy_n(offset, 6, versions.offset.flat().begin());
  return versions;
}

TEST(RowVersions, MoveColumnsAndAdd) {
  const auto versions = two_of_three_columns();
  const std::vector<double> row = {1, 2, 3};
  const auto written = [&](Index version) {
    std::vector<double> out(3, 99);
    versions.write(version, row.data(), out.data());
    return out;
  };
  EXPECT_THAT(written(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(written(1), ElementsAre(3, 11, 100));
  EXPECT_THAT(written(2), ElementsAre(2.5, 2, 2));
}

// 0.6, 0.2 and 0.2 of the rows, within four standard deviations; other epochs read other rows changed.
TEST(RowVersions, ComeInTheirSharesAndDifferByEpoch) {
  const auto versions = two_of_three_columns();
  constexpr int kRows = 10000;
  std::vector<int> count(3, 0);
  int same = 0;
  const RandomStream first(3, Purpose::score_noise, 0), second(3, Purpose::score_noise, 1);
  for (std::int64_t row = 0; row < kRows; ++row) {
    const Index version = versions.of(first, row);
    ++count[static_cast<std::size_t>(version)];
    same += version == versions.of(second, row) ? 1 : 0;
    EXPECT_EQ(version, versions.of(RandomStream(3, Purpose::shuffle, 0), row))
        << "the epoch and the seed alone count";
  }
  EXPECT_NEAR(count[0], 6000, 4 * 49);
  EXPECT_NEAR(count[1], 2000, 4 * 40);
  EXPECT_NEAR(count[2], 2000, 4 * 40);
  EXPECT_NEAR(same, 4400, 4 * 50);  // 0.36 + 0.04 + 0.04
}

// Learning from versions is learning from rows that were written so.
class LearnsFromVersions : public testing::TestWithParam<Index> {};

TEST_P(LearnsFromVersions, AsFromRowsWrittenSo) {
  const Index columns = GetParam();
  Architecture a;
  a.form = Form::vector;
  a.input = {.context = columns, .values = 0, .classes = 0};
  a.outputs = 3;
  a.layers = {{.blocks = 40}};
  a.readout.present = true;
  const Network<double> network(a);
  Problem<double> problem = random_problem<double>(Task::vector, a, 50, 4);
  std::vector<double> parameters(static_cast<std::size_t>(network.layout().size()));
  starting_values<double>(a, network.layout(), 8, parameters);
  const Noise noise{RandomStream(5, Purpose::score_noise, 3), 0.3, {}};
  const Objective<double> plain(network, problem.spec, problem.data());

  Problem<double> shifted = problem, written = problem;
  shifted.versions = random_versions<double>(columns);
  for (Index row = 0; row < problem.rows; ++row)
    shifted.versions->write(shifted.versions->of(noise.stream, row), problem.context.row(row),
                            written.context.row(row));
  const Objective<double> objective(network, shifted.spec, shifted.data()),
      truth(network, written.spec, written.data());
  EXPECT_EQ(objective.context_apart(50), columns > 50) << "one case for each way through the engine";
  const auto engine = make_engine<double>(Context(2));
  const Evaluation ours = evaluate<double>(*engine, objective, parameters, noise);
  const Evaluation expected = evaluate<double>(*engine, truth, parameters, noise);
  EXPECT_EQ(ours.sum.loss, expected.sum.loss);
  EXPECT_EQ(ours.gradient, expected.gradient);
  EXPECT_NE(ours.sum.loss, evaluate<double>(*engine, plain, parameters, noise).sum.loss);
  ReferenceEngine<double> reference(Context(1));
  const Evaluation loops = evaluate<double>(reference, objective, parameters, noise);
  EXPECT_NEAR(loops.sum.loss, ours.sum.loss, 1e-12 * std::abs(ours.sum.loss));
  for (std::size_t i = 0; i < loops.gradient.size(); ++i)
    EXPECT_NEAR(loops.gradient[i], ours.gradient[i], 1e-12 * (1 + largest(loops.gradient)));
}

INSTANTIATE_TEST_SUITE_P(Columns, LearnsFromVersions, testing::Values<Index>(6, 600));

}  // namespace
}  // namespace bl::test
