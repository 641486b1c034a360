// Where a GPU keeps parameters and intermediates: known without a GPU.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "bl/errors.hpp"
#include "engine/cuda/plan.hpp"
#include "support/random_problem.hpp"

namespace bl::cuda {
namespace {

PlannedModel planned(const Architecture& a, PlanUse use) {
  ObjectiveSpec spec;
  const Source source = source_of(a, {}, false);
  return plan_model(a, ParameterLayout(a), spec, source, source == Source::outputs ? 1 : 3, use);
}

std::vector<Architecture> architectures() {
  Architecture scalar = stacked({.context = 5, .values = 0, .classes = 3}, {4, 3, 2});
  Architecture dense = scalar, residual = scalar;
  dense.skip = Skip::dense;
  residual.skip = Skip::residual;
  return {scalar, dense, residual, stacked_vector({.context = 7, .values = 0, .classes = 0}, {6}, 4),
          single_block({.context = 2, .values = 0, .classes = 3}, {2}, {1, 3}, {2})};
}

TEST(CudaPlan, EveryParameterHasAPlaceOfItsOwnAndThePaddingIsNotLearned) {
  for (const Architecture& a : architectures()) {
    const ParameterLayout layout(a);
    for (const PlanUse use : {PlanUse{}, PlanUse{.split = true}, PlanUse{.split = true, .apart = true}}) {
      const PlannedModel model = planned(a, use);
      const std::set<std::int32_t> places(model.place.begin(), model.place.end());
      ASSERT_EQ(places.size(), static_cast<std::size_t>(layout.size()));
      EXPECT_GE(*places.begin(), 0);
      EXPECT_LT(*places.rbegin(), model.plan.parameters);
      EXPECT_EQ(model.slots.size(), static_cast<std::size_t>(model.plan.parameters));
      Index free = 0;
      for (const Slot& slot : model.slots) free += slot.free;
      EXPECT_EQ(free, layout.free_count());
      for (const TensorInfo& tensor : layout.tensors())
        for (Index i = tensor.offset; i < tensor.offset + tensor.size(); ++i)
          EXPECT_EQ(model.slots[static_cast<std::size_t>(model.place[static_cast<std::size_t>(i)])].raw,
                    tensor.sign == Sign::non_negative)
              << tensor.name;
      EXPECT_EQ(model.plan.resident % 4, 0);
      EXPECT_EQ(model.plan.resident == model.plan.parameters, !use.apart || model.plan.row_terms == 0);
    }
  }
}

TEST(CudaPlan, TheOrderOfParametersIsTheSameForBothWaysOfRunning) {
  for (const Architecture& a : architectures())
    EXPECT_EQ(planned(a, {.split = true, .apart = true}).place, planned(a, {.split = true}).place);
}

TEST(CudaPlan, RowsBeginInDifferentBanks) {
  for (int n = 1; n < 200; ++n) {
    EXPECT_GE(padded(n), n);
    EXPECT_EQ(padded(n) % 8, 4);
  }
}

// Sigma comes with the noise and the rule with the rows; what is exact is refused.
TEST(CudaPlan, EveryNumberOfAnObjectiveIsInThePlan) {
  const Architecture a = stacked({.context = 2, .values = 1, .classes = 3}, {4, 3});
  const auto plan_of = [&](const ObjectiveSpec& spec) {
    return plan_model(a, ParameterLayout(a), spec, Source::classes, 3, {}).plan;
  };
  const std::vector<std::function<void(ObjectiveSpec&)>> changes = {
      [](ObjectiveSpec& s) { s.kind = ObjectiveKind::hybrid; },
      [](ObjectiveSpec& s) { s.temperature = 2; },
      [](ObjectiveSpec& s) { s.draws = 5; },
      [](ObjectiveSpec& s) { s.label_smoothing = 0.1; },
      [](ObjectiveSpec& s) { s.gamma_discrete = 0.5; },
      [](ObjectiveSpec& s) { s.gamma_continuous = 0.5; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ObjectiveSpec spec;
    changes[i](spec);
    EXPECT_FALSE(plan_of(spec) == plan_of({})) << "change " << i;
  }
}

TEST(CudaPlan, SaysWhatItDoesNotCompute) {
  Architecture deep = stacked({.context = 2, .values = 0, .classes = 3}, std::vector<Index>(17, 2));
  EXPECT_THROW(planned(deep, {}), UsageError);
}

}  // namespace
}  // namespace bl::cuda
