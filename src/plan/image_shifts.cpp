#include "plan/image_shifts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace bl {

namespace {

constexpr std::array<std::pair<Index, Index>, 8> kShifts = {
    {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};
// Of the images of an epoch. More of them cost accuracy on small items, fewer bring less (docs/reproduction/high_dimensions.md).
constexpr double kShifted = 4.0 / 9;

// The pixel that stands where this one is after the shift.
Index shifted_pixel(Index pixel, const ImageShape& shape, const std::pair<Index, Index>& shift) {
  const Index row = std::clamp<Index>(pixel / shape.width + shift.first, 0, shape.height - 1);
  const Index column = std::clamp<Index>(pixel % shape.width + shift.second, 0, shape.width - 1);
  return row * shape.width + column;
}

}  // namespace

bool plans_shifts(const Settings& settings, const Table& table, const Encoder& encoder, bool wide) {
  const auto plain = [](const FeatureEncoding& f) {
    return pixel_of(f.name) >= 0 && f.type == ColumnType::continuous && f.has_value && !f.has_indicator &&
           f.pull.from.empty() && f.bends.size() == 0;
  };
  const auto& features = encoder.features();
  return wide && settings.shifts == "auto" && table.image &&
         std::all_of(features.begin(), features.end(), plain);
}

template <class T>
RowVersions<T> image_shifts(const Encoder& encoder, const Table& table, std::span<const Index> train) {
  const auto& features = encoder.features();
  const auto columns = static_cast<Index>(features.size());
  std::vector<std::int32_t> column_of(static_cast<std::size_t>(table.image->height * table.image->width), -1);
  for (std::size_t j = 0; j < features.size(); ++j)
    column_of[static_cast<std::size_t>(pixel_of(features[j].name))] = static_cast<std::int32_t>(j);
  RowVersions<T> versions{.source = Matrix<std::int32_t>(static_cast<Index>(kShifts.size()), columns),
                          .offset = Matrix<T>(static_cast<Index>(kShifts.size()), columns),
                          .share = kShifted};
  for (std::size_t s = 0; s < kShifts.size(); ++s)
    for (Index j = 0; j < columns; ++j) {
      const FeatureEncoding& here = features[static_cast<std::size_t>(j)];
      const Index pixel = shifted_pixel(pixel_of(here.name), *table.image, kShifts[s]);
      std::int32_t from = column_of[static_cast<std::size_t>(pixel)];
      const Column* constant = from < 0 ? table.find("pixel_" + std::to_string(pixel)) : nullptr;
      if (from < 0 && !constant) from = static_cast<std::int32_t>(j);  // a pixel that is ignored
      // Encoded values are (pixel - mean) / scale, and the scale is that of all pixels.
      const double mean = constant ? constant->numbers[static_cast<std::size_t>(train[0])]
                                   : features[static_cast<std::size_t>(from)].mean;
      versions.source(static_cast<Index>(s), j) = from;
      versions.offset(static_cast<Index>(s), j) = static_cast<T>((mean - here.mean) / here.scale);
    }
  return versions;
}

template RowVersions<float> image_shifts(const Encoder&, const Table&, std::span<const Index>);
template RowVersions<double> image_shifts(const Encoder&, const Table&, std::span<const Index>);

}  // namespace bl
