// Where a fit is computed, and that what a GPU does not compute is said: in words with `auto`, as an error
// with `cuda`.
#include "plan/device_plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

struct Work {
  const char* what;
  Architecture architecture;
  ObjectiveSpec objective;
  const char* reason;  // empty: a GPU computes it
};

std::vector<Work> works() {
  const Architecture numbers = stacked({.context = 2, .values = 1, .classes = 0}, {3}),
                     classes = stacked({.context = 2, .values = 0, .classes = 3}, {3, 2}),
                     deep = stacked({.context = 2, .values = 0, .classes = 3}, std::vector<Index>(17, 2));
  ObjectiveSpec exact, smoothed, score, hybrid, nodes;
  exact.exact = ExactResponse{.lower = 0, .upper = 1};
  smoothed.label_smoothing = 0.1;
  score.kind = ObjectiveKind::score_matching;
  score.draws = 4;
  hybrid.kind = ObjectiveKind::hybrid;
  nodes.rule = composite_rule({{0}, {1}}, 1);
  return {{"exact likelihood", numbers, exact, "exact likelihood"},
          {"many layers", deep, {}, "more than 16 layers, here 17"},
          {"classes", classes, {}, ""},
          {"label smoothing", classes, smoothed, ""},
          {"score matching", numbers, score, ""},
          {"hybrid", stacked({.context = 1, .values = 1, .classes = 2}, {3}), hybrid, ""},
          {"quadrature", numbers, nodes, ""}};
}

TEST(DevicePlan, SaysWhatTheProcessorAloneComputes) {
  for (const Work& work : works()) {
    SCOPED_TRACE(work.what);
    const std::string why = cuda::why_processor_only(work.architecture, work.objective);
    EXPECT_EQ(why.empty(), std::string(work.reason).empty());
    EXPECT_THAT(why, HasSubstr(work.reason));
    if (why.empty()) continue;
    const auto plan = [&](const char* device) {
      return plan_device(device, 1e9, work.architecture, work.objective);
    };
    EXPECT_EQ(plan("auto").device.kind, Device::Kind::cpu);
    EXPECT_THAT(plan("auto").note, StartsWith("computed on the processor"));
    try {
      plan("cuda");
      ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(work.reason));
      EXPECT_THAT(error.what(), HasSubstr("`device` = cpu"));
    }
  }
}

TEST(DevicePlan, TheProcessorIsTakenWithoutAWordWhereItIsAskedFor) {
  const DeviceChoice choice = plan_device("cpu", 1e9, "");
  EXPECT_EQ(choice.device.kind, Device::Kind::cpu);
  EXPECT_EQ(choice.note, "");
}

TEST(DevicePlan, WithoutAGpuAutoSaysSoAndCudaIsAnError) {
  if (!cuda::devices().empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT(plan_device("auto", 1e9, "").note, HasSubstr(cuda::why_none()));
  EXPECT_THROW(plan_device("cuda", 1e9, ""), UsageError);
}

TEST(DevicePlan, RefusesNamesOfNoDeviceAndPrecisionsWithoutOne) {
  EXPECT_THROW(plan_device("gpu", 1, ""), UsageError);
  Settings s;
  for (const char* precision : {"tf32", "bf16"}) {
    s.precision = precision;
    EXPECT_THAT([&] { plan_device(s, 1, stacked({.context = 1, .values = 0, .classes = 2}, {1}), {}); },
                ThrowsMessage<UsageError>(HasSubstr(fmt::format("`precision` = {} needs a GPU", precision))));
  }
}

}  // namespace
}  // namespace bl
