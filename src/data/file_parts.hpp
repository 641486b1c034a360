// Parts of CSV files that several ranks read, one each, and the lines that lie before them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bl/ranks.hpp"
#include "data/csv_parts.hpp"

namespace bl {

// The bytes of this rank, about as many as those of every other. Nothing where a file cannot be read from the
// middle on: packed files, other formats, standard input.
std::optional<std::vector<FilePart>> own_parts(const std::vector<std::string>& files, const Ranks& ranks);

// The slow way, where a line end may stand inside quotes or the line of an error is to be known: from the
// start of the files.
void read_from_start(std::vector<FilePart>& parts);

// Whether all ranks have read their parts. False where they are to do it once more, from the start of the
// files: one met quotes, or a failure, on its way straight to its parts. The DataError of the first
// otherwise. Together.
bool have_read(Ranks& ranks, const std::vector<FilePart>& parts, const std::vector<CsvPassed>& passed,
               const std::string& failure);

// The lines of files of which every rank has read its parts.
class FileLines {
 public:
  // Together.
  FileLines(std::size_t files, const std::vector<FilePart>& parts, const std::vector<CsvPassed>& passed,
            Ranks& ranks);
  // In the files before this one.
  std::int64_t before(std::size_t file) const;
  // Of a line of the file, as it was counted by this rank.
  std::int64_t settled(std::size_t file, std::int64_t line) const;

 private:
  std::size_t files_;
  std::size_t rank_;
  std::vector<std::int64_t> lines_;  // of each file, with each rank
};

}  // namespace bl
