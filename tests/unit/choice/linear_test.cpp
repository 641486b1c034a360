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
  Settings settings;
  settings.threads = 1;
  Checkpoint<double> none("", "data", "settings");
  const LinearFit whole = fit_linear(terms, data, settings, {}, none);
  ASSERT_TRUE(whole.converged);
  ASSERT_GT(whole.iterations, 6);

  Checkpoint<double> checkpoint(folder.file("fit.checkpoint"), "data", "settings", 0);
  int asked = 0;
  FitOptions stopped;
  stopped.should_stop = [&] { return ++asked == 4; };
  const LinearFit part = fit_linear(terms, data, settings, stopped, checkpoint);
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.iterations, 4);
  FitOptions resumed;
  resumed.resume = true;
  std::int64_t further = 0;
  resumed.should_stop = [&] {
    ++further;
    return false;
  };
  settings.threads = 3;
  const LinearFit rest = fit_linear(terms, data, settings, resumed, checkpoint);
  EXPECT_EQ(rest.coefficients, whole.coefficients);
  EXPECT_EQ(rest.iterations, whole.iterations);
  EXPECT_EQ(further, whole.iterations - 4);
  EXPECT_LE(whole.coefficients[2], 0);
}

}  // namespace
}  // namespace bl
