#include "plan/image_shifts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "features/schema.hpp"

namespace bl {
namespace {

constexpr ImageShape kShape{3, 4};
constexpr Index kImages = 20;

// Images of random pixels, one of which is always 7.
Table images(std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Table table{.source = "images", .columns = {}, .lines = {}, .rows = kImages, .image = kShape};
  for (Index pixel = 0; pixel < kShape.height * kShape.width; ++pixel) {
    Column column;
    column.name = "pixel_" + std::to_string(pixel);
    column.raw = RawType::numeric;
    for (Index i = 0; i < kImages; ++i)
      column.numbers.push_back(pixel == 5
                                   ? 7.0
                                   : static_cast<double>(random.below(256, static_cast<std::uint64_t>(i),
                                                                      static_cast<std::uint64_t>(pixel))));
    table.columns.push_back(column);
  }
  return table;
}

// The image of a row, moved by hand: what stands at (r, c) is what stood at (r + down, c + right), or at the
// border. Where a pixel that is not read would come in, the pixel stays as it is.
Table moved(Table table, Index row, Index down, Index right, Index ignored) {
  const Table before = table;
  for (Column& column : table.columns) {
    const Index pixel = pixel_of(column.name);
    const Index r = std::min(std::max<Index>(pixel / kShape.width + down, 0), kShape.height - 1);
    const Index c = std::min(std::max<Index>(pixel % kShape.width + right, 0), kShape.width - 1);
    const Column* from = before.find("pixel_" + std::to_string(r * kShape.width + c));
    if (r * kShape.width + c != ignored)
      column.numbers[static_cast<std::size_t>(row)] = from->numbers[static_cast<std::size_t>(row)];
  }
  return table;
}

Encoder encoder_of(const Table& table, Index ignored = -1) {
  RoleOptions roles;
  if (ignored >= 0) roles.ignore = {"pixel_" + std::to_string(ignored)};
  return Encoder::fit(table, infer_schema(table, roles), {.missing = MissingPolicy::impute},
                      all_rows(table.rows), Context(1));
}

void expect_shifts_are_those_of_the_pixels(const Table& table, Index ignored = -1) {
  const Encoder encoder = encoder_of(table, ignored);
  const std::vector<Index> rows = all_rows(table.rows);
  const auto versions = image_shifts<double>(encoder, table, rows);
  ASSERT_EQ(versions.count(), 9);
  const auto encoded = encoder.encode_features<double>(table, rows);
  std::vector<double> out(static_cast<std::size_t>(encoded.cols()));
  Index version = 0;
  for (Index down = -1; down <= 1; ++down)
    for (Index right = -1; right <= 1; ++right) {
      if (down == 0 && right == 0) continue;
      ++version;
      for (Index row = 0; row < table.rows; ++row) {
        versions.write(version, encoded.row(row), out.data());
        const auto truth = encoder.encode_features<double>(moved(table, row, down, right, ignored), rows);
        for (Index j = 0; j < encoded.cols(); ++j)
          EXPECT_NEAR(out[static_cast<std::size_t>(j)], truth(row, j), 1e-14);
      }
    }
}

TEST(ImageShifts, AreThoseOfThePixels) {
  expect_shifts_are_those_of_the_pixels(images(1));
}

TEST(ImageShifts, LeaveOutIgnoredPixels) {
  expect_shifts_are_those_of_the_pixels(images(2), 6);
}

// Pixels less their own means, over the standard deviation of all of them.
TEST(ImageShifts, PixelsShareTheirScaleAlone) {
  const Table table = images(4);
  double sum = 0, squares = 0;
  const Encoder encoder = encoder_of(table);
  for (const FeatureEncoding& f : encoder.features()) {
    double own = 0;
    for (const double value : table.column(f.name).numbers) {
      own += value / static_cast<double>(kImages);
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(f.mean, own, 1e-12 * own);
  }
  const auto count = static_cast<double>(kImages) * static_cast<double>(encoder.features().size());
  const double scale = std::sqrt(squares / count - sum / count * (sum / count));
  for (const FeatureEncoding& f : encoder.features()) EXPECT_NEAR(f.scale, scale, 1e-12 * scale);
}

TEST(ImageShifts, AreForWideImagesAlone) {
  Table table = images(3);
  const Encoder encoder = encoder_of(table);
  EXPECT_TRUE(plans_shifts({}, table, encoder, true));
  EXPECT_FALSE(plans_shifts({}, table, encoder, false));
  Settings none;
  none.shifts = "none";
  EXPECT_FALSE(plans_shifts(none, table, encoder, true));
  Settings asked;
  asked.shifts = "pixel";
  EXPECT_TRUE(plans_shifts(asked, table, encoder, true));
  EXPECT_THROW(plans_shifts(asked, table, encoder, false), UsageError);
  table.image.reset();
  EXPECT_THROW(plans_shifts(asked, table, encoder, true), UsageError);
  EXPECT_FALSE(plans_shifts({}, table, encoder, true));
}

TEST(ImageShifts, MissingPixelsKeepImagesAsTheyAreAndANoteSaysSo) {
  const Table whole = images(3);
  EXPECT_EQ(not_shifted_note({}, whole, encoder_of(whole), true), "");
  Table table = whole;
  table.columns[6].numbers[2] = std::numeric_limits<double>::quiet_NaN();
  const Encoder encoder = encoder_of(table);
  EXPECT_FALSE(plans_shifts({}, table, encoder, true));
  EXPECT_NE(not_shifted_note({}, table, encoder, true).find("pixel_6"), std::string::npos);
  EXPECT_EQ(not_shifted_note({}, table, encoder, false), "");
  Settings none;
  none.shifts = "none";
  EXPECT_EQ(not_shifted_note(none, table, encoder, true), "");
  table.image.reset();
  EXPECT_EQ(not_shifted_note({}, table, encoder, true), "");
}

}  // namespace
}  // namespace bl
