// category_codes (data/table.hpp) of some of a table's rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace bl {

// One code for each of these rows. A missing value among them is a DataError that names its line.
std::vector<std::int32_t> category_codes(const Table& table, const Column& column,
                                         std::span<const Index> rows);

}  // namespace bl
