// The types of columns, each in the file of its name.
#pragma once

#include "features/column_kind.hpp"

namespace bl::columns {

#define BL_DECLARE(value) const ColumnKind& value();
BL_COLUMN_TYPES(BL_DECLARE)
#undef BL_DECLARE

}  // namespace bl::columns
