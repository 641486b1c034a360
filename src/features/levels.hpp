// Levels of nominal and ordinal columns: their order, and the look-up of a table's cells among them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/table.hpp"

namespace bl {

inline constexpr std::int32_t kUnseenCode = -2;  // a value that is none of the levels

// By value if all of them are numbers, otherwise by their bytes.
void sort_levels(std::vector<std::string>& levels);

// The distinct values of the given rows, sorted; numbers in their shortest exact spelling.
std::vector<std::string> distinct_levels(const Column& column, std::span<const Index> rows);

// Maps every cell of one column to its index among the levels. The column must outlive the look-up.
class LevelLookup {
 public:
  LevelLookup(const Column& column, std::span<const std::string> levels);

  // An index into the levels, kMissingCode or kUnseenCode.
  std::int32_t operator()(Index row) const;

 private:
  const Column* column_;
  std::vector<std::int32_t> of_text_code_;
  std::unordered_map<double, std::int32_t> of_number_;
};

}  // namespace bl
