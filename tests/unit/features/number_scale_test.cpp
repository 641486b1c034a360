#include "features/number_scale.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "features/json_fields.hpp"

namespace bl {
namespace {

constexpr NumberPolicy kAutomatic = {NumberPolicy::Transform::automatic, true};

std::vector<double> values_of(std::size_t rows, double (*value)(double z, double u)) {
  const RandomStream random(3, Purpose::test);
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(value(random.normal(1, i), random.uniform(2, i)));
  return values;
}

NumberScale chosen(double (*value)(double z, double u)) {
  return choose_number_scale(values_of(1000, value), kAutomatic, "y");
}

TEST(NumberScale, ChosenByTheShapeOfTheValues) {
  EXPECT_TRUE(chosen([](double z, double) { return 3 + 2 * z; }).plain());
  EXPECT_TRUE(chosen([](double, double u) { return u; }).plain());
  EXPECT_TRUE(chosen([](double z, double u) { return (u < 0.5 ? -3 : 3) + z; }).plain());
  EXPECT_EQ(chosen([](double z, double) { return std::exp(z); }).transform, ResponseTransform::log);
  EXPECT_EQ(chosen([](double, double u) { return std::tan(3.14159 * (u - 0.5)); }).transform,
            ResponseTransform::asinh);
  const NumberScale zeros = chosen([](double z, double u) { return u < 0.3 ? 0 : std::exp(z); });
  EXPECT_EQ(zeros.transform, ResponseTransform::log);
  ASSERT_EQ(zeros.masses.size(), 1U);
  EXPECT_EQ(zeros.masses[0].value, 0);
  const NumberScale cap = chosen([](double z, double) { return std::min(z, 0.8); });
  ASSERT_EQ(cap.masses.size(), 1U);
  EXPECT_EQ(cap.masses[0].value, 0.8);
  EXPECT_EQ(cap.masses[0].place, 0.8);
  const NumberScale counts = chosen([](double z, double) { return std::floor(std::exp(1 + 0.5 * z)); });
  EXPECT_TRUE(counts.whole_numbers);
  EXPECT_EQ(counts.masses.front().value, 0);
}

TEST(NumberScale, OneOutlierDoesNotSetTheScale) {
  auto values = values_of(1000, [](double z, double) { return z; });
  values[7] = 1e6;
  const NumberScale scale = choose_number_scale(values, kAutomatic, "y");
  EXPECT_EQ(scale.transform, ResponseTransform::asinh);
  EXPECT_LT(scale.place(1e6), 20);
  EXPECT_NEAR(scale.unit, 1, 0.1);                                      // standard normal but for one
  EXPECT_EQ(std::stod(fmt::format("{:.3g}", scale.unit)), scale.unit);  // people read it
}

// Places ascend with the response and lead back to it; slots stand apart from everything else.
TEST(NumberScale, PlacesLeadBackToTheirResponses) {
  const std::vector<NumberScale> scales = {
      {},
      {.transform = ResponseTransform::log, .location = -0.5, .masses = {}},
      {.transform = ResponseTransform::asinh, .location = 2, .unit = 3, .masses = {}},
      {.transform = ResponseTransform::log, .masses = {{0, -6, 2}}},
      {.masses = {{0, 0, 1.5}, {5, 5, 0.5}}}};
  for (const NumberScale& scale : scales) {
    double before = -1e300;
    for (const double y : {0.0, 0.01, 0.7, 2.0, 4.999, 5.0, 5.001, 80.0}) {
      if (y == 0 && scale.transform == ResponseTransform::log && scale.location == 0 && scale.masses.empty())
        continue;
      const double place = scale.place(y);
      EXPECT_GT(place, before);
      EXPECT_NEAR(scale.response(place), y, 1e-12 * (1 + y));
      before = place;
      const double step = 1e-5,
                   slope = (scale.response(place + step) - scale.response(place - step)) / (2 * step);
      EXPECT_NEAR(std::exp(scale.log_slope(place)), slope, 1e-6 * (1 + slope));
    }
  }
}

TEST(NumberScale, WholeNumbersAreSlotsSideBySide) {
  const NumberScale scale = chosen([](double z, double) { return std::floor(std::exp(1 + 0.8 * z)); });
  ASSERT_TRUE(scale.whole_numbers);
  const auto slots = scale.slots();
  for (std::size_t k = 0; k + 1 < slots.size(); ++k) {
    EXPECT_NEAR(slots[k].upper, slots[k + 1].lower, 1e-12);
    EXPECT_EQ(slots[k + 1].value, slots[k].value + 1);
    EXPECT_EQ(scale.response(scale.place(slots[k].value)), slots[k].value);
  }
}

TEST(NumberScale, IsReadAsItWasWritten) {
  const NumberScale scale{.transform = ResponseTransform::asinh,
                          .location = 0.1,
                          .unit = 1.0 / 3,
                          .masses = {{0, -0.25, 0.7}, {4, 2.5, 1.0 / 7}}};
  const nlohmann::json json = scale.to_json();
  EXPECT_EQ(NumberScale::from_json(JsonField(json, "number")), scale);
  for (const auto& [field, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"unit", 0}, {"transform", "root"}, {"point_masses", {{1, 2}}}, {"point_masses", {{1, 2, -1}}}}) {
    nlohmann::json spoilt = json;
    spoilt[field] = value;
    EXPECT_THROW(NumberScale::from_json(JsonField(spoilt, "number")), ModelFileError);
  }
}

TEST(NumberScale, SaysWhatItIs) {
  EXPECT_EQ((NumberScale{.transform = ResponseTransform::log, .masses = {}}).name("price"), "log(price)");
  EXPECT_EQ((NumberScale{.transform = ResponseTransform::log, .location = -0.5, .masses = {}}).name("price"),
            "log(price + 0.5)");
  EXPECT_EQ(
      (NumberScale{.transform = ResponseTransform::asinh, .location = 2, .unit = 3, .masses = {}}).name("y"),
      "asinh((y - 2) / 3)");
  EXPECT_EQ(NumberScale{}.note("y"), "");
}

TEST(NumberScale, LogOfNegativeValuesIsRefused) {
  EXPECT_THROW(choose_number_scale(values_of(100, [](double z, double) { return z; }),
                                   {NumberPolicy::Transform::log, true}, "y"),
               DataError);
}

}  // namespace
}  // namespace bl
