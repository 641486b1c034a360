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

// Where a row lies.
struct RowMark {
  std::int64_t row = 0;                     // of all files
  std::uint64_t file = 0, offset = 0;       // and the byte on which its record starts
  std::int64_t line = 1, lines_before = 0;  // of the file, and of the files before it
};

class CsvPartsReader {
 public:
  // DataError where a file is no CSV file. Options must outlive the reader.
  CsvPartsReader(std::vector<std::string> files, const ReadOptions& options);

  // The columns of the first file.
  const std::vector<ColumnPlan>& plans() const { return plans_; }
  // The rows of these parts, read by these plans. Where a column that looked numeric turns out to be text,
  // not all rows are in it, and it has revised plans. DataError where the columns of a file are others than
  // those of the first.
  TableBuilder read(const std::vector<FilePart>& parts, const std::vector<ColumnPlan>& plans);
  // Where every `every`th row of these parts lies, and how many rows there are; what is in them is not looked
  // at.
  std::vector<RowMark> marks(const std::vector<FilePart>& parts, Index every, Index& rows);
  // The rows of one part alone. DataError as above.
  std::unique_ptr<RowReader> open(const FilePart& part, CsvPassed& passed) const;
  CellRules cell_rules() const { return rules_; }
  const std::vector<std::string>& files() const { return files_; }
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
// The same row by row, from this one on.
std::unique_ptr<RowReader> open_files(const std::vector<std::string>& files, const ReadOptions& options,
                                      const RowMark& from = {});

}  // namespace bl
