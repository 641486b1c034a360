// Columns that a few cells keep from being numbers.
#pragma once

#include <string>
#include <vector>

#include "data/table.hpp"
#include "data/whole_column.hpp"
#include "features/schema.hpp"

namespace bl {

// A note for each feature or response that has levels although nearly all of its cells are numbers, with the
// first of the others and their lines. Columns in `declared` have levels on purpose.
std::vector<std::string> near_number_notes(const Table& table, const Schema& schema,
                                           const std::vector<std::string>& declared,
                                           const WholeColumn& whole = {});

}  // namespace bl
