// Parts of the report that have answers of their own: errors by resampling, ticks, texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "economics/typical.hpp"
#include "report/chart.hpp"
#include "report/chart_axes.hpp"
#include "report/html.hpp"
#include "report/quality.hpp"

namespace bl::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The error of a mean of n zeros and ones is sqrt(p (1 - p) / n); of whole groups of 10 equal rows, sqrt(10)
// as large.
TEST(ResampledErrors, AreThoseOfAMean) {
  constexpr std::size_t kRows = 1000, kGroup = 10;
  std::vector<double> hit(kRows);
  std::vector<std::int32_t> groups(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    groups[i] = static_cast<std::int32_t>(i / kGroup);
    hit[i] = groups[i] % 4 == 0 ? 1 : 0;
  }
  const auto mean = [&](std::span<const double> weights) -> std::vector<Metric> {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double w = weights.empty() ? 1 : weights[i];
      sum += w * hit[i];
      total += w;
    }
    return {{"accuracy", sum / total}};
  };
  const double error = std::sqrt(0.25 * 0.75 / kRows);
  const auto by_row = resampled_errors(kRows, {}, {}, mean),
             by_group = resampled_errors(kRows, {}, groups, mean);
  EXPECT_DOUBLE_EQ(by_row[0].metric.value, 0.25);
  // A standard deviation of 100 draws has a relative error of 7%; 4 of them are allowed.
  EXPECT_NEAR(by_row[0].error / error, 1, 0.28);
  EXPECT_NEAR(by_group[0].error / (std::sqrt(10.0) * error), 1, 0.28);
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_THAT(ticks(0, 1, 4), ElementsAre(0, 0.5, 1));
  EXPECT_THAT(ticks(-3, 17, 5), ElementsAre(0, 5, 10, 15));
  for (const double at : ticks(187, 711, 5)) EXPECT_TRUE(at >= 187 && at <= 711);
  EXPECT_EQ(ticks(2, 2, 4).size(), 1U);
}

TEST(Numbers, AreRoundedForPeople) {
  EXPECT_EQ(number(-0.123456), "−0.1235");
  EXPECT_EQ(number(48842), "48842");
  EXPECT_EQ(number(std::nan("")), "–");
  EXPECT_EQ(with_error(0.868012, 0.0033), "0.8680 ± 0.0033");
  EXPECT_EQ(with_error(-12.3456, 1.2), "−12.3 ± 1.2");
  EXPECT_EQ(percent(0.12345), "12.3%");
}

TEST(Charts, EscapeNames) {
  const std::string hostile = "<script>\"'&";
  const std::string bars = bar_chart({.title = hostile, .bars = {{.label = hostile, .value = 1}}});
  const std::string lines = line_chart(
      {.title = hostile, .x_label = hostile, .y_label = hostile, .lines = {{hostile, {0, 1}, {0, 1}}}});
  for (const std::string& picture : {bars, lines, legend({hostile, hostile})}) {
    EXPECT_THAT(picture, Not(HasSubstr("<script>")));
    EXPECT_THAT(picture, HasSubstr("&lt;script&gt;&quot;&apos;&amp;"));
  }
}

TEST(ColumnView, HoldsQuantilesAndSharesOfANumber) {
  std::vector<double> values(101);
  std::iota(values.begin(), values.end(), 0.0);
  const ColumnView view = number_view("x", values, 0.5);
  EXPECT_EQ(view.typical.number, 50);
  EXPECT_EQ(view.low, 1);
  EXPECT_EQ(view.high, 99);
  EXPECT_TRUE(view.whole);
  EXPECT_NEAR(std::accumulate(view.histogram.begin(), view.histogram.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(view.places.front(), 1);
  EXPECT_EQ(view.places.back(), 99);
}

TEST(ColumnView, IsWidenedWhereValuesAreAlike) {
  const ColumnView view = number_view("x", {3, 3, 3}, 0);
  EXPECT_LT(view.low, view.high);
}

TEST(ThinnedRows, AreEvenlySpread) {
  std::vector<Index> rows(10);
  std::iota(rows.begin(), rows.end(), Index{0});
  EXPECT_THAT(thinned_rows(rows, 5), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_EQ(thinned_rows(rows, 20), rows);
}

}  // namespace
}  // namespace bl::report
