// Linear utilities, where the public interface does not reach.
#include "choice/linear.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

ChoiceData random_choices(std::size_t situations) {
  const RandomStream random(4, Purpose::test);
  ChoiceData data;
  data.alternatives = {"a", "b", "c"};
  data.begin = {0};
  for (std::size_t i = 0; i < situations; ++i) {
    for (std::int32_t j = 0; j < 3; ++j) data.classes.push_back(j);
    data.begin.push_back(static_cast<std::int64_t>(data.classes.size()));
    data.chosen.push_back(static_cast<std::int32_t>(random.below(3, 1, i)));
  }
  data.attributes.resize(static_cast<Index>(data.classes.size()), 2);
  for (std::size_t k = 0; k < data.attributes.flat().size(); ++k)
    data.attributes.flat()[k] = random.normal(2, k);
  return data;
}

TEST(ChoiceLinear, AFitThatWasStoppedGoesOnToTheSameBits) {
  const ChoiceData data = random_choices(200);
  const std::vector<LinearTerm> terms = {
      {"constant[b]", -1, 1, 0}, {"constant[c]", -1, 2, 0}, {"x", 0, -1, -1}, {"y", 1, -1, 0}};
  const test::TemporaryFolder folder;
  const Settings settings;
  Checkpoint<double> none("", "data", "settings");
  const LinearFit whole = fit_linear(terms, data, settings, false, none, Context(1));
  ASSERT_TRUE(whole.converged());
  ASSERT_GT(whole.report.epochs, 6);

  Checkpoint<double> checkpoint(folder.file("fit.checkpoint"), "data", "settings", 0);
  int asked = 0;
  const Context stopped(1, {.should_stop = [&] { return ++asked == 4; }});
  const LinearFit part = fit_linear(terms, data, settings, false, checkpoint, stopped);
  EXPECT_TRUE(part.report.reason == StopReason::interrupted);
  EXPECT_EQ(part.report.epochs, 4);
  std::int64_t further = 0;
  const Context counting(3, {.should_stop = [&] { return ++further < 0; }});
  const LinearFit rest = fit_linear(terms, data, settings, true, checkpoint, counting);
  EXPECT_EQ(rest.coefficients, whole.coefficients);
  EXPECT_EQ(rest.report.epochs, whole.report.epochs);
  EXPECT_EQ(further, whole.report.epochs - 4);
  EXPECT_LE(whole.coefficients[2], 0);
}

}  // namespace
}  // namespace bl
