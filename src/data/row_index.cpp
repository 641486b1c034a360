#include "data/row_index.hpp"

#include <algorithm>

#include "base/rank_gather.hpp"
#include "bl/errors.hpp"
#include "data/file_list.hpp"
#include "data/file_parts.hpp"

namespace bl {

namespace {

constexpr Index kRowsPerMark = 256;  // so many are passed over at most on the way to a row

}  // namespace

std::optional<RowIndex> RowIndex::of(const std::vector<std::string>& files, const ReadOptions& options,
                                     Ranks& ranks) {
  auto parts = own_parts(files, ranks);
  if (!parts) return std::nullopt;
  CsvPartsReader reader(files, options);
  std::vector<RowMark> own;
  Index own_count = 0;
  const auto count_rows = [&]() -> std::string {
    try {
      own = reader.marks(*parts, kRowsPerMark, own_count);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  if (!have_read(ranks, *parts, reader.passed(), count_rows())) {
    read_from_start(*parts);
    have_read(ranks, *parts, reader.passed(), count_rows());
  }
  const FileLines lines(files.size(), *parts, reader.passed(), ranks);
  const std::vector<Index> counts = gather_one(ranks, own_count);
  std::vector<Index> places = {0};  // of each rank's marks
  for (const Index count : gather_one(ranks, static_cast<Index>(own.size())))
    places.push_back(places.back() + count);
  RowIndex index;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (rank == ranks.rank())
      for (RowMark& mark : own) {
        mark.row += index.rows_;
        mark.line = lines.settled(mark.file, mark.line);
        mark.lines_before = lines.before(mark.file);
      }
    index.rows_ += counts[rank];
  }
  if (index.rows_ == 0) throw DataError(name_of_files(files) + ": there are column names but no rows");
  index.marks_.resize(static_cast<std::size_t>(places.back()));
  gather_values<RowMark>(ranks, own, places, index.marks_);
  return index;
}

const RowMark& RowIndex::mark(Index row) const {
  const auto behind = std::upper_bound(marks_.begin(), marks_.end(), row,
                                       [](Index at, const RowMark& mark) { return at < mark.row; });
  return *(behind - 1);
}

}  // namespace bl
