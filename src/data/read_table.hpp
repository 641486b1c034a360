// Tables from files: CSV and TSV, ARFF, IDX images and labels, NumPy's arrays, each plain or gzip, or
// standard input ("-"); folders of PNG images. The format is inferred from the content, and from the
// extension where content cannot tell.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/read_options.hpp"
#include "data/table.hpp"

namespace bl {

// The whole file; column types are decided on all rows. A pattern (data/file_list.hpp) stands for several
// files. DataError names file, line, column and value.
Table read_table(const std::string& path, const ReadOptions& options = {});

// Whether a file is read as CSV; whether it is packed. DataError where it cannot be opened.
bool is_csv(const std::string& path);
bool is_packed(const std::string& path);

// The same for bytes in memory; name stands for the file in messages and for its extension.
Table read_table_from_memory(std::string_view bytes, const std::string& name,
                             const ReadOptions& options = {});

class RowReader;
class TableBuilder;
struct RowMark;

// A file in blocks, for files larger than memory. Only the columns in options.types are read, each with the
// type given there (Schema::raw_types has those of a model); rows keep the line numbers of the file.
class TableReader {
 public:
  TableReader(const std::string& path, ReadOptions options);
  // Several CSV files one below the other.
  TableReader(const std::vector<std::string>& files, ReadOptions options);
  // CSV files from this row on.
  TableReader(const std::vector<std::string>& files, ReadOptions options, const RowMark& from);
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  // All columns of the file, also those that are left out.
  const std::vector<std::string>& names() const { return names_; }
  // At most max_rows further rows; nothing at the end. A file without any row is a DataError.
  std::optional<Table> next(Index max_rows);
  // Passes over so many rows.
  void skip(Index rows);

 private:
  void open_alone(const std::string& path);
  void make_builder();

  std::unique_ptr<ReadOptions> options_;  // readers refer to it
  std::unique_ptr<RowReader> rows_;
  std::unique_ptr<TableBuilder> builder_;
  std::vector<std::string> names_;
  std::string source_;
  bool any_row_ = false;
};

}  // namespace bl
