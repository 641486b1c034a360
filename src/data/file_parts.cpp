#include "data/file_parts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <numeric>

#include "base/rank_gather.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"

namespace bl {

namespace {

// Of each file; nothing where one cannot be read from the middle on.
std::optional<std::vector<std::uint64_t>> sizes_of(const std::vector<std::string>& files) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& file : files) {
    struct stat status {};
    if (file == "-" || ::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !is_csv(file) ||
        is_packed(file))
      return std::nullopt;
    sizes.push_back(static_cast<std::uint64_t>(status.st_size));
  }
  return sizes;
}

}  // namespace

std::optional<std::vector<FilePart>> own_parts(const std::vector<std::string>& files, const Ranks& ranks) {
  const auto sizes = sizes_of(files);
  if (!sizes) return std::nullopt;
  const std::uint64_t total = std::accumulate(sizes->begin(), sizes->end(), std::uint64_t{0});
  const auto cut = [&](std::size_t rank) {
    return total / ranks.size() * rank + total % ranks.size() * rank / ranks.size();
  };
  const std::uint64_t begin = cut(ranks.rank()), end = cut(ranks.rank() + 1);
  std::vector<FilePart> parts;
  std::uint64_t at = 0;
  for (std::size_t file = 0; file < sizes->size(); at += (*sizes)[file++]) {
    if (at >= end || at + (*sizes)[file] <= begin) continue;
    CsvPart part;
    part.from = std::max(begin, at) - at;
    if (end < at + (*sizes)[file]) part.to = end - at;
    parts.push_back({file, part});
  }
  return parts;
}

void read_from_start(std::vector<FilePart>& parts) {
  for (FilePart& one : parts) one.part.seek = false;
}

bool have_read(Ranks& ranks, const std::vector<FilePart>& parts, const std::vector<CsvPassed>& passed,
               const std::string& failure) {
  const bool seeking =
      std::any_of(parts.begin(), parts.end(), [](const FilePart& one) { return one.part.seek; });
  const bool quotes =
      std::any_of(passed.begin(), passed.end(), [](const CsvPassed& one) { return one.quotes; });
  const std::vector<std::uint8_t> again =
      gather_one<std::uint8_t>(ranks, seeking && (quotes || !failure.empty()));
  if (std::any_of(again.begin(), again.end(), [](std::uint8_t one) { return one != 0; })) return false;
  for (const std::string& text : gather_texts(ranks, failure))
    if (!text.empty()) throw DataError(text);
  return true;
}

FileLines::FileLines(std::size_t files, const std::vector<FilePart>& parts,
                     const std::vector<CsvPassed>& passed, Ranks& ranks)
    : files_(files), rank_(ranks.rank()), lines_(files * ranks.size(), 0) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const CsvPart& part = parts[i].part;
    const bool from_start = part.from == 0 || !part.seek, to_end = part.to == CsvPart{}.to;
    if (part.seek || to_end)
      lines_[rank_ * files_ + parts[i].file] = passed[i].end_line - (from_start ? 1 : kSomewhere);
  }
  ranks.all_gather(std::as_writable_bytes(std::span(lines_)),
                   std::vector<std::size_t>(ranks.size(), files_ * sizeof(std::int64_t)));
}

std::int64_t FileLines::before(std::size_t file) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (i % files_ < file) count += lines_[i];
  return count;
}

std::int64_t FileLines::settled(std::size_t file, std::int64_t line) const {
  if (line < kSomewhere) return line;
  std::int64_t first = 1;
  for (std::size_t rank = 0; rank < rank_; ++rank) first += lines_[rank * files_ + file];
  return line - kSomewhere + first;
}

}  // namespace bl
