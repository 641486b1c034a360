// A feature in one table: its column, and where its numbers are written.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "data/table.hpp"
#include "features/encoding.hpp"
#include "features/levels.hpp"

namespace bl {

[[noreturn]] void fail_cell(const Table& table, Index row, const std::string& column,
                            const std::string& message);

struct FeatureSource {
  const Table* table;
  const EncodeOptions* options;
  const FeatureEncoding* feature;
  const Column* column;
  std::optional<LevelLookup> lookup = {};  // of levels
  Index first = 0;                         // its first encoded column
  Index indicator = -1;                    // that of missing values, where there is one

  // Whether the cell is missing; DataError where it may not be.
  bool missing(Index row) const;
  // The level of the cell; where it is missing, or not known, that which stands for it.
  std::int32_t level(Index row, bool& missing) const;
};

[[noreturn]] void fail_too_far(const Table& table, Index row, const std::string& column, double value);

// The encoded value, which has to be finite.
template <class T>
T checked(const Table& table, Index row, const std::string& column, double value, double encoded) {
  const T result = static_cast<T>(encoded);
  if (!std::isfinite(result)) fail_too_far(table, row, column, value);
  return result;
}

}  // namespace bl
