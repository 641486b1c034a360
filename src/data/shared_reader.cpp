// Each rank reads the records that start in its part of the bytes of all files. What only all rows can tell, the types and
// levels of columns and the numbers of lines, is settled together.
#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rank_gather.hpp"
#include "bl/errors.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/read_table.hpp"
#include "data/shared_table.hpp"

namespace bl {

namespace {

using Held = TableBuilder::Held;
using Reading = ColumnPlan::Reading;

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

std::vector<FilePart> own_parts(const std::vector<std::uint64_t>& sizes, const Ranks& ranks) {
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const auto cut = [&](std::size_t rank) {
    return total / ranks.size() * rank + total % ranks.size() * rank / ranks.size();
  };
  const std::uint64_t begin = cut(ranks.rank()), end = cut(ranks.rank() + 1);
  std::vector<FilePart> parts;
  std::uint64_t at = 0;
  for (std::size_t file = 0; file < sizes.size(); at += sizes[file++]) {
    if (at >= end || at + sizes[file] <= begin) continue;
    CsvPart part;
    part.from = std::max(begin, at) - at;
    if (end < at + sizes[file]) part.to = end - at;
    parts.push_back({file, part});
  }
  return parts;
}

class SharedReader {
 public:
  SharedReader(std::vector<std::string> files, const std::vector<std::uint64_t>& sizes,
               const ReadOptions& options, std::shared_ptr<Ranks> ranks)
      : reader_(files, options),
        files_(std::move(files)),
        parts_(own_parts(sizes, *ranks)),
        ranks_(std::move(ranks)),
        plans_(reader_.plans()) {}

  SharedTable read() {
    if (!try_reading()) {
      // A line end inside quotes, or an error whose line is to be known: the slow way, from the start of the files.
      for (FilePart& one : parts_) one.part.seek = false;
      plans_ = reader_.plans();
      try_reading();
    }
    SharedTable table;
    table.own = std::move(table_);
    table.ranks = ranks_;
    table.own.source = name_of_files(files_);
    table.begins = {0};
    for (const Index rows : gather_one(*ranks_, table.own.rows))
      table.begins.push_back(table.begins.back() + rows);
    if (table.rows() == 0) throw DataError(table.own.source + ": there are column names but no rows");
    number_lines(table);
    for (Column& column : table.own.columns)
      if (column.raw == RawType::text) join_levels(column);
    return table;
  }

