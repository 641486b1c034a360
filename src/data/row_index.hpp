// Where the rows of CSV files lie, so that several ranks can read any of them without those before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bl/ranks.hpp"
#include "data/csv_parts.hpp"

namespace bl {

class RowIndex {
 public:
  // Every rank counts the rows in its part of the files. Nothing where they cannot be read in parts
  // (own_parts). DataError where there is no row. Together.
  static std::optional<RowIndex> of(const std::vector<std::string>& files, const ReadOptions& options,
                                    Ranks& ranks);

  Index rows() const { return rows_; }
  // The last one known that is not behind the row.
  const RowMark& mark(Index row) const;

 private:
  std::vector<RowMark> marks_;
  Index rows_ = 0;
};

}  // namespace bl
