// Weights of a block that run away are flagged, and those that do not are left alone.
#include <gmock/gmock.h>

#include <cmath>

#include "base/random.hpp"
#include "bl/inference.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using namespace test;
using ChoiceRidge = ChoiceFixture;

// Choices between a and b by an attribute from -2 to 2, through `utility`.
template <class Utility>
std::string choices(const Utility& utility) {
  const RandomStream random(5, Purpose::test);
  std::string csv = "y,xa,xb\n";
  for (std::uint64_t i = 0; i < 600; ++i) {
    const double a = 4 * random.uniform(1, i) - 2, b = 4 * random.uniform(2, i) - 2;
    const bool first = random.uniform(3, i) < 1 / (1 + std::exp(utility(b) - utility(a)));
    csv += std::string(first ? "a," : "b,") + std::to_string(a) + "," + std::to_string(b) + "\n";
  }
  return csv;
}

TEST_F(ChoiceRidge, AWeightWithoutBoundIsFlaggedAndOneWithABoundIsNot) {
  const std::string schema =
      file("s.toml",
           "[data]\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\nattributes = { x = "
           "\"xa\" }\n[[alternatives]]\nname = \"b\"\nattributes = { x = \"xb\" }\n"
           "[utility]\nform = \"network\"\n");
  Settings settings;
  for (const auto& [name, value] :
       {std::pair("identifiable", "true"), std::pair("single", "true"), std::pair("heads", "1,0,0"),
        std::pair("degree", "1"), std::pair("starts", "4"), std::pair("fractions", "1:0:0")})
    set(settings, name, value);
  const auto lambda_of = [&](const FitSummary& fit) {
    for (const EstimatedParameter& one : stored_inference(fit.model).estimates)
      if (one.name == "U.lambda") return one;
    ADD_FAILURE() << "no lambda";
    return EstimatedParameter{};
  };
  const FitSummary bends =
      fit_choice(data(choices([](double x) { return 2.5 * std::tanh(1.5 * x); })), schema, settings);
  EXPECT_EQ(lambda_of(bends).state, "");
  EXPECT_GT(lambda_of(bends).standard_error, 0);
  const FitSummary straight = fit_choice(data(choices([](double x) { return 0.7 * x; })), schema, settings);
  ASSERT_FALSE(straight.notes.empty());
  EXPECT_THAT(straight.notes.back(), ::testing::HasSubstr("runs away"));
  if (!has_inference(straight.model)) return;  // the ridge has no end at all
  EXPECT_EQ(lambda_of(straight).state, "runs away");
  EXPECT_TRUE(std::isnan(lambda_of(straight).standard_error));
  EXPECT_EQ(stored_inference(straight.model).notes.back(), straight.notes.back());
}

}  // namespace
}  // namespace bl
