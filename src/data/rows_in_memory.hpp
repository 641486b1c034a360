// Rows that every rank has in memory as one table. All ranks make these calls at the same time.
#pragma once

#include <memory>

#include "data/shared_table.hpp"

namespace bl {

// The rows of all ranks follow each other in the order of the ranks. DataError where their columns differ.
SharedTable shared_table(Table own, std::shared_ptr<Ranks> ranks);

// Levels of a text column in order of first appearance among all rows: those of the first rank, then what the
// second adds, and so on.
void join_levels(Column& column, Ranks& ranks);

}  // namespace bl
