// A summary is taken under the objective that was minimised.
#include <gtest/gtest.h>

#include <cmath>

#include "bl/fit.hpp"
#include "bl/inference.hpp"

namespace bl {
namespace {

// A third of the responses are one value, so the normaliser of training has a node there.
Data repeated_rows() {
  std::vector<double> x, y;
  for (int i = 0; i < 120; ++i) {
    x.push_back(std::sin(1.3 * i));
    y.push_back(i % 3 == 0 ? 0.5 : x.back() + 0.7 * std::cos(2.9 * i * i));
  }
  return Data::from_columns({{"x", x, {}}, {"y", y, {}}}, "memory");
}

TEST(SameObjective, AResponseThatRepeatsAValue) {
  Settings settings;
  for (const auto& [name, value] :
       {std::pair("target", "y"), std::pair("continuous", "y"), std::pair("single", "true"),
        std::pair("utility", "identity"), std::pair("heads", "1,0,0"), std::pair("starts", "2"),
        std::pair("panels", "4"), std::pair("fractions", "1:0:0")})
    set(settings, name, value);
  const Data data = repeated_rows();
  const Model model = fit(data, settings).model;
  ASSERT_TRUE(has_inference(model));
  const double kept = stored_inference(model, {}).log_likelihood;
  const double again = infer(model, data, {}).summary.log_likelihood;
  // The minimum is the same one; what the search leaves is of second order in its tolerance.
  EXPECT_NEAR(again, kept, 1e-6 * std::abs(kept));
}

}  // namespace
}  // namespace bl
