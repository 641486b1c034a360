// Splits delimited text into records and cells, block by block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace bl {

// Records end at LF, CR LF or CR. A cell whose first character is a quote runs to the closing quote and may
// hold delimiters, line ends and doubled quotes; a quote further inside is an ordinary character. Spaces
// around cells are dropped, those inside quotes kept. DataError for a quote that is never closed, text behind
// a closing quote, zero bytes, and records above 64 MiB.
class CsvRecords {
 public:
  // The input goes on with byte `offset` of the file, on line `line`.
  CsvRecords(Input& input, char delimiter, std::uint64_t offset = 0, std::int64_t line = 1);

  // Moves behind the next line end; what stands before it is no record. The line after it counts as the
  // first.
  void skip_line();

  // Moves to the next record; false at the end. Cells are valid until the next call.
  bool next();
  std::span<const std::string_view> cells() const { return cells_; }
  // The record is a line without any cell.
  bool blank() const { return cells_.size() == 1 && cells_[0].empty() && !bounds_[0].quoted; }
  // The line on which the record starts, from 1.
  std::int64_t line() const { return line_; }
  // The byte of the file on which it starts.
  std::uint64_t offset() const { return offset_; }
  // The line after the last record, and the byte.
  std::int64_t next_line() const { return next_line_; }
  std::uint64_t next_offset() const { return buffer_offset_ + start_; }
  // Whether a cell so far was quoted: only then can a line end stand inside a record.
  bool quotes_seen() const { return quotes_seen_; }

 private:
  struct Bounds {
    std::size_t begin;
    std::size_t end;
    bool quoted;
    bool doubled;  // holds doubled quotes
  };
  enum class Scan { complete, needs_more };

  Scan scan_record();
  Scan scan_quoted(std::size_t& at, std::int64_t& line);
  Scan scan_plain(std::size_t& at);
  Scan scan_line_end(std::size_t& at) const;
  void skip_spaces(std::size_t& at) const;
  void refill();
  void cut_cells();
  [[noreturn]] void fail(std::int64_t line, const std::string& message) const;

  Input& input_;
  char delimiter_;
  std::array<bool, 256> ends_plain_{};  // characters at which a cell without quotes may end
  std::vector<char> buffer_;  // bytes start_ ... end_ are still to be read; a zero byte follows them
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  bool at_end_of_input_ = false;
  std::vector<Bounds> bounds_;
  std::vector<std::string_view> cells_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::uint64_t buffer_offset_ = 0;  // of the first byte in the buffer
  std::uint64_t offset_ = 0;
  bool quotes_seen_ = false;
};

// Which of tab, semicolon and comma separates the cells of these first lines: the first of them that gives
// every line the same number of cells, more than one; failing that the most frequent one in the first line.
// With a decimal comma the comma is out of the question.
char find_delimiter(std::string_view first_lines, bool decimal_comma);

}  // namespace bl
