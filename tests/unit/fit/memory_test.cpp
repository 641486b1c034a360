// Work that needs more memory than there is ends before it is begun, and says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "choice/reading.hpp"
#include "choice/scores.hpp"
#include "fit/table_fit.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Data rows() {
  std::vector<double> x, id;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 80; ++i) {
    x.push_back(std::sin(1.3 * i));
    id.push_back(i / 4);
    y.emplace_back(std::sin(1.3 * i) + std::cos(2.9 * i) > 0 ? "a" : "b");
  }
  return Data::from_columns({{"x", x, {}}, {"id", id, {}}, {"y", {}, y}}, "memory");
}

// 9 terms of degree 3 in x and y, 2 blocks of 3 heads, 20 bytes for each coefficient.
TEST(Memory, ABasisThatIsTooLargeIsRefused) {
  Settings settings;
  for (const auto& [name, value] : {std::pair("target", "y"), std::pair("id", "id"), std::pair("degree", "3"),
                                    std::pair("layers", "2"), std::pair("epochs", "1")})
    set(settings, name, value);
  const Data data = rows();
  const auto fitted = [&](double memory) {
    return fit_table(data.impl().table, settings, {}, Context(1, {.memory = memory}));
  };
  EXPECT_THAT([&] { fitted(400); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("degree 3"), HasSubstr("GiB of 3.73e-07 GiB"))));
  EXPECT_EQ(fitted(1e9).epochs, 1);
}

// 20 persons, one random coefficient, 64 draws of 8 bytes.
TEST(Memory, DrawsThatAreTooManyAreRefused) {
  const auto declaration = ChoiceDeclaration::parse(
      "[data]\nlayout = \"wide\"\nchoice = \"y\"\nperson = \"id\"\n"
      "[[alternatives]]\nname = \"a\"\nattributes = { x = \"x\" }\n[[alternatives]]\nname = \"b\"\n"
      "[random]\nx = \"normal\"\n[draws]\ncount = 64\n",
      "memory");
  const Data data = rows();
  const Model fitted = fit(data, declaration, {}).model;
  const FittedModel& model = fitted.impl();
  const ChoiceData choices = read_for_estimates(model, data.impl().table, false);
  const auto scored = [&](double memory) {
    return score_choices(model, choices, Context(1, {.memory = memory}));
  };
  EXPECT_THAT([&] { scored(20 * 64 * 8 - 1); },
              ThrowsMessage<UsageError>(HasSubstr("64 draws of 1 coefficients for 20 persons would need")));
  EXPECT_EQ(scored(20 * 64 * 8).log_sum.size(), 80U);
}

}  // namespace
}  // namespace bl
