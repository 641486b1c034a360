// Every engine against the plain loops of the reference engine, over the product of objectives, bases, skips
// and activations, in both precisions.
#include "support/agreement.hpp"

namespace bl::test {
namespace {

class EnginesAgree : public testing::TestWithParam<Task> {};

TEST_P(EnginesAgree, OnEveryActivationBasisAndSkip) {
  const Task task = GetParam();
  Sides sides;
  double in_double = 0, in_float = 0;
  for_each_variant(task, [&](const Variant& variant) {
    const Network<double> network(architecture_of(task, variant));
    const auto drawn = draw(task, variant, network, task == Task::density_2d ? 2 : 4, sides);
    ASSERT_TRUE(drawn) << "no draw without a head near a kink";
    expect_agreement<double>(task, *drawn, *make_engine<double>(Context(2)), in_double);
    expect_agreement<float>(task, *drawn, *make_engine<float>(Context(2)), in_float);
  });
  RecordProperty("roundings_double", std::to_string(in_double));
  RecordProperty("roundings_float", std::to_string(in_float));
}

INSTANTIATE_TEST_SUITE_P(Objective, EnginesAgree, testing::ValuesIn(kTasks),
                         [](const auto& task) { return name(task.param); });
INSTANTIATE_TEST_SUITE_P(Normaliser, EnginesAgree, testing::Values(Task::density_exact),
                         [](const auto& task) { return name(task.param); });

}  // namespace
}  // namespace bl::test
