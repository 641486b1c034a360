// Choices by the levels of a column of the person or the situation.
#pragma once

#include <string>
#include <vector>

#include "features/choice_data.hpp"

namespace bl {

struct ChoiceLevel {
  std::string text;
  Table rows;
  std::size_t situations = 0;
};

// Each level with the rows that have it, of those that the filter keeps: numbers in ascending order, texts in
// that of the file. UsageError where there are more than 50, DataError where the column is missing in a row
// or differs between lines of a situation.
std::vector<ChoiceLevel> by_level(const Table& table, const ChoiceSchema& schema, const std::string& column);

}  // namespace bl
