// What is known of the columns of a table before anyone says what they mean.
#pragma once

#include <vector>

#include "bl/data.hpp"
#include "data/table.hpp"

namespace bl {

std::vector<ColumnSummary> column_summaries(const Table& table);

}  // namespace bl