 private:
  bool seeking() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const FilePart& one) { return one.part.seek; });
  }

  // False where it is to be tried again without going straight to the parts; otherwise all ranks have their table, or
  // throw.
  bool try_reading() {
    const auto may_go_on = [&](const std::string& failure) {
      const bool quotes = std::any_of(reader_.passed().begin(), reader_.passed().end(),
                                      [](const CsvPassed& one) { return one.quotes; });
      const std::vector<std::uint8_t> again =
          gather_one<std::uint8_t>(*ranks_, seeking() && (quotes || !failure.empty()));
      if (std::any_of(again.begin(), again.end(), [](std::uint8_t one) { return one != 0; })) return false;
      for (const std::string& text : gather_texts(*ranks_, failure))
        if (!text.empty()) throw DataError(text);
      return true;
    };
    for (bool stale = true;;) {
      std::string failure = stale ? read_own() : std::string();
      if (!may_go_on(failure)) return false;
      stale = revise_plans();
      const std::vector<std::uint8_t> any = gather_one<std::uint8_t>(*ranks_, stale);
      if (std::none_of(any.begin(), any.end(), [](std::uint8_t one) { return one != 0; })) break;
    }
    std::string failure;
    try {
      table_ = builder_->take();
    } catch (const DataError& error) {
      failure = error.what();
    }
    return may_go_on(failure);
  }

  // Until the columns of these rows are settled; the message where it fails.
  std::string read_own() {
    try {
      for (;;) {
        builder_.emplace(reader_.read(parts_, plans_));
        std::vector<ColumnPlan> revised = builder_->revised_plans();
        if (revised.empty()) return "";
        plans_ = std::move(revised);
      }
    } catch (const DataError& error) {
      return error.what();
    }
  }

  // Columns that are text anywhere are text everywhere. Whether the rows here have to be read again for that.
  bool revise_plans() {
    const std::vector<Held> here = builder_->held();
    std::vector<Held> all(here.size() * ranks_->size());
    std::copy(here.begin(), here.end(),
              all.begin() + static_cast<std::ptrdiff_t>(here.size() * ranks_->rank()));
    ranks_->all_gather(std::as_writable_bytes(std::span<Held>(all)),
                       std::vector<std::size_t>(ranks_->size(), here.size() * sizeof(Held)));
    bool again = false;
    for (std::size_t i = 0; i < here.size(); ++i) {
      bool text = false;
      for (std::size_t rank = 0; rank < ranks_->size(); ++rank)
        text = text || all[rank * here.size() + i] == Held::text;
      if (!text || here[i] == Held::text || plans_[i].reading != Reading::find_out) continue;
      plans_[i].reading = Reading::text;
      again = true;
    }
    return again;
  }

  // Counted through all files, as the table of all rows has them.
  void number_lines(SharedTable& table) const {
    const std::size_t count = files_.size();
    std::vector<std::int64_t> lines(count * ranks_->size(), 0);  // of each file, with each rank
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const CsvPart& part = parts_[i].part;
      const bool from_start = part.from == 0 || !part.seek, to_end = part.to == CsvPart{}.to;
      const std::int64_t end = reader_.passed()[i].end_line;
      if (part.seek || to_end)
        lines[ranks_->rank() * count + parts_[i].file] = end - (from_start ? 1 : kSomewhere);
    }
    ranks_->all_gather(std::as_writable_bytes(std::span(lines)),
                       std::vector<std::size_t>(ranks_->size(), count * sizeof(std::int64_t)));
    LineNumbers settled;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      std::int64_t before = 0, in_file = 1;
      for (std::size_t rank = 0; rank < ranks_->size(); ++rank)
        for (std::size_t file = 0; file < count; ++file) {
          if (file < parts_[i].file) before += lines[rank * count + file];
          if (file == parts_[i].file && rank < ranks_->rank()) in_file += lines[rank * count + file];
        }
      const Index end = i + 1 < parts_.size() ? reader_.first_rows()[i + 1] : table.own.rows;
      for (Index row = reader_.first_rows()[i]; row < end; ++row) {
        const std::int64_t line = table.own.lines[row];
        settled.append(before + (line >= kSomewhere ? line - kSomewhere + in_file : line));
      }
    }
    table.own.lines = std::move(settled);
    gather_lines(table);
  }

  // Of all rows: runs of neighbouring lines are few.
  void gather_lines(SharedTable& table) const {
    std::vector<std::int64_t> runs;  // length and first line of each
    for (Index row = 0; row < table.own.rows; ++row) {
      const std::int64_t line = table.own.lines[row];
      if (!runs.empty() && runs.back() + runs[runs.size() - 2] == line)
        ++runs[runs.size() - 2];
      else
        runs.insert(runs.end(), {1, line});
    }
    for (const std::string& text : gather_texts(
             *ranks_, {reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(std::int64_t)})) {
      std::vector<std::int64_t> theirs(text.size() / sizeof(std::int64_t));
      std::copy(text.begin(), text.end(), reinterpret_cast<char*>(theirs.data()));
      for (std::size_t i = 0; i < theirs.size(); i += 2)
        for (std::int64_t row = 0; row < theirs[i]; ++row) table.lines.append(theirs[i + 1] + row);
    }
  }

  // In order of first appearance among all rows: those of the first rank, then what the second adds, and so on.
  void join_levels(Column& column) const {
    std::string own;
    for (const std::string& level : column.levels) own += std::to_string(level.size()) + ' ' + level;
    LevelList all;
    std::vector<std::int32_t> new_code;
    const std::vector<std::string> lists = gather_texts(*ranks_, own);
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
      const std::string& list = lists[rank];
      for (std::size_t at = 0; at < list.size();) {
        const std::size_t space = list.find(' ', at);
        const std::size_t size = std::stoul(list.substr(at, space - at));
        const std::int32_t code = all.code(std::string_view(list).substr(space + 1, size));
        if (rank == ranks_->rank()) new_code.push_back(code);
        at = space + 1 + size;
      }
    }
    for (std::int32_t& code : column.codes)
      if (code != kMissingCode) code = new_code[static_cast<std::size_t>(code)];
    column.levels = all.take();
  }

  CsvPartsReader reader_;
  std::vector<std::string> files_;
  std::vector<FilePart> parts_;
  std::shared_ptr<Ranks> ranks_;
  std::vector<ColumnPlan> plans_;
  std::optional<TableBuilder> builder_;
  Table table_;
};

}  // namespace

std::optional<SharedTable> read_shared_table(const std::vector<std::string>& files,
                                             const ReadOptions& options, std::shared_ptr<Ranks> ranks) {
  const auto sizes = sizes_of(files);
  if (!sizes) return std::nullopt;
  return SharedReader(files, *sizes, options, std::move(ranks)).read();
}

}  // namespace bl
