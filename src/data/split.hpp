// Cutting rows into training, validation and test parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace bl {

enum class SplitKind {
  random,
  stratified,  // every class keeps its share in each part, and a training row wherever rows suffice
  group,       // all rows of a group stay together
  order,       // first rows train, last rows test
};

struct SplitOptions {
  SplitKind kind = SplitKind::random;
  std::array<double, 3> fractions = {0.7, 0.1, 0.2};  // training, validation, test; need not sum to 1
  std::uint64_t seed = 0;
};

struct Split {
  std::vector<Index> train;  // rows in ascending order
  std::vector<Index> validation;
  std::vector<Index> test;
};

// Pure function of its arguments. labels holds a code from 0 per row: the class for stratified splits, the
// group for splits by group, nothing otherwise (category_codes makes them). Parts follow the fractions as
// closely as whole rows and groups allow; a part with a positive fraction is never empty. DataError when
// there are fewer rows (or groups) than parts, UsageError for fractions that are negative, not finite, or
// give no training rows.
Split split_rows(Index rows, const SplitOptions& options, std::span<const std::int32_t> labels = {});

}  // namespace bl
