// A column with the cells of all rows, where a table's rows lie with several ranks.
#pragma once

#include <functional>

#include "data/table.hpp"

namespace bl {

// Valid until the next call. Empty: columns are whole already.
using WholeColumn = std::function<const Column&(const Column&)>;

inline const Column& whole_column(const WholeColumn& whole, const Column& column) {
  return whole ? whole(column) : column;
}

}  // namespace bl
