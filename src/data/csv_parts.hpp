// One table from parts of several CSV files, whose columns are the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/row_reader.hpp"

namespace bl {

// Some records of one of the files.
struct FilePart {
  std::size_t file = 0;
  CsvPart part = {};
};

class CsvPartsReader {
 public:
  // DataError where a file is no CSV file. Options must outlive the reader.
  CsvPartsReader(std::vector<std::string> files, const ReadOptions& options);

  // The columns of the first file.
  const std::vector<ColumnPlan>& plans() const { return plans_; }
  // The rows of these parts, read by these plans. Where a column that looked numeric turns out to be text, not all rows
  // are in it, and it has revised plans. DataError where the columns of a file are others than those of the first.
  TableBuilder read(const std::vector<FilePart>& parts, const std::vector<ColumnPlan>& plans);
  // Of the last reading: what was met, and the row at which each part begins.
  const std::vector<CsvPassed>& passed() const { return passed_; }
  const std::vector<Index>& first_rows() const { return first_rows_; }

 private:
  void check_columns(const RowReader& reader, const std::string& file) const;

  std::vector<std::string> files_;
  const ReadOptions& options_;
  std::vector<ColumnPlan> plans_;
  CellRules rules_;
  std::vector<CsvPassed> passed_;
  std::vector<Index> first_rows_;
};

// Whole files one below the other. Lines are counted through all of them.
Table read_files(const std::vector<std::string>& files, const ReadOptions& options);

}  // namespace bl
