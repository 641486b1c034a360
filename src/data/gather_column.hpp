// A column of rows that lie with several ranks, gathered into memory that is used again: blocks of this size
// that come and go would break up the heap.
#pragma once

#include <string>

#include "data/shared_table.hpp"

namespace bl {

// `into` becomes SharedTable::whole(name); its storage stays where it is large enough. Together.
void gather_column(const SharedTable& table, const std::string& name, Column& into);

}  // namespace bl
