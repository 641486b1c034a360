// Columns of the data as aggregates: what is typical, how far values reach, how they are spread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "features/encoder.hpp"

namespace bl {

// The value of a feature in one row.
struct Cell {
  double number = 0;        // of a number
  std::int32_t level = -1;  // of levels; -1: missing
  bool missing = false;
};

struct ColumnView {
  std::string name;
  bool is_number = true;               // else it has levels
  Cell typical = {};                   // median, or the most frequent level
  double low = 0, high = 1;            // quantiles 1% and 99% of a number
  bool whole = false;                  // all its values are whole numbers
  std::vector<double> histogram = {};  // of a number: shares in bins of equal width from low to high
  std::vector<double> places = {};     // of a number: where curves are evaluated, closer where rows are
  std::vector<std::string> levels = {};
  std::vector<double> shares = {};  // of levels
  double missing = 0;               // share of rows
};

// Of the features that the encoder reads. The histogram leaves out what lies beyond low and high.
std::vector<ColumnView> column_views(const Encoder& encoder, const Table& table,
                                     const std::vector<Index>& rows);
// Of numbers without a column.
ColumnView number_view(const std::string& name, std::vector<double> values, double missing);

// A row of the table as cells of the features; levels that the encoder does not know are missing.
std::vector<Cell> cells_of(const Encoder& encoder, const Table& table, Index row);
std::vector<Cell> typical_cells(const std::vector<ColumnView>& views);

// A column with these cells, one per row, as the encoder reads it.
Column column_of(const FeatureEncoding& feature, const std::vector<Cell>& cells);
// Rows of the feature columns alone.
Table feature_rows(const Encoder& encoder, const Table& table, const std::vector<Index>& rows);
// The same row `count` times.
Table repeated_row(const Encoder& encoder, const std::vector<Cell>& cells, Index count);
// All columns of some rows.
Table chosen_rows(const Table& table, const std::vector<Index>& rows);

// At most `most` of the rows, evenly spread.
std::vector<Index> thinned_rows(const std::vector<Index>& rows, std::size_t most);

}  // namespace bl
