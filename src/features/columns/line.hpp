// What columns with a straight part have in common: numbers, and places of levels.
#pragma once

#include "features/column_kind.hpp"
#include "features/curve.hpp"

namespace bl {

// Mean, scale, and whether the values differ at all.
void standardize(const TrainingRows& training, std::span<const double> values, FeatureEncoding& out);

// Far values pulled in, where there are any.
void pull_in(const std::vector<double>& values, FeatureEncoding& out);

// Adds the bends where a curve is asked for and the values bear any. Beyond the outer knots the straight part
// of a number is constant as well.
void bend_as_asked(const TrainingRows& training, const std::vector<double>& values, FeatureEncoding& out);

// The straight part, then the bends.
void list_line(const FeatureEncoding& feature, std::size_t index, EncodedColumn::Kind kind,
               std::vector<EncodedColumn>& out);
template <class T>
void write_line(const FeatureSource& source, Index row, double value, T* out) {
  const FeatureEncoding& feature = *source.feature;
  const double straight = straight_part(feature, value);
  *out++ = checked<T>(*source.table, row, feature.name, value, straight);
  for (std::size_t j = 0; j < feature.bends.size(); ++j)
    *out++ = static_cast<T>(bend_value(feature, j, value, straight));
}

void store_line(const FeatureEncoding& feature, nlohmann::json& out);
void read_line(const JsonField& field, FeatureEncoding& out);

}  // namespace bl
