#include "features/column_kind.hpp"

#include "features/columns/kinds.hpp"

namespace bl {

const ColumnKind& kind_of(ColumnType type) {
  switch (type) {
#define BL_KIND(value)    \
  case ColumnType::value: \
    return columns::value();
    BL_COLUMN_TYPES(BL_KIND)
#undef BL_KIND
  }
  __builtin_unreachable();
}

}  // namespace bl
