// What the readers of all formats have in common: named columns, rows in order, and a way to start again.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "data/byte_source.hpp"
#include "data/column_builder.hpp"
#include "data/read_options.hpp"

namespace bl {

class RowReader {
 public:
  virtual ~RowReader() = default;
  // All columns of the file in order, with declared types where options or the file declare them.
  virtual std::vector<ColumnPlan> plans(ColumnPlan::Reading undeclared) const = 0;
  virtual CellRules cell_rules() const = 0;
  // Adds at most max_rows rows; fewer only at the end of the file.
  virtual void read(Index max_rows, TableBuilder& out) = 0;
  // Back to the first row.
  virtual void rewind() = 0;
  // Of rows that are images.
  virtual std::optional<ImageShape> image() const { return std::nullopt; }
};

// Lines counted from here on stand somewhere in the middle of a file; where is known later.
inline constexpr std::int64_t kSomewhere = std::int64_t{1} << 40;

// The records of a file that start from byte `from` on and before byte `to`.
struct CsvPart {
  std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();
  // Goes straight to `from`, where no record has a line end inside quotes, and counts lines from kSomewhere
  // on; otherwise reads from the start of the file.
  bool seek = true;
  // Where it is known that a record starts on byte `from`: on this line. Goes straight there, whatever was
  // quoted before.
  std::int64_t line = 0;
};

// How far a reader has come, and what it has met.
struct CsvPassed {
  std::int64_t end_line = 0;  // the first line behind what was read
  std::uint64_t offset = 0;   // the byte on which it starts
  bool quotes = false;
};

// Each reads the column names at once and throws a DataError when there are none. Options must outlive the
// reader.
std::unique_ptr<RowReader> open_csv(Input input, const ReadOptions& options);
std::unique_ptr<RowReader> open_csv_part(Input input, const ReadOptions& options, const CsvPart& part,
                                         CsvPassed& passed);
std::unique_ptr<RowReader> open_arff(Input input, const ReadOptions& options);
// Images or labels alone; with labels, they become the last column of the images.
std::unique_ptr<RowReader> open_idx(Input input, const ReadOptions& options);
std::unique_ptr<RowReader> open_idx(Input images, Input labels, const ReadOptions& options);
// The same for arrays of NumPy.
std::unique_ptr<RowReader> open_npy(Input input, const ReadOptions& options);
std::unique_ptr<RowReader> open_npy(Input items, Input labels, const ReadOptions& options);
// PNG images in a folder, or in folders named by their labels inside it.
std::unique_ptr<RowReader> open_png_folder(const std::string& folder, const ReadOptions& options);

}  // namespace bl
