// A table whose rows lie with several ranks: a run of neighbouring rows with each. All ranks make the calls
// that say so at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bl/ranks.hpp"
#include "data/read_options.hpp"
#include "data/whole_column.hpp"

namespace bl {

struct SharedTable {
  Table own;                  // this rank's rows; the levels of text columns are those of all rows
  std::vector<Index> begins;  // where the rows of each rank begin; last, how many rows there are
  LineNumbers lines;          // of all rows
  std::shared_ptr<Ranks> ranks;

  Index rows() const { return begins.back(); }
  Index first() const { return begins[ranks->rank()]; }

  // Names, types and levels of all columns, without cells; source, rows and lines are those of all.
  Table head() const;
  // A column of `own` (or of `head`, by its name) with the cells of all rows, for all ranks. Together.
  Column whole(const std::string& name) const;
  WholeColumn whole_columns() const;
  // All rows, for all ranks. Together.
  Table gathered() const;
  // Of these rows, in ascending order, how many lie with the ranks before each; last, how many there are.
  std::vector<std::int64_t> held(std::span<const Index> rows) const;
  // Those that lie here, counted from this rank's first.
  std::vector<Index> own_rows(std::span<const Index> rows) const;
};

// The rows of CSV files, in shares of about equal size. Nothing where they cannot be read in parts: packed
// files, other formats, standard input. Together.
std::optional<SharedTable> read_shared_table(const std::vector<std::string>& files,
                                             const ReadOptions& options, std::shared_ptr<Ranks> ranks);

// That of the same rows in one table. Together.
std::string table_digest(const SharedTable& table);

}  // namespace bl
