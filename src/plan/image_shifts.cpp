#include "plan/image_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantile.hpp"
#include "bl/errors.hpp"
#include "features/column_kind.hpp"

namespace bl {

namespace {

constexpr std::array<std::pair<Index, Index>, 8> kShifts = {
    {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};
// Of the images of an epoch. Where all are shifted, accuracy falls (docs/reproduction/high_dimensions.md).
constexpr double kShifted = 4.0 / 9;

// The pixel that stands where this one is after the shift.
Index shifted_pixel(Index pixel, const ImageShape& shape, const std::pair<Index, Index>& shift) {
  const Index row = std::clamp<Index>(pixel / shape.width + shift.first, 0, shape.height - 1);
  const Index column = std::clamp<Index>(pixel % shape.width + shift.second, 0, shape.width - 1);
  return row * shape.width + column;
}

// The value of a pixel that is constant in the rows the encoder was fitted to; none for other pixels that are
// no features.
std::optional<double> constant_value(const Encoder& encoder, const Table& table, Index pixel,
                                     std::span<const Index> train) {
  const std::string name = "pixel_" + std::to_string(pixel);
  const auto& constant = encoder.report().constant;
  const Column* column = table.find(name);
  if (!column || std::find(constant.begin(), constant.end(), name) == constant.end()) return std::nullopt;
  std::vector<double> values;
  for (const Index row : train)
    if (!column->missing(row)) values.push_back(column->numbers[static_cast<std::size_t>(row)]);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);  // rows that the encoder was not fitted to may differ
}

// Encoded values are (pixel - mean) / scale, and the scale is that of all pixels.
bool reads_plain_pixels(const Encoder& encoder) {
  const auto& features = encoder.features();
  return std::all_of(features.begin(), features.end(), [&](const FeatureEncoding& f) {
    return pixel_of(f.name) >= 0 && facts(f.type).number() && f.has_value && !f.has_indicator &&
           f.pull.from.empty() && f.bends.size() == 0 && f.scale == features[0].scale;
  });
}

}  // namespace

bool plans_shifts(const Settings& settings, const Table& table, const Encoder& encoder, bool wide) {
  const bool possible = wide && table.image && reads_plain_pixels(encoder);
  if (settings.shifts == "pixel" && !possible)
    throw UsageError(
        "`shifts` = 'pixel' is for classes of images (IDX, NumPy or PNG files) of more than 256 pixels that "
        "are plain "
        "numbers, without `curves` and missing values, and for 2000 training rows or more");
  return possible && settings.shifts != "none";
}

std::string not_shifted_note(const Settings& settings, const Table& table, const Encoder& encoder,
                             bool wide) {
  const auto& features = encoder.features();
  const auto gap = std::find_if(features.begin(), features.end(),
                                [](const FeatureEncoding& f) { return f.has_indicator; });
  if (settings.shifts != "auto" || !wide || !table.image || gap == features.end()) return "";
  return fmt::format(
      "images are learned as they are and not shifted by a pixel, too, because pixels are missing, as in "
      "'{}'; "
      "fill them in to have both",
      gap->name);
}

template <class T>
RowVersions<T> image_shifts(const Encoder& encoder, const Table& table, std::span<const Index> train) {
  const auto& features = encoder.features();
  const auto columns = static_cast<Index>(features.size());
  const auto pixels = static_cast<std::size_t>(table.image->height * table.image->width);
  std::vector<std::int32_t> column_of(pixels, -1);
  for (std::size_t j = 0; j < features.size(); ++j)
    column_of[static_cast<std::size_t>(pixel_of(features[j].name))] = static_cast<std::int32_t>(j);
  std::vector<std::optional<double>> constant(pixels);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel)
    if (column_of[pixel] < 0)
      constant[pixel] = constant_value(encoder, table, static_cast<Index>(pixel), train);
  RowVersions<T> versions{.source = Matrix<std::int32_t>(static_cast<Index>(kShifts.size()), columns),
                          .offset = Matrix<T>(static_cast<Index>(kShifts.size()), columns),
                          .share = kShifted};
  for (std::size_t s = 0; s < kShifts.size(); ++s)
    for (Index j = 0; j < columns; ++j) {
      const FeatureEncoding& here = features[static_cast<std::size_t>(j)];
      const auto pixel =
          static_cast<std::size_t>(shifted_pixel(pixel_of(here.name), *table.image, kShifts[s]));
      std::int32_t from = column_of[pixel];
      if (from < 0 && !constant[pixel]) from = static_cast<std::int32_t>(j);  // a pixel that is not read
      const double mean = from < 0 ? *constant[pixel] : features[static_cast<std::size_t>(from)].mean;
      versions.source(static_cast<Index>(s), j) = from;
      versions.offset(static_cast<Index>(s), j) = static_cast<T>((mean - here.mean) / here.scale);
    }
  return versions;
}

template RowVersions<float> image_shifts(const Encoder&, const Table&, std::span<const Index>);
template RowVersions<double> image_shifts(const Encoder&, const Table&, std::span<const Index>);

}  // namespace bl
